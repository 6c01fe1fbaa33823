// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/stages/stages.hpp"

#include <algorithm>
#include <optional>

#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "worker/run/compute_runner.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::agent {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kCancelGrace{10};

}  // namespace

VerbSession::VerbSession(const std::filesystem::path& program,
                         const std::vector<std::string>& arguments, run::Ranks ranks,
                         const run::ResourceLimits& limits, std::chrono::seconds hang,
                         const Callbacks& callbacks, const std::string& traceparent)
    : name_("kaname-compute " + arguments.front()),
      session_(program, arguments, ranks, limits, traceparent),
      watch_(hang) {
    const run::Event event = wait(callbacks);
    if (const auto* failure = std::get_if<run::Failure>(&event)) {
        run::rethrow(*failure);
    }
}

run::Event VerbSession::wait(const Callbacks& callbacks) {
    const auto on_event = [&](const run::Event& event) {
        if (const auto* log = std::get_if<run::Log>(&event)) {
            callbacks.on_log(log->line);
            return;
        }
        watch_.heard();
        if (const auto* progress = std::get_if<run::Progress>(&event)) {
            callbacks.on_progress(*progress);
        } else if (const auto* checkpoint = std::get_if<run::Checkpoint>(&event)) {
            callbacks.on_checkpoint(*checkpoint);
        }
    };
    watch_.restart();
    try {
        const run::Event answer = session_.next(on_event, [&] {
            callbacks.check();
            watch_.check();
        });
        watch_.heard();
        return answer;
    } catch (const run::SessionEnded& error) {
        throw RunFailed("crashed", error.what());
    }
}

std::vector<MadeItem> VerbSession::run(const std::vector<std::string>& ids,
                                       const Callbacks& callbacks, const std::string& traceparent) {
    const std::string id = std::to_string(++n_packs_);
    const auto command = [&](const char* cmd, const std::vector<std::string>& sources) {
        v1::SolveCommand message;
        message.set_cmd(cmd);
        message.set_id(id);
        message.mutable_sources()->Assign(sources.begin(), sources.end());
        message.set_traceparent(traceparent);
        session_.send(report::to_json(message));
    };
    std::optional<Clock::time_point> cancelled_at;
    Callbacks watching = callbacks;
    watching.check = [&] {
        callbacks.check();
        if (!cancelled_at && callbacks.cancelled()) {
            cancelled_at = Clock::now();
            command("cancel", {});
        }
        if (cancelled_at && Clock::now() - *cancelled_at > kCancelGrace) {
            throw RunFailed("cancelled", "a cancelled pack did not end; the session was ended");
        }
    };
    command("pack", ids);
    const run::Event event = wait(watching);
    if (const auto* failure = std::get_if<run::Failure>(&event)) {
        run::rethrow(*failure);
    }
    const auto result = report::parse<v1::PackReport>(std::get<run::Result>(event).json, name_);
    if (result.cancelled()) {
        throw TasksWithdrawn();
    }
    std::vector<MadeItem> items;
    for (const v1::PackReport::Source& source : result.sources()) {
        items.push_back({source.id(), source.file(), source.failed(), source.failure()});
    }
    for (const std::string& wanted : ids) {
        if (std::ranges::find(items, wanted, &MadeItem::id) == items.end()) {
            throw report::BrokenReport(name_ + ": does not say what became of " + wanted);
        }
    }
    return items;
}

StageOutcome run_once(const Pack& pack, const StageOptions& options, const Callbacks& callbacks) {
    const v1::Task& task = pack.first();
    if (pack.claimed.tasks_size() > 1) {
        throw Error(ErrorCode::InvalidArgument, "a task that runs once must be alone, got " +
                                                    std::to_string(pack.claimed.tasks_size()) +
                                                    " of " + task.verb());
    }
    HangWatch watch(options.hang);
    const run::ComputeRunner compute(options.compute, [&] {
        callbacks.check();
        watch.check();
        if (callbacks.cancelled()) {
            throw TasksWithdrawn();
        }
    });
    const std::filesystem::path result = pack.folder / "result";
    run::VerbCall call;
    call.arguments = {task.verb()};
    call.arguments.insert(call.arguments.end(), pack.given.begin(), pack.given.end());
    call.arguments.insert(call.arguments.end(),
                          {"--item", task.label(), "--out", result.string(), "--threads",
                           std::to_string(options.threads * options.ranks.n), "--watch-stdin"});
    call.on_progress = [&](const run::Progress& progress) {
        watch.heard();
        callbacks.on_progress(progress);
    };
    call.on_log = callbacks.on_log;
    call.traceparent = task.traceparent();
    call.limits = limits_of(options, pack, false);
    try {
        const int code = compute.run(call).exit_code;
        return {.ref = task.ref(), .file = result, .partial = code == run::kExitSomeFailed};
    } catch (const Error& error) {
        if (error.code() == ErrorCode::Internal) {
            throw RunFailed("crashed", error.what());  // ended by a signal, or without a word
        }
        throw;
    }
}

namespace fs = std::filesystem;

run::ResourceLimits limits_of(const StageOptions& options, const Pack& pack, bool sessions) {
    const bool gpus = sessions && options.gpus;
    run::ResourceLimits limits;
    limits.memory_bytes = gpus ? 0 : options.memory_bytes;
    limits.confinement = options.confinement;
    if (limits.confinement) {
        std::vector<fs::path>& read = limits.confinement->read;
        read.insert(read.end(), pack.readable.begin(), pack.readable.end());
        std::vector<fs::path>& write = limits.confinement->write;
        write.push_back(pack.folder);
        if (sessions && options.device != "cpu") {
            const std::vector<fs::path> devices = run::gpu_devices();
            write.insert(write.end(), devices.begin(), devices.end());
        }
    }
    return limits;
}

Stages::Stages(StageOptions options, std::function<void()> settle)
    : options_(std::move(options)), settle_(std::move(settle)), checkpoints_(options_.folder) {
    // Tasks of an earlier incarnation are no longer this one's.
    fs::remove_all(options_.folder);
}

Stages::~Stages() = default;

void Stages::run(const v1::ClaimResponse& claimed, Holder& holder, AttemptLog& log,
                 const Deliver& deliver) {
    Pack pack{claimed, holder, log, options_.folder / std::to_string(++n_packs_)};
    struct Removed {
        const fs::path& folder;
        const fs::path& session_folder;
        ~Removed() {
            std::error_code ignored;
            if (folder != session_folder) {
                fs::remove_all(folder, ignored);
            }
        }
    } removed{pack.folder, session_folder_};
    fs::create_directories(pack.folder);
    lay_inputs(pack);
    deliver(pack.first().session()
                ? run_in_session(pack)
                : std::vector<StageOutcome>{run_once(pack, options_, callbacks_of(pack))});
}

Callbacks Stages::callbacks_of(Pack& pack) {
    return {[&pack](const run::Progress& progress) {
                pack.holder.set_progress(progress.fraction, progress.eta_s.value_or(-1.0),
                                         progress.text);
            },
            [&pack](const std::string& line) { pack.log.add(line); },
            [&pack] {
                if (pack.holder.stopping()) {
                    throw Stopped();
                }
                pack.log.send();
            },
            [this, &pack](const run::Checkpoint& written) { checkpoints_.keep(pack, written); },
            [&pack] { return !pack.holder.wanted(); }};
}

void Stages::close_session() {
    session_.reset();
    session_verb_.clear();
    session_key_.clear();
    if (!session_folder_.empty()) {
        settle_();
        std::error_code ignored;
        fs::remove_all(session_folder_, ignored);
        session_folder_.clear();
    }
}

void Stages::open_session(Pack& pack, const Callbacks& callbacks) {
    const std::string& verb = pack.first().verb();
    const std::string& key = pack.first().compat_key();
    if (session_ && session_verb_ == verb && session_key_ == key) {
        return;
    }
    close_session();
    pack.holder.set_progress(0.0, -1.0, "setting up");
    session_folder_ = pack.folder;
    const fs::path results = pack.folder / "results";
    fs::create_directories(results);
    std::vector<std::string> arguments = {verb, "--serve"};
    arguments.insert(arguments.end(), pack.given.begin(), pack.given.end());
    arguments.insert(arguments.end(),
                     {"--work", results.string(), "--threads", std::to_string(options_.threads),
                      "--device", options_.device});
    session_ = std::make_unique<VerbSession>(options_.compute, arguments, options_.ranks,
                                             limits_of(options_, pack, true), options_.hang,
                                             callbacks, pack.first().traceparent());
    session_verb_ = verb;
    session_key_ = key;
}

std::vector<StageOutcome> Stages::run_in_session(Pack& pack) {
    const Callbacks callbacks = callbacks_of(pack);
    std::vector<std::string> ids;
    for (const v1::Task& task : pack.claimed.tasks()) {
        ids.push_back(task.label());
    }
    std::vector<MadeItem> items;
    try {
        open_session(pack, callbacks);
        Checkpoints::offer(pack, session_folder_ / "results");
        items = session_->run(ids, callbacks, pack.first().traceparent());
    } catch (const Stopped&) {
        throw;  // the agent ends, and its session with it
    } catch (const TasksWithdrawn&) {
        throw;  // the session has heard of it and goes on
    } catch (const InputMissing&) {
        throw;
    } catch (const Error& error) {
        if (!session_ || error.code() != ErrorCode::InvalidArgument) {
            close_session();  // the program has ended with it
        }
        throw;
    } catch (...) {
        close_session();
        throw;
    }
    std::vector<StageOutcome> made;
    for (const v1::Task& task : pack.claimed.tasks()) {
        const auto item = std::ranges::find(items, task.label(), &MadeItem::id);
        made.push_back({.ref = task.ref(),
                        .file = item->file,
                        .failed = item->failed,
                        .failure = item->failure});
    }
    return made;
}

v1::ProbeReport probe_gpus(const StageOptions& options, std::chrono::seconds limit,
                           const std::function<bool()>& stop,
                           const std::function<void(const std::string&)>& log) {
    HangWatch watch(limit);
    const run::ComputeRunner compute(options.compute, [&] {
        if (stop()) {
            throw Stopped();
        }
        watch.check();
    });
    run::VerbCall call;
    call.arguments = {"probe", "--device", options.device, "--ranks",
                      std::to_string(options.ranks.n)};
    call.on_log = log;
    return report::parse<v1::ProbeReport>(compute.run(call).json, "kaname-compute probe");
}

}  // namespace kaname::agent
