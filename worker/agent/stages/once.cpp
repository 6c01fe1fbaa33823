// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/stages/once.hpp"

#include "solvers/base/error.hpp"
#include "worker/agent/stages/stages.hpp"
#include "worker/run/compute_runner.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::agent {

Made run_once(const Pack& pack, const StageOptions& options, const Callbacks& callbacks) {
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
            throw Dropped();
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
            throw Broken("crashed", error.what());  // ended by a signal, or without a word
        }
        throw;
    }
}

}  // namespace kaname::agent
