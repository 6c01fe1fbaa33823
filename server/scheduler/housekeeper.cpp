// SPDX-License-Identifier: BSD-3-Clause
#include "server/scheduler/housekeeper.hpp"

#include <chrono>
#include <exception>
#include <utility>

namespace kaname::scheduler {

Housekeeper::Housekeeper(store::Store& store, launcher::Launcher* launcher,
                         HousekeeperOptions options, Clock clock)
    : store_(store),
      launcher_(launcher),
      options_(std::move(options)),
      clock_(std::move(clock)),
      guard_(options_.lease_s),
      backlog_(options_.backlog) {}

Housekeeper::~Housekeeper() {
    stop();
}

void Housekeeper::log(const std::string& line) const {
    if (options_.log) {
        options_.log(line);
    }
}

void Housekeeper::start() {
    end_ = false;
    thread_ = std::thread([this] {
        std::unique_lock lock(mutex_);
        while (!end_) {
            lock.unlock();
            pass();
            lock.lock();
            ending_.wait_for(lock, std::chrono::duration<double>(options_.look_every_s),
                             [this] { return end_; });
        }
    });
}

void Housekeeper::stop() {
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ending_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Housekeeper::pass() {
    const double now_s = clock_();
    std::string trouble;
    try {
        if (!last_reap_s_ || now_s - *last_reap_s_ >= options_.reap_every_s) {
            last_reap_s_ = now_s;
            reap(now_s);
            tidy();
        }
        staff(now_s);
    } catch (const std::exception& error) {
        guard_.interrupted();
        trouble = error.what();
    }
    if (trouble != last_trouble_) {
        log(trouble.empty() ? "housekeeping goes on" : "housekeeping: " + trouble);
        last_trouble_ = trouble;
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

std::string Housekeeper::drained() {
    for (const store::Drain& drain : store_.list_drains()) {
        const bool is_gpu = drain.kind == store::DrainKind::Gpu;
        if (!options_.host.empty() && drain.host == options_.host &&
            (!is_gpu || options_.uses_gpus)) {
            return (is_gpu ? "GPU " : "host ") + drain.value + " is drained";
        }
    }
    return "";
}

void Housekeeper::staff(double now_s) {
    if (launcher_ == nullptr || options_.backlog.max_agents == 0) {
        return;
    }
    const std::string drained = this->drained();
    if (drained != last_drained_) {
        log(drained.empty() ? "agents are started again" : "no agent is started: " + drained);
        last_drained_ = drained;
    }
    if (!drained.empty()) {
        return;
    }
    BacklogCounts counts;
    counts.ready = store_.count_tasks().ready;
    counts.alive = launcher_->alive();
    if (counts.ready > 0) {
        for (const store::WorkerInfo& worker : store_.list_workers()) {
            const bool is_ours = worker.spec.name.rfind(options_.agent_prefix, 0) == 0;
            counts.busy += is_ours && !worker.lost && worker.n_running > 0 ? 1 : 0;
        }
    }
    for (int n = backlog_.to_start(counts, now_s); n > 0; --n) {
        try {
            launcher_->start();
            backlog_.started(now_s);
            log("agent started for " + std::to_string(counts.ready) + " waiting tasks");
        } catch (const std::exception& error) {
            backlog_.failed(now_s);
            log(std::string("agent not started: ") + error.what());
            return;
        }
    }
}

}  // namespace kaname::scheduler
