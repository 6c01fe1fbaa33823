// SPDX-License-Identifier: BSD-3-Clause
#include "server/daemon/private_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>

#include "solvers/base/error.hpp"
#include "solvers/base/fd.hpp"
#include "solvers/base/files.hpp"

namespace kaname::daemon {

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
