// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/worker_limits.hpp"

#include <string>

#include "server/service/context.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::service {
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
