// SPDX-License-Identifier: BSD-3-Clause
#include "server/daemon/state_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/user_folders.hpp"

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

void write_running_options(const std::filesystem::path& state, const RunningOptions& options) {
    const nlohmann::json content{{"workers", options.workers},
                                 {"ranks", options.ranks},
                                 {"threads", options.threads},
                                 {"device", options.device},
                                 {"lease-s", options.lease_s},
                                 {"database", options.database},
                                 {"artifacts", options.artifacts},
                                 {"listen", options.listen},
                                 {"metrics", options.metrics},
                                 {"http", options.http},
                                 {"tls", options.tls},
                                 {"tls-cert", options.tls_cert},
                                 {"tls-key", options.tls_key},
                                 {"tls-client-ca", options.tls_client_ca},
                                 {"config", options.config},
                                 {"said", options.said}};
    write_private(state / "options.json", content.dump() + "\n");
}

std::optional<RunningOptions> read_running_options(const std::filesystem::path& state) {
    const auto content = nlohmann::json::parse(read_file_if_any(state / "options.json"), nullptr,
                                               /*allow_exceptions=*/false);
    if (!content.is_object()) {
        return std::nullopt;
    }
    RunningOptions options;
    const auto read = [&](const char* key, auto& value) {
        if (content.contains(key)) {
            value = content[key].get<std::decay_t<decltype(value)>>();
        }
    };
    try {
        for (const auto& [key, value] :
             {std::pair("device", &options.device), std::pair("database", &options.database),
              std::pair("artifacts", &options.artifacts), std::pair("listen", &options.listen),
              std::pair("metrics", &options.metrics), std::pair("http", &options.http),
              std::pair("tls", &options.tls), std::pair("tls-cert", &options.tls_cert),
              std::pair("tls-key", &options.tls_key),
              std::pair("tls-client-ca", &options.tls_client_ca),
              std::pair("config", &options.config)}) {
            read(key, *value);
        }
        read("workers", options.workers);
        read("ranks", options.ranks);
        read("threads", options.threads);
        read("lease-s", options.lease_s);
        read("said", options.said);
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
    return options;
}

void write_private(const std::filesystem::path& path, const std::string& text) {
    // Nobody else may read a token between its writing and a change of the mode: write_file's
    // temporary file is there, closed to others, before it holds anything.
    const std::filesystem::path part = path.string() + ".part";
    const Fd made(::open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!made.open() || ::fchmod(made.get(), 0600) != 0) {
        throw Error(ErrorCode::Unavailable, part.string() + ": " + std::strerror(errno));
    }
    write_file(path, text);
}

}  // namespace kaname::daemon
