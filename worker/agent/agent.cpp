// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/agent.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "solvers/base/error.hpp"
#include "worker/agent/lease/persistent_calls.hpp"
#include "worker/agent/stages/stages.hpp"
#include "worker/agent/stages/watch.hpp"

namespace kaname::agent {
namespace {

constexpr int kFetchAttempts = 10;  // half a minute

}  // namespace

std::filesystem::path PackHolder::fetch(const std::string& label, const std::string& sha256) {
    Backoff backoff;
    for (int attempt = 1;; ++attempt) {
        try {
            return parts_.cache.get(sha256);
        } catch (const Error& error) {
            const bool away = is_retryable(error.code());
            if (!away || attempt == kFetchAttempts) {
                throw InputMissing("input " + label + " (" + sha256 +
                                       ") cannot be had from the server: " + coded_text(error),
                                   away);
            }
        }
        const auto until = std::chrono::steady_clock::now() + backoff.next();
        while (!stopping() && std::chrono::steady_clock::now() < until) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        if (stopping()) {
            throw Stopped();
        }
        if (!wanted()) {
            throw Dropped();
        }
    }
}

void PackHolder::set_progress(double fraction, double eta_s, const std::string& text) {
    parts_.lease.held().set_progress(tasks_, fraction, eta_s, text);
}

void PackHolder::put_log(const std::string& piece) {
    v1::PutLogRequest request;
    request.set_worker_id(parts_.lease.worker_id());
    for (const v1::Task& task : tasks_) {
        *request.add_refs() = task.ref();
    }
    request.set_data(piece);
    parts_.client.put_log(request);
}

void PackHolder::put_checkpoint(const std::filesystem::path& file, int step) {
    CheckpointFile checkpoint{{}, file, step};
    for (const v1::Task& task : tasks_) {
        checkpoint.refs.push_back(task.ref());
    }
    parts_.reporter.checkpoint(std::move(checkpoint));
}

namespace {

constexpr const char* kNoGpus = "cpu";  // the device of a worker that uses none
constexpr double kFirstProbeDelay_s = 0.2, kLongestProbeDelay_s = 60.0;

LeaseOptions lease_options(const AgentOptions& options) {
    return {.name = options.name,
            .version = options.version,
            .ranks = options.ranks.n,
            .threads = options.threads,
            .pools = options.pools,
            .not_ready = options.device == kNoGpus ? "" : "its GPUs are being looked at",
            .no_server = options.no_server,
            .gpu_readings = options.gpu_readings};
}

}  // namespace

Agent::Agent(AgentOptions options, WorkersClient& client, const std::atomic<bool>& stop,
             std::function<void(const std::string&)> log)
    : options_(std::move(options)),
      client_(client),
      stop_(stop),
      log_(std::move(log)),
      lease_(lease_options(options_), client, log_),
      cache_(options_.work / "cache", options_.cache_bytes, client),
      reporter_(
          client, cache_, lease_.held(), [this] { return lease_.worker_id(); }, log_,
          options_.full_store),
      stages_(stage_options(), [this] { reporter_.flush(); }) {}

StageOptions Agent::stage_options() const {
    return {.folder = options_.work / "tasks",
            .compute = options_.compute,
            .ranks = options_.ranks,
            .threads = options_.threads,
            .device = options_.device,
            .hang = options_.hang,
            .confinement = options_.confinement,
            .memory_bytes = options_.memory_bytes};
}

void Agent::pause(double seconds) const {
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    while (!stop_ && Clock::now() < until) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

void Agent::run() {
    Backoff backoff;
    last_work_ = Clock::now();
    while (!stop_) {
        try {
            if (!work_once()) {
                break;
            }
            backoff.reset();
        } catch (const Stopped&) {
            break;
        } catch (const Error& error) {
            lease_.bear(error);
            pause(backoff.next().count());
        }
    }
    if (stop_) {
        reporter_.finish(options_.upload_grace);  // what is not uploaded then goes back
    }
    stages_.close_session();
    reporter_.stop();
    lease_.leave();
}

bool Agent::idle_for_long() {
    return options_.idle_exit.count() > 0 && lease_.held().empty() &&
           Clock::now() - last_work_ > options_.idle_exit;
}

bool Agent::work_once() {
    if (!lease_.registered()) {
        reporter_.flush();
        stages_.close_session();
        lease_.register_anew();
        last_work_ = Clock::now();
    }
    if (lease_.draining()) {
        reporter_.flush();
        return false;
    }
    if (idle_for_long()) {
        log_("no work for a while, leaving");
        return false;
    }
    if (lease_.gpus().probe_wanted() && !probe()) {
        probe_delay_s_ = std::clamp(2 * probe_delay_s_, kFirstProbeDelay_s, kLongestProbeDelay_s);
        pause(probe_delay_s_);
        return true;
    }
    probe_delay_s_ = 0.0;
    const v1::ClaimResponse claimed = lease_.claim(stages_.compat_key(), [this] {
        return stop_ || lease_.gpus().probe_wanted() || idle_for_long();
    });
    if (claimed.paused() != paused_) {
        if (paused_.empty() != claimed.paused().empty()) {  // not for each byte that comes and goes
            log_(claimed.paused().empty() ? "the server has room again"
                                          : "the server starts nothing: " + claimed.paused());
        }
        paused_ = claimed.paused();
    }
    if (claimed.tasks_size() > 0) {
        work(claimed);
        last_work_ = Clock::now();
        cache_.trim();
    }
    return true;
}

bool Agent::probe() {
    if (options_.device == kNoGpus) {
        lease_.gpus().probed({});
        return true;
    }
    stages_.close_session();  // its ranks hold the GPUs
    v1::ProbeReport found;
    try {
        found = probe_gpus(
            stage_options(), options_.probe_limit, [this] { return stop_.load(); }, log_);
    } catch (const Stopped&) {
        throw;
    } catch (const std::exception& error) {  // also where the result is none
        log_(std::string("not ready: ") + error.what());
        lease_.set_not_ready(error.what());
        return false;
    }
    std::vector<std::string> uuids;
    for (const v1::ProbeReport::Gpu& gpu : found.gpus()) {
        uuids.push_back(gpu.uuid());
    }
    try {
        lease_.set_ready(uuids);
    } catch (const Error& error) {  // perhaps another worker has one of them
        lease_.set_not_ready(error.what());
        throw;
    }
    stages_.use_gpus(!uuids.empty());
    log_(uuids.empty() ? "ready; solves run on the CPU: " + found.reason()
                       : "ready with " + std::to_string(uuids.size()) + " GPUs");
    return true;
}

}  // namespace kaname::agent
