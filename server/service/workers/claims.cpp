// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/workers/claims.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "server/service/datasets/transfers.hpp"
#include "server/service/jobs/resolved_request.hpp"
#include "server/service/workers/workers.hpp"

namespace kaname::service {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMaxWait_s = 20;
/// A worker that gets nothing because space is short is informed after so long.
constexpr std::chrono::seconds kToldAfter{5};
/// kMostInputs inputs fit into an answer, which gRPC limits to 4 MiB.
constexpr std::size_t kMostInputs = 30000;
/// Packs of one claim that cannot begin because a file is lost; then the worker asks again.
constexpr int kMaxLost = 16;

/// Returns the task that the request of a claimed task plans for its content key. Throws
/// NotFound when the request leads to other keys.
const request::Task& planned_as(const store::ClaimedTask& task, const ResolvedRequest& resolved) {
    const request::Task* found = resolved.find(task.content_key);
    if (found == nullptr) {
        throw Error(ErrorCode::NotFound,
                    "request " + Payload::parse(task.payload).request_sha256 +
                        " leads to other work in this version; submit it again");
    }
    return *found;
}

}  // namespace

std::vector<store::ClaimedTask> Claims::claim_for_somebody(const v1::ClaimRequest& request,
                                                           bool again) {
    const std::vector<std::string> pools(request.pools().begin(), request.pools().end());
    store::ClaimRequest claim{request.worker_id(), pools, request.claim_id(),
                              request.held_compat_key(), ""};
    if (request.inputs_from() > 0) {
        return context_.store.claim(claim);
    }
    const std::vector<std::string> ready = context_.ready.owners(pools);
    if (ready.empty() && (again || request.first_time())) {
        return {};
    }
    claim.running_limits = context_.quotas.running_limits();
    scheduler::FairShare& share = context_.running.share();
    for (const std::string& owner : context_.running.order(ready)) {
        claim.owner = owner;
        claim.oldest_first = share.oldest_next(owner);
        auto tasks = context_.store.claim(claim);
        if (!tasks.empty()) {
            share.claimed(owner);
            return tasks;
        }
    }
    // Also a repeated claim whose tasks are no longer ready, and a sign of life.
    claim.owner.clear();
    claim.oldest_first = false;
    return context_.store.claim(claim);
}

Answers<v1::ClaimResponse> Claims::claim(const v1::ClaimRequest request,
                                         const auth::Principal caller) {
    const std::string worker = context_.bindings.check(caller, request.worker_id());
    check_limits(request);
    if (request.claim_id().empty() || request.pools().empty()) {
        refuse("claim_id", "claim_id and pools must not be empty");
    }
    if (!(request.wait_s() >= 0 && request.wait_s() <= kMaxWait_s)) {
        refuse("wait_s", "must be within 0..20, got " + std::to_string(request.wait_s()));
    }
    if (request.inputs_from() < 0) {
        refuse("inputs_from", "must be at least 0, got " + std::to_string(request.inputs_from()));
    }
    const Page page{static_cast<std::size_t>(request.inputs_from()), !request.in_pages()};
    v1::ClaimRequest asked = request;
    asked.set_worker_id(worker);
    v1::ClaimResponse reply;
    int n_lost = 0;
    bool again = false;
    std::optional<std::uint64_t> seen;
    auto look = ReadyBoard::kNet;
    const auto begun = Clock::now();
    const auto deadline = begun + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(request.wait_s()));
    while (true) {
        throw_if_draining(context_);
        const std::uint64_t version = context_.wakeups.version();
        reply.set_paused(shortage(context_));
        const auto tasks = reply.paused().empty() ? claim_for_somebody(asked, again)
                                                  : std::vector<store::ClaimedTask>{};
        again = true;
        if (!tasks.empty()) {
            reply.Clear();
            if (describe_or_fail(worker, tasks, page, reply) || ++n_lost == kMaxLost) {
                break;
            }
            // A claim with the same id would return the same tasks, so that the next one gets a new
            // id. A repeated claim takes the same ids in turn.
            asked.set_claim_id(request.claim_id() + '/' + std::to_string(n_lost));
            asked.set_first_time(false);
            again = false;
            continue;
        }
        const auto until =
            reply.paused().empty() ? deadline : std::min(deadline, begun + kToldAfter);
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
        if (left.count() <= 0) {
            break;
        }
        // Without a change, what becomes ready was put off: the longer, the later it may be found.
        look = seen == version ? 2 * look : ReadyBoard::kNet;
        seen = version;
        co_yield Pause{version, std::min(left, look)};
    }
    co_yield reply;
}

bool Claims::describe_or_fail(const std::string& worker_id,
                              const std::vector<store::ClaimedTask>& tasks, Page page,
                              v1::ClaimResponse& reply) {
    if (page.from == 0) {
        begin(worker_id, tasks);
    }
    try {
        describe(tasks, page, reply);
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
            end_attempt(context_, worker_id, task.held(), {"failed", "lost"});
        }
    }
    reply.Clear();
    context_.wakeups.notify();
    return false;
}

void Claims::begin(const std::string& worker_id, const std::vector<store::ClaimedTask>& tasks) {
    std::vector<double> waited_s;
    for (const store::ClaimedTask& task : tasks) {
        waited_s.push_back(task.waited_s);
    }
    context_.meters.claimed(
        tasks.front().verb, waited_s,
        tasks.front().compat_key.empty() ? 1 : static_cast<std::size_t>(kSourcesPerPack));
    for (const store::ClaimedTask& task : tasks) {
        context_.running.began(worker_id, task);
        context_.board.begin(worker_id, task.content_key);
        logs_.begin(task.content_key);
    }
}

void Claims::describe(const std::vector<store::ClaimedTask>& tasks, Page page,
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
        const Payload payload = Payload::parse(task.payload);
        message.set_job(payload.job);
        message.set_traceparent(payload.traceparent);
    }
    offer_checkpoints(tasks, reply);
    const store::ClaimedTask& first = tasks.front();
    const std::string request_sha256 = Payload::parse(first.payload).request_sha256;
    reply.set_spec_sha256(request_sha256);
    const auto resolved = requests_.get(request_sha256);
    for (const auto& [field, sha256] : resolved->files) {
        v1::Input& file = *reply.add_files();
        file.set_label(field);
        file.set_sha256(sha256);
        file.set_bytes(static_cast<std::int64_t>(context_.artifacts.size(sha256).value_or(0)));
    }
    const request::Task& stage = planned_as(first, *resolved);
    for (v1::Task& task : *reply.mutable_tasks()) {
        task.set_session(stage.session);
    }
    for (const store::ClaimedTask& task : tasks) {
        if (stage.source) {
            context_.running.is_source(task.held());
        }
    }
    name_inputs(stage, first.missing, *resolved, page, reply);
}

void Claims::name_inputs(const request::Task& stage, const std::vector<std::string>& noted_missing,
                         const ResolvedRequest& resolved, Page page, v1::ClaimResponse& reply) {
    // Inputs that the store noted as missing stay out even if they have arrived since: the
    // completed file is judged by that note.
    const std::set<std::string> missing(noted_missing.begin(), noted_missing.end());
    std::vector<std::string> labels, all = stage.needs;
    std::ranges::copy_if(stage.gathers, std::back_inserter(all),
                         [&](const std::string& key) { return !missing.contains(key); });
    if (page.whole && all.size() > kMostInputs) {
        refuse("in_pages", "must be set for a stage with more than " + std::to_string(kMostInputs) +
                               " inputs, this one has " + std::to_string(all.size()) +
                               "; the worker's version is too old for it");
    }
    reply.set_n_inputs(static_cast<std::int64_t>(all.size()));
    const std::size_t from = std::min(page.from, all.size());
    const std::size_t count =
        std::min(page.whole ? kMostInputs : context_.options.inputs_per_answer, all.size() - from);
    const auto keys = std::span(all).subspan(from, count);
    for (const std::string& key : keys) {
        labels.push_back(resolved.find(key)->label);
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

void Claims::offer_checkpoints(const std::vector<store::ClaimedTask>& tasks,
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

Answers<FilePart> Claims::get_input(const v1::ReadArtifactRequest& request,
                                    const auth::Principal& caller) {
    context_.bindings.check_lives(caller, request.worker_id());
    // Equal hashes are equal bytes: it is read where it lies.
    const bool checkpoint = !context_.artifacts.exists(request.sha256()) &&
                            context_.checkpoints.exists(request.sha256());
    return send(checkpoint ? context_.checkpoints : context_.artifacts, request);
}

store::Held held_of(const v1::TaskRef& ref) {
    return {ref.task_id(), ref.fence()};
}

std::vector<store::Held> all_held(const google::protobuf::RepeatedPtrField<v1::TaskRef>& refs) {
    std::vector<store::Held> held;
    for (const v1::TaskRef& ref : refs) {
        held.push_back(held_of(ref));
    }
    return held;
}

void end_attempt(Context& context, const std::string& worker_id, store::Held task,
                 const AttemptEnd& end) {
    const auto attempt = context.running.attempt_of(worker_id, task);
    if (!attempt) {
        return;
    }
    context.meters.ended(end.outcome, end.reason, attempt->verb, attempt->ran_s, attempt->source);
    if (const auto key = context.running.ended(task)) {
        context.board.forget(*key);
    }
}

}  // namespace kaname::service
