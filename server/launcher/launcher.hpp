// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace kaname::launcher {

/// Starts worker agents somewhere. Agents outlive a crash of the server and find it again when it
/// is back; whether one is alive is told by its heartbeats, not from here.
class Launcher {
public:
    virtual ~Launcher() = default;

    /// Starts one agent. Throws Unavailable when it cannot.
    virtual void start() = 0;
    /// Agents that were started and have not ended, as far as known: those that have not
    /// registered yet count too.
    [[nodiscard]] virtual int alive() = 0;
    /// Counts the agents of alive() that have not begun, because a batch system lets them wait.
    [[nodiscard]] virtual int waiting() { return 0; }
    /// Takes back up to `n` waiting agents; one that begins meanwhile leaves when it is idle.
    virtual void withdraw([[maybe_unused]] int n) {}
    /// Asks all to give back what they hold and to leave; ends those that have not after `grace`.
    virtual void stop_all(std::chrono::seconds grace) = 0;
};

}  // namespace kaname::launcher
