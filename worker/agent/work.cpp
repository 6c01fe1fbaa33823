// SPDX-License-Identifier: BSD-3-Clause
// The agent's work: one pack from claim to result.
#include <algorithm>
#include <cstdio>
#include <thread>

#include "proto/report/report.hpp"
#include "proto/spec/files.hpp"
#include "proto/spec/load.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/utc_now.hpp"
#include "solvers/base/utf8.hpp"
#include "worker/agent/backoff.hpp"
#include "worker/agent/pack.hpp"
#include "worker/run/compute_runner.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::agent {
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLogPiece = 256U << 10U;
constexpr int kFetchAttempts = 10;           // half a minute
constexpr std::size_t kLogKept = 1U << 20U;  // while the server is away
constexpr int kLogAttempts = 10;  // 0.2 s apart: a server that is gone for longer loses the lines

std::string text_of(const Error& error) {
    const auto* invalid = dynamic_cast<const ValidationError*>(&error);
    return invalid != nullptr && invalid->violations().empty() ? "invalid" : error.what();
}

}  // namespace

void Agent::work(const v1::ClaimResponse& claimed) {
    Pack pack;
    pack.claimed = claimed;
    pack.tasks.assign(claimed.tasks().begin(), claimed.tasks().end());
    pack.folder = options_.work / "tasks" / std::to_string(++n_tasks_);
    std::string labels;
    for (const v1::Task& task : pack.tasks) {
        labels += (labels.empty() ? "" : ", ") + task.label();
    }
    log_("working on " + labels);
    log_begin(pack);
    try {
        fs::create_directories(pack.folder);
        prepare(pack);
        switch (pack.tasks.front().kind()) {
            case v1::Item::MESH:
                make_mesh(pack);
                break;
            case v1::Item::PACKAGE:
                make_package(pack);
                break;
            default:
                solve(pack);
        }
    } catch (const Stopped&) {
        log_end(pack, "given back: the worker was asked to stop");
        throw;
    } catch (const Dropped&) {
        log_("dropped: " + labels);
        log_end(pack, "dropped: cancelled, or another worker's by now");
        for (const v1::Task& task : pack.tasks) {
            held_.remove(task.ref().task_id());
        }
    } catch (const Broken& broken) {
        close_session();
        fail_all(pack, broken.error_class, broken.what(), FailureKind::Crash);
    } catch (const DeviceError& error) {
        close_session();
        std::vector<std::int64_t> tasks;
        for (const v1::Task& task : pack.tasks) {
            tasks.push_back(task.ref().task_id());
        }
        gpus_.failed(error.fault(), error.what(), tasks);
        // Not the tasks' fault where the hardware is to blame; else they may have brought it about.
        fail_all(
            pack, std::string(to_string(error.code())), error.what(),
            kaname::blames_hardware(error.fault()) ? FailureKind::Retryable : FailureKind::Crash);
    } catch (const report::BrokenReport& error) {
        close_session();
        fail_all(pack, "unexpected", error.what(), FailureKind::Retryable);
    } catch (const Error& error) {
        // A server that is away, or a full disk here, is nobody's fault.
        const bool again = is_retryable(error.code()) || error.code() == ErrorCode::Exhausted;
        fail_all(pack, std::string(to_string(error.code())), text_of(error),
                 again ? FailureKind::Retryable : FailureKind::Final);
    } catch (const InputMissing& missing) {
        fail_all(pack, "input_missing", missing.what(), FailureKind::Retryable);
    } catch (const fs::filesystem_error& error) {
        fail_all(pack, "disk", error.what(), FailureKind::Retryable);
    } catch (const std::exception& error) {
        close_session();
        fail_all(pack, "unexpected", error.what(), FailureKind::Retryable);
    }
    if (pack.folder != session_folder_) {
        std::error_code ignored;
        fs::remove_all(pack.folder, ignored);
    }
}

void Agent::fail_all(Pack& pack, const std::string& error_class, const std::string& message,
                     FailureKind kind) {
    log_end(pack, "failed");  // the server adds why
    for (const v1::Task& task : pack.tasks) {
        reporter_.fail(task.ref(), error_class, message, kind);
    }
}

fs::path Agent::fetch(const Pack& pack, const std::string& label, const std::string& sha256) {
    Backoff backoff;
    for (int attempt = 1;; ++attempt) {
        try {
            return cache_.get(sha256);
        } catch (const Error& error) {
            if (!is_retryable(error.code()) || attempt == kFetchAttempts) {
                throw InputMissing("input " + label + " (" + sha256 +
                                   ") cannot be had from the server: " +
                                   std::string(to_string(error.code())) + ": " + error.what());
            }
        }
        pause(backoff.next().count());
        if (stop_) {
            throw Stopped();
        }
        if (held_.all_dropped(pack.tasks)) {
            throw Dropped();
        }
    }
}

void Agent::prepare(Pack& pack) {
    const std::string& sha256 = pack.claimed.spec_sha256();
    v1::GreensBatch batch = spec::parse_json(read_file_if_any(fetch(pack, "specification", sha256)),
                                             "specification " + sha256);
    spec::for_each_file(batch, [&](v1::File& file, const std::string& field) {
        file.set_path(fetch(pack, field, file.sha256()).string());
    });
    for (const v1::Input& input : pack.claimed.inputs()) {
        pack.inputs[input.label()] = fetch(pack, input.label(), input.sha256());
    }
    if (pack.tasks.front().kind() != v1::Item::MESH && !pack.inputs.contains("mesh")) {
        throw InputMissing("input mesh: the server has none");
    }
    pack.spec = pack.folder / "spec.json";
    write_file(pack.spec, spec::to_json(batch));
}

SessionCallbacks Agent::callbacks_of(Pack& pack) {
    return {[this, &pack](const run::Progress& progress) {
                held_.set_progress(pack.tasks, progress.fraction, progress.eta_s.value_or(-1.0),
                                   progress.text);
            },
            [&pack](const std::string& line) { pack.log += to_utf8(line) + "\n"; },
            [this, &pack] {
                if (stop_) {
                    throw Stopped();
                }
                send_log(pack, false);
            },
            [this, &pack](const run::Checkpoint& written) { keep_checkpoint(pack, written); },
            [this, &pack] { return held_.all_dropped(pack.tasks); }};
}

void Agent::log_begin(Pack& pack) const {
    // Tasks of one pack may have been tried before, each on its own.
    std::map<int, std::string> labels_of;
    for (const v1::Task& task : pack.tasks) {
        std::string& labels = labels_of[task.attempt()];
        labels += (labels.empty() ? "" : ", ") + task.label();
    }
    for (const auto& [attempt, labels] : labels_of) {
        pack.log += "== attempt " + std::to_string(attempt) + " of " + labels + ", worker " +
                    options_.name + " on " + host_name() + ", " + utc_now() + "\n";
    }
}

/// Before the server is told of the end: a log is read to its end and taken for complete then.
void Agent::log_end(Pack& pack, const std::string& how) {
    char took[64];
    std::snprintf(took, sizeof took, " after %.1f s, ",
                  std::chrono::duration<double>(Clock::now() - pack.begun).count());
    pack.log += "== " + how + took + utc_now() + "\n";
    send_log(pack, true);
}

/// What is left after the computation.
void Agent::uploading(Pack& pack) {
    log_end(pack, "done");
    held_.set_progress(pack.tasks, 1.0, -1.0, "uploading the result");
}

void Agent::send_log(Pack& pack, bool now) {
    if (!now && Clock::now() - pack.log_sent < 1s) {
        return;
    }
    int attempts = now ? kLogAttempts : 1;
    while (!pack.log.empty()) {
        v1::PutLogRequest request;
        request.set_worker_id(worker_id());
        for (const v1::Task& task : pack.tasks) {
            *request.add_refs() = task.ref();
        }
        request.set_data(pack.log.substr(0, kLogPiece));
        pack.log_sent = Clock::now();
        try {
            client_.put_log(request);
            pack.log.erase(0, request.data().size());
        } catch (const Error& error) {
            if (error.code() != ErrorCode::Unavailable) {
                pack.log.clear();  // the tasks are somebody else's, or nothing the server takes
                return;
            }
            if (--attempts <= 0 || stop_) {
                pack.log.erase(0, pack.log.size() - std::min(pack.log.size(), kLogKept));
                return;
            }
            std::this_thread::sleep_for(200ms);
        }
    }
}

void Agent::run_verb(Pack& pack, std::vector<std::string> arguments, int* exit_code) {
    const SessionCallbacks callbacks = callbacks_of(pack);
    HangWatch watch(options_.hang);
    const run::ComputeRunner compute(options_.compute, [&] {
        callbacks.check();
        watch.check();
        if (callbacks.cancelled()) {
            throw Dropped();
        }
    });
    arguments.insert(
        arguments.end(),
        {"--threads", std::to_string(options_.threads * options_.ranks), "--watch-stdin"});
    run::VerbCall call;
    call.arguments = std::move(arguments);
    call.on_progress = [&](const run::Progress& progress) {
        watch.heard();
        callbacks.on_progress(progress);
    };
    call.on_log = callbacks.on_log;
    try {
        *exit_code = compute.run(call).exit_code;
    } catch (const Error& error) {
        if (error.code() == ErrorCode::Internal) {
            throw Broken("crashed", error.what());  // ended by a signal, or without a word
        }
        throw;
    }
}

void Agent::make_mesh(Pack& pack) {
    const fs::path mesh = pack.folder / "mesh.h5";
    int code = 0;
    run_verb(pack, {"mesh", "--spec", pack.spec.string(), "--mesh", mesh.string()}, &code);
    uploading(pack);
    reporter_.complete({{pack.tasks.front().ref(), mesh, false}});
    reporter_.flush();  // nothing else can begin before it is there
}

void Agent::make_package(Pack& pack) {
    std::string list;
    for (const auto& [label, path] : pack.inputs) {
        if (label != "mesh") {
            list += label + "\t" + path.string() + "\n";
        }
    }
    write_file(pack.folder / "sources", list);
    const fs::path dataset = pack.folder / "greens.h5";
    int code = 0;
    run_verb(pack,
             {"package", "--spec", pack.spec.string(), "--mesh", pack.inputs.at("mesh").string(),
              "--sources", (pack.folder / "sources").string(), "--out", dataset.string()},
             &code);
    uploading(pack);
    reporter_.complete({{pack.tasks.front().ref(), dataset, code == run::kExitSomeFailed}});
    reporter_.flush();
}

void Agent::close_session() {
    session_.reset();
    session_key_.clear();
    if (!session_folder_.empty()) {
        reporter_.flush();  // its results may not have been uploaded yet
        std::error_code ignored;
        fs::remove_all(session_folder_, ignored);
        session_folder_.clear();
    }
}

void Agent::open_session(Pack& pack, const SessionCallbacks& callbacks) {
    const std::string& key = pack.tasks.front().compat_key();
    if (session_ && session_key_ == key) {
        return;
    }
    close_session();
    held_.set_progress(pack.tasks, 0.0, -1.0, "setting up");
    session_folder_ = pack.folder;
    const fs::path results = pack.folder / "results";
    fs::create_directories(results);
    session_ = std::make_unique<SolveSession>(
        options_.compute,
        std::vector<std::string>{"solve", "--serve", "--spec", pack.spec.string(), "--mesh",
                                 pack.inputs.at("mesh").string(), "--work", results.string(),
                                 "--threads", std::to_string(options_.threads), "--device",
                                 options_.device},
        options_.ranks, options_.hang, callbacks);
    session_key_ = key;
}

/// Passes on what kaname-compute wrote; its next one takes the name, not the file.
void Agent::keep_checkpoint(Pack& pack, const run::Checkpoint& written) {
    const fs::path file =
        options_.work / "tasks" / ("checkpoint_" + std::to_string(++n_checkpoints_) + ".h5");
    std::error_code failed;
    fs::remove(file, failed);
    fs::create_hard_link(written.file, file, failed);
    if (failed) {
        const std::string what = "checkpoint not kept: " + written.file + ": " + failed.message();
        log_(what);
        pack.log += what + "\n";
        return;
    }
    CheckpointFile checkpoint{{}, file, written.step};
    for (const v1::Task& task : pack.tasks) {
        checkpoint.refs.push_back(task.ref());
    }
    reporter_.checkpoint(std::move(checkpoint));
}

/// Lays what an earlier attempt left where kaname-compute looks for it.
void Agent::offer_checkpoint(Pack& pack) {
    const std::string& sha256 = pack.tasks.front().checkpoint().sha256();
    const bool of_all = std::ranges::all_of(
        pack.tasks, [&](const v1::Task& task) { return task.checkpoint().sha256() == sha256; });
    const fs::path place = session_folder_ / "results" / "checkpoint.h5";
    fs::remove(place);
    if (sha256.empty() || !of_all) {
        return;
    }
    const auto said = [&](const std::string& what) {
        log_(what);
        pack.log += what + "\n";
    };
    try {
        fs::create_hard_link(cache_.get(sha256), place);
        said("going on after step " + std::to_string(pack.tasks.front().checkpoint_step()));
    } catch (const Error& error) {
        if (is_retryable(error.code())) {
            throw;
        }
        said(std::string("checkpoint not there: ") + error.what());
    } catch (const std::exception& error) {  // the solve then begins at the first step
        said(std::string("checkpoint not there: ") + error.what());
    }
}

void Agent::solve(Pack& pack) {
    const SessionCallbacks callbacks = callbacks_of(pack);
    std::vector<std::string> ids;
    for (const v1::Task& task : pack.tasks) {
        ids.push_back(task.label());
    }
    open_session(pack, callbacks);
    offer_checkpoint(pack);
    std::vector<Finished> finished;
    std::vector<SolvedSource> sources;
    try {
        sources = session_->solve(ids, callbacks);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidArgument) {
            close_session();  // the program has ended with it
        }
        throw;
    }
    uploading(pack);
    for (const SolvedSource& source : sources) {
        const auto task = std::ranges::find(pack.tasks, source.id, &v1::Task::label);
        if (task == pack.tasks.end()) {
            continue;
        }
        if (source.failed) {
            reporter_.fail(task->ref(), "NotConverged", source.failure, FailureKind::Final);
        } else {
            finished.push_back({task->ref(), source.file, false});
        }
    }
    reporter_.complete(std::move(finished));
}

}  // namespace kaname::agent
