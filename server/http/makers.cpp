// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/makers.hpp"

#include <utility>

namespace kaname::http {

Makers::Makers(int threads) {
    for (int number = 0; number < threads; ++number) {
        threads_.emplace_back([this] { run(); });
    }
}

bool Makers::submit(std::function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) {
            return false;
        }
        queue_.push_back(std::move(job));
    }
    changed_.notify_one();
    return true;
}

void Makers::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
}

void Makers::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) {
            return;
        }
        const auto job = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        job();
        lock.lock();
    }
}

}  // namespace kaname::http
