// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/thread_pool.hpp"

#include <utility>

namespace kaname::rpc {

ThreadPool::ThreadPool(int threads, std::size_t longest_queue) : longest_queue_(longest_queue) {
    for (int thread = 0; thread < threads; ++thread) {
        threads_.emplace_back([this] { run(); });
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

bool ThreadPool::try_submit(std::function<void()> work) {
    {
        const std::lock_guard lock(mutex_);
        if (queue_.size() >= longest_queue_) {
            return false;
        }
        queue_.push_back(std::move(work));
    }
    changed_.notify_one();
    return true;
}

void ThreadPool::submit(std::function<void()> work) {
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(work));
    }
    changed_.notify_one();
}

void ThreadPool::run() {
    while (true) {
        std::function<void()> work;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return ends_ || !queue_.empty(); });
            if (queue_.empty()) {
                return;
            }
            work = std::move(queue_.front());
            queue_.pop_front();
        }
        work();
    }
}

}  // namespace kaname::rpc
