// SPDX-License-Identifier: BSD-3-Clause
#include "server/gateway/rounds.hpp"

#include <iterator>

namespace kaname::gateway {

Rounds::Rounds(std::chrono::milliseconds every) : every_(every), thread_([this] { run(); }) {}

Rounds::~Rounds() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    woken_.notify_all();
    thread_.join();
}

void Rounds::add(Look look) {
    {
        const std::lock_guard lock(mutex_);
        looks_.push_back(std::move(look));
    }
    woken_.notify_all();
}

void Rounds::run() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
        std::vector<Look> looks;
        looks.swap(looks_);
        lock.unlock();
        std::erase_if(looks, [](const Look& look) { return !look(); });
        lock.lock();
        looks_.insert(looks_.end(), std::make_move_iterator(looks.begin()),
                      std::make_move_iterator(looks.end()));
        looks.clear();
        if (looks_.empty()) {
            woken_.wait(lock, [this] { return ends_ || !looks_.empty(); });
        } else {
            woken_.wait_for(lock, every_, [this] { return ends_; });
        }
    }
}

}  // namespace kaname::gateway
