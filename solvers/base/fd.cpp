// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/fd.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>

#include "solvers/base/error.hpp"

namespace kaname {
namespace {

/// Moves a descriptor out of 0..2, where a child's dup2 would overwrite it (a parent may run with
/// closed standard streams).
Fd above_standard(Fd fd) {
    if (fd.get() > 2) {
        return fd;
    }
    return Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
}

}  // namespace

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw Error(ErrorCode::Unavailable, std::string("pipe: ") + std::strerror(errno));
    }
    Pipe pipe{Fd(ends[0]), Fd(ends[1])};
    return {above_standard(std::move(pipe.read)), above_standard(std::move(pipe.write))};
}

}  // namespace kaname
