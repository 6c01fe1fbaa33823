// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/workers.hpp"

#include <algorithm>

#include "server/service/attempts.hpp"
#include "server/service/views.hpp"
#include "server/service/worker_limits.hpp"
#include "solvers/base/utf8.hpp"

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

}  // namespace kaname::service
