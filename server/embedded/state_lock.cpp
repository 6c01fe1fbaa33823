// SPDX-License-Identifier: BSD-3-Clause
#include "server/embedded/state_lock.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::embedded {
namespace {

std::filesystem::path lock_path(const std::filesystem::path& state) {
    return state / "server.lock";
}

[[noreturn]] void throw_unavailable(const std::filesystem::path& path) {
    throw Error(ErrorCode::Unavailable, path.string() + ": " + std::strerror(errno));
}

}  // namespace

StateLock::StateLock(const std::filesystem::path& state) {
    const std::filesystem::path path = lock_path(state);
    file_ = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file_.open()) {
        throw_unavailable(path);
    }
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
        const auto other = run::parse_process_id(read_file_if_any(path));
        throw Error(ErrorCode::Conflict, "state folder " + state.string() +
                                             ": in use by another server" +
                                             (other ? ", pid " + std::to_string(other->pid) : ""));
    }
    const std::string text = run::to_text(*run::identify(::getpid()));
    if (::ftruncate(file_.get(), 0) != 0 ||
        ::write(file_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        throw_unavailable(path);
    }
}

std::optional<run::ProcessId> StateLock::holder(const std::filesystem::path& state) {
    const std::filesystem::path path = lock_path(state);
    const Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!file.open()) {
        if (errno == ENOENT || errno == ENOTDIR) {
            return std::nullopt;
        }
        throw_unavailable(path);
    }
    if (::flock(file.get(), LOCK_SH | LOCK_NB) == 0) {
        return std::nullopt;
    }
    return run::parse_process_id(read_file_if_any(path));
}

}  // namespace kaname::embedded
