// SPDX-License-Identifier: BSD-3-Clause
#include "server/space/upkeep.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

namespace kaname::space {
namespace {

constexpr std::chrono::seconds kLook{1}, kQuietLook{5};
/// Another server may end in its turn: how long until somebody looks again.
constexpr double kLongestPause_s = 60;

}  // namespace

Upkeep::Upkeep(store::RetentionStore& store, Room& room, Collector& collector, Options options)
    : store_(store), room_(room), collector_(collector), options_(std::move(options)) {
    looks_ = std::thread([this] {
        std::unique_lock lock(mutex_);
        while (!end_) {
            lock.unlock();
            (void)room_.shortage();
            if (options_.each_look) {
                options_.each_look();
            }
            lock.lock();
            const bool quiet = options_.is_quiet && options_.is_quiet();
            ending_.wait_for(lock, quiet ? kQuietLook : kLook, [this] { return end_; });
        }
    });
    if (options_.sweep_every_s > 0) {
        sweeps_ = std::thread([this] { run(); });
    }
}

Upkeep::~Upkeep() {
    stop();
}

void Upkeep::stop() {
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ending_.notify_all();
    for (std::thread* thread : {&looks_, &sweeps_}) {
        if (thread->joinable()) {
            thread->join();
        }
    }
}

void Upkeep::log(const std::string& line) const {
    if (options_.log) {
        options_.log(line);
    }
}

void Upkeep::run() {
    const std::chrono::duration<double> pause(std::min(options_.sweep_every_s, kLongestPause_s));
    std::string last_trouble;
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, pause, [this] { return end_; })) {
        lock.unlock();
        std::string trouble;
        try {
            if (store_.begin_upkeep(options_.sweep_every_s)) {
                sweep();
            }
        } catch (const std::exception& error) {
            trouble = error.what();
        }
        if (!trouble.empty() && trouble != last_trouble) {
            log("tidying up: " + trouble);
        }
        last_trouble = trouble;
        lock.lock();
    }
}

void Upkeep::sweep() {
    const auto stop = [this] {
        const std::lock_guard lock(mutex_);
        return end_;
    };
    if (options_.before_sweep) {
        options_.before_sweep(stop);
    }
    const Sweep done = collector_.sweep(false, stop);
    if (done.n_removed + done.n_partials + done.n_logs + done.n_rows > 0) {
        log("tidied up: " + std::to_string(done.n_removed) + " files of " +
            std::to_string(done.removed_bytes) + " bytes, " + std::to_string(done.n_partials) +
            " unfinished uploads, " + std::to_string(done.n_logs) + " logs, " +
            std::to_string(done.n_rows) + " rows of history");
    }
}

}  // namespace kaname::space
