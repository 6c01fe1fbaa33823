// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kaname::rpc {

/// A fixed number of threads that do short pieces of work. Those for whom it is done take turns,
/// and nobody has all threads: one is left to others. Work of nobody ("") is in turn as one of
/// them, on any number of threads. Of each the pieces are done in the order in which they came.
/// Destruction does what is queued first.
class ThreadPool {
public:
    ThreadPool(int threads, std::size_t longest_queue);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// False when the queue is full; nothing is queued then. `work` does not throw.
    [[nodiscard]] bool try_submit(std::function<void()> work, const std::string& whose = {});
    /// For what was admitted before and is bounded by that.
    void submit(std::function<void()> work, const std::string& whose = {});

private:
    struct Line {
        std::deque<std::function<void()>> queue;
        int running = 0;
    };
    void push(std::function<void()> work, const std::string& whose);
    /// The place in turns_ of who is next; its end: nobody may have a thread.
    std::deque<std::string>::iterator next();
    void run();

    const std::size_t longest_queue_;
    const int most_of_one_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Line> lines_;
    std::deque<std::string> turns_;  ///< those with queued work, each once
    std::size_t n_queued_ = 0;
    bool ends_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace kaname::rpc
