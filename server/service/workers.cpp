// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/workers.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "server/service/transfers.hpp"
#include "server/service/views.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::service {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMaxWait_s = 20;
constexpr std::chrono::milliseconds kPoll{1000};
constexpr std::size_t kMaxMessage = 16U << 10U;
constexpr std::size_t kMaxReason = 1U << 10U;
constexpr std::size_t kMaxClass = 64, kMaxName = 256, kMaxUuid = 96;
/// Packs of one claim that cannot begin because a file is lost; then the worker asks again.
constexpr int kMaxLost = 16;

store::Held held_of(const v1::TaskRef& ref) {
    return {ref.task_id(), ref.fence()};
}

/// UUIDs are keys of the database, and lists of them are joined by commas there.
void check_gpu(const std::string& uuid, const char* field) {
    if (uuid.empty() || uuid.size() > kMaxUuid ||
        uuid.find_first_of(std::string_view(",\0", 2)) != std::string::npos) {
        refuse(field, "must be the UUID of a GPU, 1.." + std::to_string(kMaxUuid) +
                          " characters, got \"" + to_utf8(uuid, kMaxUuid) + '"');
    }
}

std::vector<store::GpuFault> faults_of(const v1::HeartbeatRequest& request) {
    std::vector<store::GpuFault> faults;
    for (const v1::GpuFault& fault : request.faults()) {
        check_gpu(fault.gpu_uuid(), "faults.gpu_uuid");
        faults.push_back({id_of(fault.fault_id(), "faults", "faults.fault_id"), fault.gpu_uuid(),
                          to_utf8(fault.reason(), kMaxReason)});
    }
    return faults;
}

}  // namespace

void Workers::register_worker(const v1::RegisterRequest& request, v1::RegisterResponse& reply) {
    const std::string id = id_of(request.worker_id(), "workers", "worker_id");
    if (request.ranks() < 1 || request.threads() < 1) {
        refuse("ranks", "ranks and threads must be >= 1, got " + std::to_string(request.ranks()) +
                            " and " + std::to_string(request.threads()));
    }
    for (const std::string& gpu : request.gpu_uuids()) {
        check_gpu(gpu, "gpu_uuids");
    }
    context_.store.register_worker({id,
                                    to_utf8(request.name(), kMaxName),
                                    to_utf8(request.host(), kMaxName),
                                    to_utf8(request.version(), kMaxName),
                                    request.ranks(),
                                    request.threads(),
                                    {request.gpu_uuids().begin(), request.gpu_uuids().end()}});
    reply.set_heartbeat_s(context_.options.heartbeat_s);
    reply.set_lease_s(context_.options.lease_s);
}

void Workers::leave(const v1::LeaveRequest& request) {
    context_.store.remove_worker(id_of(request.worker_id(), "workers", "worker_id"));
}

std::vector<store::ClaimedTask> Workers::claim_for_somebody(const v1::ClaimRequest& request) {
    const std::vector<std::string> pools(request.pools().begin(), request.pools().end());
    store::ClaimRequest claim{request.worker_id(), pools, request.claim_id(),
                              request.held_compat_key(), ""};
    for (const std::string& owner : context_.running.order(context_.store.ready_owners(pools))) {
        claim.owner = owner;
        auto tasks = context_.store.claim(claim);
        if (!tasks.empty()) {
            return tasks;
        }
    }
    // Also a repeated claim whose tasks are no longer ready, and a sign of life.
    claim.owner.clear();
    return context_.store.claim(claim);
}

void Workers::claim(const v1::ClaimRequest& request, v1::ClaimResponse& reply,
                    const Cancelled& cancelled) {
    if (request.claim_id().empty() || request.pools().empty()) {
        refuse("claim_id", "claim_id and pools must not be empty");
    }
    if (!(request.wait_s() >= 0 && request.wait_s() <= kMaxWait_s)) {
        refuse("wait_s", "must be within 0..20, got " + std::to_string(request.wait_s()));
    }
    v1::ClaimRequest asked = request;
    int n_lost = 0;
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(request.wait_s()));
    while (!cancelled()) {
        throw_if_draining(context_);
        const std::uint64_t version = context_.wakeups.version();
        const auto tasks = claim_for_somebody(asked);
        if (!tasks.empty()) {
            reply.Clear();
            if (describe_or_fail(request.worker_id(), tasks, reply) || ++n_lost == kMaxLost) {
                return;
            }
            // The same claim is the same tasks; repeated, it takes the same turns.
            asked.set_claim_id(request.claim_id() + '/' + std::to_string(n_lost));
            continue;
        }
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) {
            return;
        }
        context_.wakeups.wait(version, std::min(left, kPoll));
    }
}

bool Workers::describe_or_fail(const std::string& worker_id,
                               const std::vector<store::ClaimedTask>& tasks,
                               v1::ClaimResponse& reply) {
    try {
        describe(worker_id, tasks, reply);
        return true;
    } catch (const Error& error) {
        const bool lost = error.code() == ErrorCode::NotFound ||
                          error.code() == ErrorCode::InvalidArgument ||
                          error.code() == ErrorCode::DataLoss;
        if (!lost) {
            throw;
        }
        const std::string cause = std::string("the stage cannot begin: ") + error.what();
        for (const store::ClaimedTask& task : tasks) {
            logs_.append(task.content_key, "failed: lost: " + cause + '\n');
            (void)context_.store.fail(worker_id, {task.held(), "lost", cause});
            end(task.held());
        }
    }
    reply.Clear();
    context_.wakeups.notify();
    return false;
}

void Workers::describe(const std::string& worker_id, const std::vector<store::ClaimedTask>& tasks,
                       v1::ClaimResponse& reply) {
    for (const store::ClaimedTask& task : tasks) {
        v1::Task& message = *reply.add_tasks();
        message.mutable_ref()->set_task_id(task.task_id);
        message.mutable_ref()->set_fence(task.fence);
        message.set_verb(task.verb);
        message.set_attempt(task.attempt);
        message.set_content_key(task.content_key);
        message.set_compat_key(task.compat_key);
        message.set_label(task.label);
        context_.running.began(worker_id, task);
        context_.board.begin(worker_id, task.content_key);
    }
    offer_checkpoints(tasks, reply);
    const store::ClaimedTask& first = tasks.front();
    reply.set_spec_sha256(first.payload);
    const auto spec = specs_.get(first.payload);
    for (const auto& [field, sha256] : spec->files) {
        v1::Input& file = *reply.add_files();
        file.set_label(field);
        file.set_sha256(sha256);
        file.set_bytes(static_cast<std::int64_t>(context_.artifacts.size(sha256).value_or(0)));
    }
    std::map<std::string, const spec::Task*> planned;
    for (const spec::Task& task : spec->graph.tasks) {
        planned.emplace(task.key, &task);
    }
    if (!planned.contains(first.content_key)) {
        throw Error(ErrorCode::NotFound,
                    "specification " + first.payload +
                        " leads to other work in this version; submit it again");
    }
    const spec::Task& stage = *planned.at(first.content_key);
    for (v1::Task& task : *reply.mutable_tasks()) {
        task.set_session(stage.session);
    }
    // What the store noted as missing stays out, also when it has come since: the file is judged by
    // that note.
    const std::set<std::string> missing(first.missing.begin(), first.missing.end());
    std::vector<std::string> labels, keys = stage.needs;
    std::ranges::copy_if(stage.gathers, std::back_inserter(keys),
                         [&](const std::string& key) { return !missing.contains(key); });
    for (const std::string& key : keys) {
        labels.push_back(planned.at(key)->label);
    }
    const auto found = context_.store.find_artifacts(keys);
    for (std::size_t k = 0; k < keys.size(); ++k) {
        if (!found[k]) {
            throw Error(ErrorCode::NotFound, "the result of " + labels[k] + " is lost (" + keys[k] +
                                                 "); retry the job to compute it again");
        }
        if (!context_.artifacts.exists(found[k]->sha256)) {
            context_.store.forget_artifact(keys[k]);
            throw Error(ErrorCode::NotFound, "the result of " + labels[k] + " is lost, file " +
                                                 found[k]->sha256 +
                                                 "; retry the job to compute it again");
        }
        v1::Input& input = *reply.add_inputs();
        input.set_label(labels[k]);
        input.set_sha256(found[k]->sha256);
        input.set_bytes(found[k]->bytes);
    }
}

void Workers::offer_checkpoints(const std::vector<store::ClaimedTask>& tasks,
                                v1::ClaimResponse& reply) {
    std::vector<std::int64_t> ids;
    for (const store::ClaimedTask& task : tasks) {
        ids.push_back(task.task_id);
    }
    const auto found = context_.store.find_checkpoints(ids);
    for (std::size_t k = 0; k < ids.size(); ++k) {
        // One whose file is lost is no reason to fail: the attempt begins at its first step.
        if (found[k] && context_.checkpoints.exists(found[k]->sha256)) {
            v1::Task& task = *reply.mutable_tasks(static_cast<int>(k));
            task.mutable_checkpoint()->set_label("checkpoint");
            task.mutable_checkpoint()->set_sha256(found[k]->sha256);
            task.mutable_checkpoint()->set_bytes(found[k]->bytes);
            task.set_checkpoint_step(found[k]->step);
        }
    }
}

void Workers::heartbeat(const v1::HeartbeatRequest& request, v1::HeartbeatResponse& reply) {
    std::vector<store::Held> held;
    for (const v1::TaskRef& ref : request.held()) {
        held.push_back(held_of(ref));
    }
    const std::vector<store::GpuFault> faults = faults_of(request);
    const store::HeartbeatReply answer = context_.store.heartbeat(request.worker_id(), held);
    if (answer.known) {
        context_.board.set(request.worker_id(), request);
        context_.gpus.set(request.worker_id(), request);
    }
    reply.set_known(answer.known);
    reply.set_draining(answer.draining);
    reply.set_cordoned(answer.known && !faults.empty()
                           ? context_.store.record_gpu_faults(request.worker_id(), faults)
                           : answer.cordon);
    reply.mutable_cancels()->Assign(answer.cancels.begin(), answer.cancels.end());
    reply.mutable_lost()->Assign(answer.lost.begin(), answer.lost.end());
}

void Workers::end(store::Held task) {
    if (const auto key = context_.running.ended(task)) {
        context_.board.forget(*key);
    }
}

void Workers::complete(const v1::CompleteRequest& request, v1::CompleteResponse& reply) {
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
        end(completions[k].task);
    }
    context_.wakeups.notify();
    if (!any) {
        throw rpc::ReasonedError(ErrorCode::Aborted, rpc::kLeaseLost,
                                 "none of the tasks is this worker's any more");
    }
}

void Workers::fail(const v1::FailRequest& request) {
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
    end(failure.task);
    context_.wakeups.notify();
    if (result == store::LeaseResult::Lost) {
        throw rpc::ReasonedError(
            ErrorCode::Aborted, rpc::kLeaseLost,
            "task " + std::to_string(failure.task.task_id) + " is not this worker's any more");
    }
}

void Workers::return_tasks(const v1::ReturnTasksRequest& request) {
    std::vector<store::Held> held;
    for (const v1::TaskRef& ref : request.refs()) {
        held.push_back(held_of(ref));
        end(held.back());
    }
    if (request.leaving() && !held.empty()) {
        context_.store.drain_worker(request.worker_id(), true);
    }
    const auto results = context_.store.return_tasks(request.worker_id(), held);
    context_.n_returned += std::ranges::count(results, store::LeaseResult::Ok);
    context_.wakeups.notify();
}

void Workers::get_input(const v1::ReadArtifactRequest& request,
                        const Write<v1::ReadArtifactResponse>& write) {
    // Equal hashes are equal bytes: it is read where it lies.
    const bool checkpoint = !context_.artifacts.exists(request.sha256()) &&
                            context_.checkpoints.exists(request.sha256());
    send(checkpoint ? context_.checkpoints : context_.artifacts, request, write);
}

void Workers::get_result_upload(const v1::GetUploadRequest& request, v1::Upload& reply) {
    reply = look_up_upload(context_.artifacts, request);
}

void Workers::get_checkpoint_upload(const v1::GetUploadRequest& request, v1::Upload& reply) {
    reply = look_up_upload(context_.checkpoints, request);
}

void Workers::put_result(const Read<v1::PutRequest>& read, v1::Artifact& reply) {
    reply = receive(context_.artifacts, read);
}

void Workers::put_checkpoint(const Read<v1::PutCheckpointRequest>& read, v1::Artifact& reply) {
    v1::PutCheckpointRequest part;
    if (!read(part) || !part.has_header()) {
        refuse("header", "must be the first message of a checkpoint");
    }
    const v1::PutCheckpointRequest::Header header = part.header();
    std::vector<store::Held> held;
    for (const v1::TaskRef& ref : header.refs()) {
        held.push_back(held_of(ref));
    }
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

void Workers::put_log(const v1::PutLogRequest& request) {
    for (const v1::TaskRef& ref : request.refs()) {
        if (const auto key = context_.running.key_of(request.worker_id(), held_of(ref))) {
            logs_.append(*key, request.data());
        }
    }
}

}  // namespace kaname::service
