// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/reports.hpp"

#include <algorithm>

#include "server/service/attempts.hpp"
#include "server/service/transfers.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::service {
namespace {

constexpr std::size_t kMaxMessage = 16U << 10U;
constexpr std::size_t kMaxClass = 64;

}  // namespace

void Reports::complete(const v1::CompleteRequest& request, v1::CompleteResponse& reply) {
    std::vector<store::Completion> completions;
    for (const v1::CompleteRequest::Result& result : request.results()) {
        if (!context_.artifacts.exists(result.sha256())) {
            throw Error(ErrorCode::NotReady,
                        "result " + result.sha256() + " must be put before its task completes");
        }
        completions.push_back(
            {held_of(result.ref()), result.sha256(), "", result.bytes(), result.partial()});
    }
    const auto results = context_.store.complete(request.worker_id(), completions);
    bool any = completions.empty();
    for (std::size_t k = 0; k < results.size(); ++k) {
        const bool accepted = results[k] == store::LeaseResult::Ok;
        reply.add_accepted(accepted);
        any = any || accepted;
        context_.n_fenced += accepted ? 0 : 1;
        end_attempt(context_, completions[k].task);
    }
    context_.wakeups.notify();
    if (!any) {
        throw rpc::ReasonedError(ErrorCode::Aborted, rpc::kLeaseLost,
                                 "none of the tasks is this worker's any more");
    }
}

void Reports::fail(const v1::FailRequest& request) {
    store::Failure failure;
    failure.task = held_of(request.ref());
    failure.error_class = to_utf8(request.error_class(), kMaxClass);
    failure.message = to_utf8(request.message(), kMaxMessage);
    failure.retryable = request.retryable();
    failure.crashed = request.crashed();
    if (const auto key = context_.running.key_of(request.worker_id(), failure.task)) {
        logs_.append(*key, "failed: " + failure.error_class + ": " + failure.message +
                               (failure.retryable ? " (may be tried again)\n" : "\n"));
    }
    const auto result = context_.store.fail(request.worker_id(), failure);
    end_attempt(context_, failure.task);
    context_.wakeups.notify();
    if (result == store::LeaseResult::Lost) {
        throw rpc::ReasonedError(
            ErrorCode::Aborted, rpc::kLeaseLost,
            "task " + std::to_string(failure.task.task_id) + " is not this worker's any more");
    }
}

void Reports::return_tasks(const v1::ReturnTasksRequest& request) {
    const std::vector<store::Held> held = all_held(request.refs());
    for (const store::Held& task : held) {
        end_attempt(context_, task);
    }
    if (request.leaving() && !held.empty()) {
        context_.store.drain_worker(request.worker_id(), true);
    }
    const auto results = context_.store.return_tasks(request.worker_id(), held);
    context_.n_returned += std::ranges::count(results, store::LeaseResult::Ok);
    context_.wakeups.notify();
}

void Reports::put_log(const v1::PutLogRequest& request) {
    for (const v1::TaskRef& ref : request.refs()) {
        if (const auto key = context_.running.key_of(request.worker_id(), held_of(ref))) {
            logs_.append(*key, request.data());
        }
    }
}

void Reports::get_result_upload(const v1::GetUploadRequest& request, v1::Upload& reply) {
    reply = look_up_upload(context_.artifacts, request);
}

void Reports::get_checkpoint_upload(const v1::GetUploadRequest& request, v1::Upload& reply) {
    reply = look_up_upload(context_.checkpoints, request);
}

void Reports::put_result(const Read<v1::PutRequest>& read, v1::Artifact& reply) {
    reply = receive(context_.artifacts, read);
}

void Reports::put_checkpoint(const Read<v1::PutCheckpointRequest>& read, v1::Artifact& reply) {
    v1::PutCheckpointRequest part;
    if (!read(part) || !part.has_header()) {
        refuse("header", "must be the first message of a checkpoint");
    }
    const v1::PutCheckpointRequest::Header header = part.header();
    const std::vector<store::Held> held = all_held(header.refs());
    const auto fenced = [&](store::LeaseResult result) {
        if (result == store::LeaseResult::Lost) {
            ++context_.n_fenced;
            throw rpc::ReasonedError(ErrorCode::Aborted, rpc::kLeaseLost,
                                     "none of the tasks is this worker's any more");
        }
    };
    const std::string& sha256 = header.file().sha256();
    (void)context_.checkpoints.exists(sha256);  // refuses what is no hash before it is noted
    fenced(context_.store.begin_checkpoint(header.worker_id(), held, sha256));
    bool first = true;
    reply = receive(context_.checkpoints, [&](v1::PutRequest& next) {
        if (first) {
            *next.mutable_header() = header.file();
            first = false;
            return true;
        }
        if (!read(part)) {
            return false;
        }
        next.set_chunk(part.chunk());
        return true;
    });
    fenced(context_.store.set_checkpoint(header.worker_id(), held,
                                         {sha256, reply.bytes(), header.step()}));
}

}  // namespace kaname::service
