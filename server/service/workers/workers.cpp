// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/workers/workers.hpp"

#include <algorithm>
#include <string>

#include "server/service/context.hpp"
#include "server/service/views.hpp"
#include "server/service/workers/claims.hpp"
#include "solvers/base/text.hpp"

namespace kaname::service {
namespace {

std::vector<store::GpuFault> faults_of(const v1::HeartbeatRequest& request) {
    std::vector<store::GpuFault> faults;
    for (const v1::GpuFault& fault : request.faults()) {
        faults.push_back({id_of(fault.fault_id(), "faults", "faults.fault_id"), fault.gpu_uuid(),
                          fault.reason()});
    }
    return faults;
}

}  // namespace

void Workers::register_worker(const v1::RegisterRequest& request, const auth::Principal& caller,
                              v1::RegisterResponse& reply) {
    const std::string id = context_.bindings.check(caller, request.worker_id());
    check_limits(request);
    const store::WorkerBinding binding{caller.token_id,
                                       {request.gpu_uuids().begin(), request.gpu_uuids().end()}};
    context_.store.register_worker({id, to_utf8(request.name()), to_utf8(request.host()),
                                    to_utf8(request.version()), request.ranks(), request.threads(),
                                    binding.gpu_uuids, caller.token_id});
    context_.bindings.registered(id, binding);
    reply.set_heartbeat_s(context_.options.heartbeat_s);
    reply.set_lease_s(context_.options.lease_s);
}

void Workers::leave(const v1::LeaveRequest& request, const auth::Principal& caller) {
    const std::string id = context_.bindings.check(caller, request.worker_id());
    context_.store.remove_worker(id);
    context_.bindings.forget(id);
}

void Workers::keep_own_progress(const std::string& worker_id, v1::HeartbeatRequest& heard) {
    std::vector<store::Held> unknown;
    std::vector<std::string> own;
    for (const v1::TaskProgress& progress : heard.progress()) {
        const auto key = context_.running.key_of(worker_id, held_of(progress.ref()));
        if (key) {
            own.push_back(*key);
        } else if (context_.board.has(worker_id, progress.content_key())) {
            own.push_back(progress.content_key());
        } else {
            unknown.push_back(held_of(progress.ref()));
        }
    }
    if (!unknown.empty()) {  // handed out by a server before this one, or not at all
        std::ranges::move(context_.store.held_keys(worker_id, unknown), std::back_inserter(own));
    }
    const auto foreign = std::ranges::remove_if(
        *heard.mutable_progress(),
        [&](const std::string& key) { return std::ranges::count(own, key) == 0; },
        &v1::TaskProgress::content_key);
    heard.mutable_progress()->erase(foreign.begin(), foreign.end());
}

void Workers::check_gpus(const auth::Principal& caller, const std::string& worker_id,
                         const v1::HeartbeatRequest& heard) {
    const auto check = [&](const std::string& gpu, const char* what) {
        if (!context_.bindings.has_gpu(caller, worker_id, gpu)) {
            throw Refusal("gpus/" + gpu, "worker " + worker_id + " did not register GPU \"" + gpu +
                                             "\" and may not tell its " + what);
        }
    };
    for (const v1::GpuStatus& gpu : heard.gpus()) {
        check(gpu.uuid(), "state");
    }
    for (const v1::GpuFault& fault : heard.faults()) {
        check(fault.gpu_uuid(), "faults");
    }
}

void Workers::heartbeat(const v1::HeartbeatRequest& request, const auth::Principal& caller,
                        v1::HeartbeatResponse& reply) {
    const std::string id = context_.bindings.check(caller, request.worker_id());
    check_limits(request);
    v1::HeartbeatRequest heard = shortened(request);
    const std::vector<store::Held> held = all_held(heard.held());
    const std::vector<store::GpuFault> faults = faults_of(heard);
    const store::HeartbeatReply answer = context_.store.heartbeat(id, held);
    if (answer.known) {
        check_gpus(caller, id, heard);
        keep_own_progress(id, heard);
        context_.board.set(id, heard);
        context_.gpus.set(id, heard);
        context_.gpu_history.note(id, heard.gpus());
    }
    reply.set_known(answer.known);
    reply.set_draining(answer.draining);
    reply.set_cordoned(answer.known && !faults.empty()
                           ? context_.store.record_gpu_faults(id, faults, actor_of(caller))
                           : answer.cordon);
    reply.mutable_cancels()->Assign(answer.cancels.begin(), answer.cancels.end());
    reply.mutable_lost()->Assign(answer.lost.begin(), answer.lost.end());
}

namespace {

constexpr std::size_t kMaxUuid = 96, kMaxKey = 128;
constexpr std::size_t kMaxHeartbeatText = 1U << 10U;
constexpr int kMaxGpus = 64, kMaxPools = 16, kMaxTasks = 4096;

void check_length(const std::string& text, std::size_t limit, const std::string& field) {
    constexpr std::size_t kShown = 32;
    if (text.size() > limit) {
        refuse(field, "must have at most " + std::to_string(limit) + " bytes, got " +
                          std::to_string(text.size()) + ": \"" + to_utf8(text, kShown) + "...\"");
    }
}

void check_count(int count, int limit, const std::string& field) {
    if (count > limit) {
        refuse(field,
               "must be at most " + std::to_string(limit) + ", got " + std::to_string(count));
    }
}

/// UUIDs are keys of the database, and lists of them are joined by commas there.
void check_gpu(const std::string& uuid, const char* field) {
    if (uuid.empty() || uuid.size() > kMaxUuid ||
        uuid.find_first_of(std::string_view(",\0", 2)) != std::string::npos) {
        refuse(field, "must be the UUID of a GPU, 1.." + std::to_string(kMaxUuid) +
                          " characters, got \"" + to_utf8(uuid, kMaxUuid) + '"');
    }
}

}  // namespace

void check_limits(const v1::RegisterRequest& request) {
    if (request.ranks() < 1 || request.threads() < 1) {
        refuse("ranks", "ranks and threads must be >= 1, got " + std::to_string(request.ranks()) +
                            " and " + std::to_string(request.threads()));
    }
    check_length(request.name(), kMaxName, "name");
    check_length(request.host(), kMaxName, "host");
    check_length(request.version(), kMaxName, "version");
    check_count(request.gpu_uuids_size(), kMaxGpus, "gpu_uuids");
    for (const std::string& gpu : request.gpu_uuids()) {
        check_gpu(gpu, "gpu_uuids");
    }
}

void check_limits(const v1::ClaimRequest& request) {
    check_length(request.claim_id(), kMaxKey, "claim_id");
    check_length(request.held_compat_key(), kMaxKey, "held_compat_key");
    check_count(request.pools_size(), kMaxPools, "pools");
    for (const std::string& pool : request.pools()) {
        check_length(pool, kMaxKey, "pools");
    }
}

void check_limits(const v1::HeartbeatRequest& request) {
    check_limits(request.held(), "held");
    check_count(request.progress_size(), kMaxTasks, "progress");
    for (const v1::TaskProgress& progress : request.progress()) {
        check_length(progress.content_key(), kMaxKey, "progress.content_key");
    }
    check_count(request.gpus_size(), kMaxGpus, "gpus");
    for (const v1::GpuStatus& gpu : request.gpus()) {
        check_gpu(gpu.uuid(), "gpus.uuid");
        check_length(gpu.name(), kMaxName, "gpus.name");
    }
    check_count(request.faults_size(), kMaxGpus, "faults");
    for (const v1::GpuFault& fault : request.faults()) {
        check_gpu(fault.gpu_uuid(), "faults.gpu_uuid");
    }
}

void check_limits(const google::protobuf::RepeatedPtrField<v1::TaskRef>& refs, const char* field) {
    check_count(refs.size(), kMaxTasks, field);
}

v1::HeartbeatRequest shortened(const v1::HeartbeatRequest& request) {
    v1::HeartbeatRequest heard = request;
    heard.set_not_ready(to_utf8(request.not_ready(), kMaxHeartbeatText));
    for (v1::TaskProgress& progress : *heard.mutable_progress()) {
        progress.set_text(to_utf8(progress.text(), kMaxHeartbeatText));
    }
    for (v1::GpuFault& fault : *heard.mutable_faults()) {
        fault.set_reason(to_utf8(fault.reason(), kMaxHeartbeatText));
    }
    return heard;
}

}  // namespace kaname::service
