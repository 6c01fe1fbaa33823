// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kaname::rpc {

/// A fixed number of threads that do short pieces of work in the order in which they came.
/// Destruction does what is queued first.
class ThreadPool {
public:
    ThreadPool(int threads, std::size_t longest_queue);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// False when the queue is full; nothing is queued then. `work` does not throw.
    [[nodiscard]] bool try_submit(std::function<void()> work);
    /// For what was admitted before and is bounded by that.
    void submit(std::function<void()> work);

private:
    void run();

    const std::size_t longest_queue_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> queue_;
    bool ends_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace kaname::rpc
