// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/thread_pool.hpp"

#include <algorithm>
#include <utility>

namespace kaname::rpc {

ThreadPool::ThreadPool(int threads, std::size_t longest_queue)
    : longest_queue_(longest_queue), most_of_one_(std::max(1, threads - 1)) {
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

void ThreadPool::push(std::function<void()> work, const std::string& whose) {
    Line& line = lines_[whose];
    if (line.queue.empty()) {
        turns_.push_back(whose);
    }
    line.queue.push_back(std::move(work));
    ++n_queued_;
}

bool ThreadPool::try_submit(std::function<void()> work, const std::string& whose) {
    {
        const std::lock_guard lock(mutex_);
        if (n_queued_ >= longest_queue_) {
            return false;
        }
        push(std::move(work), whose);
    }
    changed_.notify_one();
    return true;
}

void ThreadPool::submit(std::function<void()> work, const std::string& whose) {
    {
        const std::lock_guard lock(mutex_);
        push(std::move(work), whose);
    }
    changed_.notify_one();
}

std::deque<std::string>::iterator ThreadPool::next() {
    return std::ranges::find_if(turns_, [this](const std::string& whose) {
        return whose.empty() || lines_[whose].running < most_of_one_;
    });
}

void ThreadPool::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        auto turn = turns_.end();
        changed_.wait(lock, [&] {
            turn = next();
            return turn != turns_.end() || (ends_ && n_queued_ == 0);
        });
        if (turn == turns_.end()) {
            return;
        }
        const std::string whose = std::move(*turn);
        turns_.erase(turn);
        Line& line = lines_[whose];
        const auto work = std::move(line.queue.front());
        line.queue.pop_front();
        if (!line.queue.empty()) {
            turns_.push_back(whose);
        }
        --n_queued_;
        ++line.running;
        lock.unlock();
        work();
        lock.lock();
        if (--line.running == 0 && line.queue.empty()) {
            lines_.erase(whose);
        }
        // Whoever had to wait for this thread, and whoever waits for the end of all.
        if (!turns_.empty() || ends_) {
            changed_.notify_all();
        }
    }
}

}  // namespace kaname::rpc
