// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/workers.hpp"

#include "server/service/attempts.hpp"
#include "server/service/views.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::service {
namespace {

constexpr std::size_t kMaxReason = 1U << 10U;
constexpr std::size_t kMaxName = 256, kMaxUuid = 96;

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

void Workers::heartbeat(const v1::HeartbeatRequest& request, v1::HeartbeatResponse& reply) {
    const std::vector<store::Held> held = all_held(request.held());
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

}  // namespace kaname::service
