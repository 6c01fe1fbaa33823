// SPDX-License-Identifier: BSD-3-Clause
#include "server/scheduler/housekeeper.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

namespace kaname::scheduler {

bool ReapGuard::may_reap(double store_s, double monotonic_s) {
    const double store_advance = store_s - std::exchange(last_store_s_, store_s);
    const double advance = monotonic_s - std::exchange(last_monotonic_s_, monotonic_s);
    // After a jump all heartbeats so far have wrong ages: each worker needs the time for a new one.
    began_ = !since_s_ || std::abs(store_advance - advance) > kLargestJump_s;
    if (began_) {
        since_s_ = monotonic_s;
        return false;
    }
    return monotonic_s - *since_s_ >= lease_s_;
}

Housekeeper::Housekeeper(store::Store& store, launcher::Launcher* launcher,
                         HousekeeperOptions options, Clock clock)
    : store_(store),
      options_(std::move(options)),
      clock_(std::move(clock)),
      guard_(options_.lease_s) {
    options_.reap_every_s = std::min(options_.reap_every_s, options_.lease_s / 4);
    if (launcher != nullptr) {
        add_worker_pool(*launcher, options_.local);
        n_local_ = 1;
    }
}

Housekeeper::~Housekeeper() {
    stop();
}

void Housekeeper::add_worker_pool(launcher::Launcher& launcher, WorkerPoolOptions options) {
    worker_pools_.push_back(
        std::make_unique<WorkerPool>(store_, launcher, std::move(options), options_.log));
}

bool Housekeeper::quiet() const {
    return options_.is_quiet && options_.is_quiet();
}

void Housekeeper::log(const std::string& line) const {
    if (options_.log) {
        options_.log(line);
    }
}

void Housekeeper::repeat(const std::function<void()>& once) {
    threads_.emplace_back([this, once] {
        std::unique_lock lock(mutex_);
        while (!end_) {
            lock.unlock();
            once();
            lock.lock();
            const std::uint64_t seen = n_wakes_;
            const double look_s = is_idle_ && options_.alone ? options_.alone_look_s
                                  : quiet()                  ? options_.quiet_look_s
                                                             : options_.look_every_s;
            const double more_s = look_s - options_.look_every_s;
            if (!ending_.wait_for(lock, std::chrono::duration<double>(options_.look_every_s),
                                  [this] { return end_; }) &&
                more_s > 0.0) {
                woken_.wait_for(lock, std::chrono::duration<double>(more_s),
                                [&] { return end_ || n_wakes_ != seen; });
            }
        }
    });
}

void Housekeeper::start() {
    end_ = false;
    repeat([this] {
        look_after();
        (void)attempt(last_trouble_of_local_, [this] { staff(0, n_local_); });
    });
    if (worker_pools_.size() > n_local_) {
        repeat([this] {
            (void)attempt(last_trouble_of_others_,
                          [this] { staff(n_local_, worker_pools_.size()); });
        });
    }
}

void Housekeeper::wake() {
    {
        const std::lock_guard lock(mutex_);
        ++n_wakes_;
    }
    woken_.notify_all();
}

void Housekeeper::stop() {
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ending_.notify_all();
    woken_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
}

void Housekeeper::pass() {
    look_after();
    (void)attempt(last_trouble_of_local_, [this] { staff(0, n_local_); });
    (void)attempt(last_trouble_of_others_, [this] { staff(n_local_, worker_pools_.size()); });
}

bool Housekeeper::attempt(std::string& last_trouble, const std::function<void()>& duty) {
    std::string trouble;
    try {
        duty();
    } catch (const std::exception& error) {
        was_away_ = true;
        trouble = error.what();
    }
    if (trouble != last_trouble) {
        log(trouble.empty() ? "housekeeping goes on" : "housekeeping: " + trouble);
        last_trouble = trouble;
    }
    return trouble.empty();
}

void Housekeeper::count() {
    const store::TaskCounts counts = store_.count_tasks();
    is_idle_ = quiet() && counts.ready + counts.running == 0;
    if (std::exchange(n_ready_, counts.ready) < counts.ready && options_.on_more_ready) {
        options_.on_more_ready();
    }
}

void Housekeeper::look_after() {
    const double now_s = clock_();
    if (was_away_.exchange(false)) {
        guard_.interrupted();
    }
    is_idle_ = attempt(last_trouble_of_counts_, [this] { count(); }) && is_idle_;
    // While a database is quiet, nobody waits for the tasks of a silent worker; where none runs,
    // all that can become of one is that it is shown as lost.
    const double every_s = std::max(options_.reap_every_s, is_idle_  ? 2 * options_.lease_s
                                                           : quiet() ? options_.lease_s / 2
                                                                     : 0.0);
    if (last_reap_s_ && now_s - *last_reap_s_ < every_s) {
        return;
    }
    last_reap_s_ = now_s;
    (void)attempt(last_trouble_, [&] {
        reap(now_s);
        tidy();
    });
}

void Housekeeper::staff(std::size_t first, std::size_t end) {
    std::vector<const WorkerPool*> earlier;
    for (std::size_t k = 0; k < end; ++k) {
        if (k >= first) {
            worker_pools_[k]->staff(clock_(), earlier, quiet());
        }
        earlier.push_back(worker_pools_[k].get());
    }
}

void Housekeeper::reap(double now_s) {
    if (!guard_.may_reap(store_.now_s(), now_s)) {
        if (guard_.began()) {
            const std::int64_t n_mended = store_.after_clock_step();
            if (n_mended > 0) {
                log("the database's clock was set back: waits that ended by it: " +
                    std::to_string(n_mended));
            }
        }
        return;
    }
    const store::ReapResult result = store_.reap();
    if (options_.on_reap) {
        options_.on_reap(result);
    }
    if (result.workers_lost + result.tasks_returned + result.tasks_dead > 0) {
        log("silent workers: " + std::to_string(result.workers_lost) +
            ", tasks taken back: " + std::to_string(result.tasks_returned) +
            ", given up after crashes: " + std::to_string(result.tasks_dead));
    }
}

void Housekeeper::tidy() {
    if (!options_.remove_checkpoint) {
        return;
    }
    (void)store_.forget_checkpoints(options_.remove_checkpoint);
}

}  // namespace kaname::scheduler
