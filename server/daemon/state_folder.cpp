// SPDX-License-Identifier: BSD-3-Clause
#include "server/daemon/state_folder.hpp"

#include <cstdlib>

#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/private_place.hpp"

namespace kaname::daemon {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

fs::path choose(const std::string& wanted) {
    if (!wanted.empty()) {
        return wanted;
    }
    if (const std::string state = environment("KANAME_STATE"); !state.empty()) {
        return state;
    }
    if (const std::string folder = environment("XDG_STATE_HOME"); !folder.empty()) {
        return fs::path(folder) / "kaname";
    }
    if (::geteuid() == 0) {
        return "/var/lib/kaname";  // the database's user can reach it, unlike root's home
    }
    const std::string home = environment("HOME");
    if (home.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "state folder: name one with --state or KANAME_STATE, as HOME is not set");
    }
    return fs::path(home) / ".local/state/kaname";
}

}  // namespace

fs::path state_folder(const std::string& wanted) {
    const fs::path state = fs::weakly_canonical(fs::absolute(choose(wanted)));
    return state.has_filename() ? state : state.parent_path();  // not "folder/"
}

void make_state_folder(const fs::path& state) {
    make_private_folder(state);
    check_state_folder(state);
}

PidFile::PidFile(const fs::path& state) : path_(state / "server.pid") {
    write_file(path_, std::to_string(::getpid()) + "\n");
}

PidFile::~PidFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
}

}  // namespace kaname::daemon
