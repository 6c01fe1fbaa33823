// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/work.hpp"

#include <filesystem>

#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/log_line.hpp"
#include "worker/agent/agent.hpp"
#include "worker/agent/stages/watch.hpp"

// One claim from its stage to what the server is told.
namespace kaname::agent {
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
        stages_.run(claimed, holder, log, [&](const std::vector<Made>& made) {
            log.end("done");
            holder.set_progress(1.0, -1.0, "uploading the result");
            report(claimed, made);
        });
    } catch (const Stopped&) {
        log.end("given back: the worker was asked to stop");
        throw;
    } catch (const Dropped&) {
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

void Agent::report(const v1::ClaimResponse& claimed, const std::vector<Made>& made) {
    std::vector<Finished> finished;
    for (const Made& one : made) {
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
    } catch (const Broken& broken) {
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
