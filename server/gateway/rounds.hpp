// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kaname::gateway {

/// Looks at what is open, a few times a second: one thread for all. Safe from any thread.
class Rounds {
public:
    /// False: it is over, and not looked at again. It does not throw.
    using Look = std::function<bool()>;

    explicit Rounds(std::chrono::milliseconds every = std::chrono::milliseconds(250));
    ~Rounds();
    Rounds(const Rounds&) = delete;
    Rounds& operator=(const Rounds&) = delete;

    void add(Look look);

private:
    void run();

    const std::chrono::milliseconds every_;
    std::mutex mutex_;
    std::condition_variable woken_;
    std::vector<Look> looks_;
    bool ends_ = false;
    std::thread thread_;
};

}  // namespace kaname::gateway
