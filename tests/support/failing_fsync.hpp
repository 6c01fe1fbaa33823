// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cerrno>
#include <string>

#include <sys/syscall.h>
#include <unistd.h>

/// A disk that refuses an fsync. Including this takes the place of the C library's fsync in the
/// whole test program, so that one source of a program alone may.
namespace kaname::failing_fsync {

/// Calls of fsync that fail after the next `passed` ones have passed; they tell EIO.
inline std::atomic<int> passed = 0, failing = 0;

/// While it lives, fsync passes `first` times, fails once, and passes again.
struct After {
    explicit After(int first) {
        passed = first;
        failing = 1;
    }
    ~After() { failing = 0; }
    After(const After&) = delete;
    After& operator=(const After&) = delete;
    [[nodiscard]] static bool has_failed() { return failing == 0; }
};

}  // namespace kaname::failing_fsync

extern "C" int fsync(int fd) {
    namespace failing = kaname::failing_fsync;
    if (failing::failing > 0 && failing::passed-- <= 0) {
        --failing::failing;
        errno = EIO;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_fsync, fd));
}
