// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/agent.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/machine.hpp"
#include "worker/agent/lease/held_tasks.hpp"
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
            throw TasksWithdrawn();
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
    lease_.leave(time_used_up());
}

std::chrono::duration<double> Agent::time_used_up() const {
    const auto now = Clock::now();
    const auto limit = options_.leave_after;
    const bool used_up =
        limit.count() > 0 && now - options_.begun >= limit && now - last_claim_ >= limit / 2;
    return used_up ? limit : std::chrono::duration<double>(0);
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
    // It ends by itself when this agent leaves for want of work: nobody has to look.
    const std::chrono::duration<double> longest =
        options_.idle_exit.count() > 0 ? options_.idle_exit - (Clock::now() - last_work_)
                                       : std::chrono::hours(1);
    const v1::ClaimResponse claimed = lease_.claim(
        stages_.compat_key(), [this] { return stop_ || lease_.gpus().probe_wanted(); }, longest);
    if (claimed.paused() != paused_) {
        if (paused_.empty() != claimed.paused().empty()) {  // not for each byte that comes and goes
            log_(claimed.paused().empty() ? "the server has room again"
                                          : "the server starts nothing: " + claimed.paused());
        }
        paused_ = claimed.paused();
    }
    if (claimed.tasks_size() > 0) {
        last_claim_ = Clock::now();
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

// One claim from its stage to what the server is told.
namespace {

/// "12,13"
std::string texts_of(const std::vector<std::int64_t>& ids) {
    std::string texts;
    for (const std::int64_t id : ids) {
        texts += (texts.empty() ? "" : ",") + std::to_string(id);
    }
    return texts;
}

}  // namespace

void Agent::work(const v1::ClaimResponse& claimed) {
    std::string labels;
    std::vector<std::int64_t> ids;
    for (const v1::Task& task : claimed.tasks()) {
        labels += (labels.empty() ? "" : ", ") + task.label();
        ids.push_back(task.ref().task_id());
    }
    const v1::Task& first = claimed.tasks(0);
    const LogScope about({first.job(), texts_of(ids), first.traceparent()});
    log_("working on " + labels);
    PackHolder holder(claimed, {lease_, client_, cache_, reporter_, stop_, log_});
    AttemptLog log(claimed, options_.name + " on " + host_name(), holder);
    const auto fail_all = [&] {
        const StageFailure failure = describe_failure(std::current_exception());
        log.end("failed");  // the server adds why
        for (const v1::Task& task : claimed.tasks()) {
            reporter_.fail(task.ref(), failure.error_class, failure.message, failure.kind);
        }
    };
    try {
        stages_.run(claimed, holder, log, [&](const std::vector<StageOutcome>& made) {
            log.end("done");
            holder.set_progress(1.0, -1.0, "uploading the result");
            report(claimed, made);
        });
    } catch (const Stopped&) {
        log.end("given back: the worker was asked to stop");
        throw;
    } catch (const TasksWithdrawn&) {
        log_("dropped: " + labels);
        log.end("dropped: cancelled, or another worker's by now");
        for (const std::int64_t id : ids) {
            lease_.held().remove(id);
        }
    } catch (const DeviceError& error) {
        lease_.gpus().failed(error.fault(), error.what(), ids);
        fail_all();
    } catch (const std::exception&) {
        fail_all();
    }
}

void Agent::report(const v1::ClaimResponse& claimed, const std::vector<StageOutcome>& made) {
    std::vector<Finished> finished;
    for (const StageOutcome& one : made) {
        if (one.failed) {
            reporter_.fail(one.ref, "NotConverged", one.failure, FailureKind::Final);
        } else {
            finished.push_back({one.ref, one.file, one.partial});
        }
    }
    reporter_.complete(std::move(finished));
    if (!claimed.tasks(0).session()) {
        reporter_.flush();  // others may wait for it, this worker's next tasks among them
    }
}

namespace {

std::string text_of(const Error& error) {
    const auto* invalid = dynamic_cast<const ValidationError*>(&error);
    return invalid != nullptr && invalid->violations().empty() ? "invalid" : error.what();
}

}  // namespace

StageFailure describe_failure(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const RunFailed& broken) {
        return {broken.error_class, broken.what(), FailureKind::Crash};
    } catch (const DeviceError& error) {
        // Not the tasks' fault where the hardware is to blame; else they may have brought it about.
        return {
            std::string(to_string(error.code())), error.what(),
            kaname::blames_hardware(error.fault()) ? FailureKind::Retryable : FailureKind::Crash};
    } catch (const report::BrokenReport& error) {
        return {"unexpected", error.what(), FailureKind::Retryable};
    } catch (const Error& error) {
        // A server that is away, or a full disk here, is nobody's fault.
        const bool again = is_retryable(error.code()) || error.code() == ErrorCode::Exhausted;
        return {std::string(to_string(error.code())), text_of(error),
                again ? FailureKind::Retryable : FailureKind::Final};
    } catch (const InputMissing& missing) {
        return {"input_missing", missing.what(), FailureKind::Retryable};
    } catch (const std::filesystem::filesystem_error& error) {
        return {"disk", error.what(), FailureKind::Retryable};
    } catch (const std::exception& error) {
        return {"unexpected", error.what(), FailureKind::Retryable};
    }
}

}  // namespace kaname::agent
