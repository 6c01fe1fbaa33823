// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kaname::http {

/// Threads on which answers are made, one at a time each. What is queued is run, also when it
/// stops: each job has a connection that waits.
class Makers {
public:
    explicit Makers(int threads);
    ~Makers() { stop(); }
    Makers(const Makers&) = delete;
    Makers& operator=(const Makers&) = delete;

    /// False: it has stopped.
    [[nodiscard]] bool submit(std::function<void()> job);
    /// Returns when all jobs have ended.
    void stop();

private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> queue_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace kaname::http
