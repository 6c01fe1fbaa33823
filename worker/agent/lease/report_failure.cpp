// SPDX-License-Identifier: BSD-3-Clause
// The reporter and tasks that have failed (docs/decisions/0029-refused-reports.md).
#include "solvers/base/log_line.hpp"
#include "solvers/base/utf8.hpp"
#include "worker/agent/lease/reporter.hpp"

namespace kaname::agent {
namespace {

constexpr std::size_t kMaxMessage = 16U << 10U, kMaxClass = 64;

}  // namespace

void Reporter::fail(const v1::TaskRef& ref, const std::string& error_class,
                    const std::string& message, FailureKind kind) {
    const LogScope about({.task = std::to_string(ref.task_id())});
    const std::string task = "task " + std::to_string(ref.task_id());
    log_(task + " failed: " + error_class + ": " + message);
    v1::FailRequest request;
    request.set_worker_id(worker_id_());
    *request.mutable_ref() = ref;
    request.set_error_class(to_utf8(error_class, kMaxClass));
    request.set_message(to_utf8(message, kMaxMessage));
    request.set_retryable(kind != FailureKind::Final);
    request.set_crashed(kind == FailureKind::Crash);
    const auto refusal_of_report = [&]() -> std::optional<Error> {
        const CallEnd reply =
            calls_.insist([&] { client_.fail(request); }, [&] { return any_wanted({ref}); });
        const bool refused = reply.outcome == CallEnd::Outcome::Refused;
        return refused && reply.refusal->code() != ErrorCode::Aborted ? reply.refusal
                                                                      : std::nullopt;
    };
    if (const auto first = refusal_of_report()) {
        log_(task + ": the server refused to be told of the failure: " + coded_text(*first));
        request.set_error_class(kReportRefused);
        request.set_message("the server refused the report of a failure (" +
                            std::string(to_string(first->code())) + "); the worker's log has it");
        if (const auto second = refusal_of_report()) {
            log_("ERROR: " + task + " ends without a report, the server refused twice: " +
                 coded_text(*second) + "; it takes the task back when heartbeats lack it");
        }
    }
    held_.remove(ref.task_id());
}

void Reporter::refused(const v1::TaskRef& ref, const Error& refusal) {
    if (refusal.code() == ErrorCode::Exhausted) {
        fail(ref, std::string(to_string(refusal.code())),
             std::string("the server has no room for the result: ") + refusal.what(),
             FailureKind::Retryable);
    } else {
        fail(ref, kReportRefused, "the server refused the result: " + coded_text(refusal),
             FailureKind::Retryable);
    }
}

}  // namespace kaname::agent
