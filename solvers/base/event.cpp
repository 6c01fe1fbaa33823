// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/event.hpp"

#include <cstdint>

#include <sys/eventfd.h>

#include "solvers/base/error.hpp"

namespace kaname {

Event::Event() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!fd_.open()) {
        throw Error(ErrorCode::Unavailable, "eventfd failed: too many open files?");
    }
}

void Event::set(int fd) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(fd, &one, sizeof one);  // full: it is set
}

void Event::clear() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t n = ::read(fd(), &count, sizeof count);
}

}  // namespace kaname
