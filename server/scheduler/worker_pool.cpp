// SPDX-License-Identifier: BSD-3-Clause
#include "server/scheduler/worker_pool.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

namespace kaname::scheduler {

double monotonic_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

int Backlog::to_start(const BacklogCounts& counts, double now_s) {
    const bool is_early = now_s - last_start_s_ < options_.early_end_s;
    if (counts.alive < expected_alive_ && is_early && counts.ready > 0) {
        failed(now_s);
    } else if (counts.alive > 0 && !is_early) {
        n_failures_ = 0;
    }
    expected_alive_ = counts.alive;
    if (now_s < not_before_s_) {
        return 0;
    }
    const std::int64_t packs = (counts.ready + options_.pack - 1) / options_.pack;
    // A killed agent holds its tasks until they are taken back.
    const std::int64_t free = std::max(0, counts.alive - counts.busy);
    const std::int64_t wanted =
        std::min<std::int64_t>(packs - free, options_.max_agents - counts.alive);
    return static_cast<int>(std::max<std::int64_t>(wanted, 0));
}

int Backlog::to_withdraw(const BacklogCounts& counts, double now_s) {
    const std::int64_t packs = (counts.ready + options_.pack - 1) / options_.pack;
    const std::int64_t free = std::max(0, counts.alive - counts.waiting - counts.busy);
    const std::int64_t surplus = counts.waiting - std::max<std::int64_t>(packs - free, 0);
    if (surplus <= 0) {
        too_many_since_s_.reset();
        return 0;
    }
    if (!too_many_since_s_) {
        too_many_since_s_ = now_s;
    }
    return now_s - *too_many_since_s_ < options_.withdraw_after_s ? 0 : static_cast<int>(surplus);
}

void Backlog::started(double now_s) {
    ++expected_alive_;
    last_start_s_ = now_s;
}

void Backlog::failed(double now_s) {
    not_before_s_ =
        now_s + std::min(options_.first_pause_s * std::exp2(n_failures_), options_.longest_pause_s);
    n_failures_ = std::min(n_failures_ + 1, 30);
}

namespace {

constexpr double kQuietDrains_s = 15;  ///< between looks for drains and cordons while all is quiet

}  // namespace

WorkerPool::WorkerPool(store::Store& store, launcher::Launcher& launcher, WorkerPoolOptions options,
                       std::function<void(const std::string&)> log)
    : store_(store),
      launcher_(launcher),
      options_(std::move(options)),
      log_(std::move(log)),
      backlog_(options_.backlog) {
    if (!log_) {
        log_ = [](const std::string&) {};
    }
}

bool WorkerPool::shares_pool_with(const WorkerPool& other) const {
    return options_.pools.empty() || other.options_.pools.empty() ||
           std::ranges::any_of(options_.pools, [&](const std::string& pool) {
               return std::ranges::count(other.options_.pools, pool) > 0;
           });
}

std::int64_t WorkerPool::ready(const std::vector<const WorkerPool*>& earlier) {
    std::int64_t ready = 0;
    if (options_.pools.empty()) {
        ready = store_.count_tasks().ready;
    } else {
        // More than what all its agents could take at once changes nothing.
        std::int64_t most = options_.backlog.max_agents * options_.backlog.pack;
        for (const WorkerPool* worker_pool : earlier) {
            most += worker_pool->options_.backlog.max_agents * worker_pool->options_.backlog.pack;
        }
        for (const std::int64_t of_pool : store_.count_ready(options_.pools, most)) {
            ready += of_pool;
        }
    }
    for (const WorkerPool* worker_pool : earlier) {
        ready -= shares_pool_with(*worker_pool) ? worker_pool->awaited_.load() : 0;
    }
    return std::max<std::int64_t>(ready, 0);
}

std::string WorkerPool::drained() {
    // An agent on a cordoned host or GPU would claim nothing, so that it is of no use to start one.
    for (const store::Cordon& cordon : store_.list_cordons()) {
        const bool is_gpu = cordon.kind == store::CordonKind::Gpu;
        if (!options_.host.empty() && cordon.host == options_.host && !cordon.of_one_token &&
            (!is_gpu || options_.uses_gpus)) {
            return cordon_text(cordon);
        }
    }
    for (const store::Drain& drain : store_.list_drains()) {
        const bool is_gpu = drain.kind == store::DrainKind::Gpu;
        if (!options_.host.empty() && drain.host == options_.host &&
            (!is_gpu || options_.uses_gpus)) {
            return (is_gpu ? "GPU " : "host ") + drain.value + " is drained";
        }
    }
    return "";
}

void WorkerPool::look_for_drains() {
    const std::string drained = this->drained();
    if (drained != last_drained_) {
        log_(drained.empty() ? "agents are started again" : "no agent is started: " + drained);
        last_drained_ = drained;
    }
}

void WorkerPool::staff(double now_s, const std::vector<const WorkerPool*>& earlier, bool quiet) {
    if (options_.backlog.max_agents == 0) {
        return;
    }
    BacklogCounts counts;
    counts.ready = ready(earlier);
    counts.waiting = launcher_.waiting();
    // While nothing is to be started, what keeps agents away changes nothing.
    const bool rarely = quiet && counts.ready == 0 && counts.waiting == 0;
    if (!rarely || now_s - looked_for_drains_s_ >= kQuietDrains_s) {
        looked_for_drains_s_ = now_s;
        look_for_drains();
    }
    if (!last_drained_.empty()) {
        awaited_ = 0;
        return;
    }
    counts.alive = launcher_.alive();
    if (counts.ready > 0 || counts.waiting > 0) {
        for (const store::WorkerInfo& worker : store_.list_workers()) {
            const bool is_ours = worker.registered.name.rfind(options_.agent_prefix, 0) == 0;
            counts.busy += is_ours && !worker.lost && worker.n_running > 0 ? 1 : 0;
        }
    }
    const int to_start = backlog_.to_start(counts, now_s);
    awaited_ = (std::max(0, counts.alive - counts.busy) + to_start) *
               static_cast<std::int64_t>(options_.backlog.pack);
    if (const int surplus = backlog_.to_withdraw(counts, now_s); surplus > 0) {
        launcher_.withdraw(surplus);
    }
    start(to_start, counts.ready, now_s);
}

void WorkerPool::start(int n, std::int64_t ready, double now_s) {
    for (; n > 0; --n) {
        try {
            launcher_.start();
            backlog_.started(now_s);
            log_(options_.what + " started for " + std::to_string(ready) + " waiting tasks");
        } catch (const std::exception& error) {
            backlog_.failed(now_s);
            log_(options_.what + " not started: " + error.what());
            return;
        }
    }
}

}  // namespace kaname::scheduler
