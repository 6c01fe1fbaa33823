// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/base/fd.hpp"

namespace kaname {

/// A flag that poll(2) waits for beside other descriptors: readable from set() to clear().
class Event {
public:
    /// Throws Unavailable when the process is out of descriptors.
    Event();
    /// May be called in a signal handler.
    void set() const { set(fd_.get()); }
    static void set(int fd);
    void clear() const;
    [[nodiscard]] int fd() const { return fd_.get(); }

private:
    Fd fd_;
};

}  // namespace kaname
