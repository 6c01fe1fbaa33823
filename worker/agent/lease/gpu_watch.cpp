// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/lease/gpu_watch.hpp"

#include <algorithm>
#include <utility>

#include "solvers/base/log_line.hpp"
#include "solvers/base/text.hpp"
#include "worker/agent/lease/workers_client.hpp"

namespace kaname::agent {
namespace {

/// Brought about by what a program does (13, 31, 43, 45, 69: engine exceptions, page faults and
/// the clean-up after them), or a repair that went well (63: a row was remapped).
constexpr std::uint32_t kHarmlessXids[] = {13, 31, 43, 45, 63, 69};

v1::GpuStatus to_message(const telemetry::GpuReading& reading) {
    v1::GpuStatus gpu;
    gpu.set_uuid(to_utf8(reading.uuid));
    gpu.set_name(to_utf8(reading.name));
    const auto set = [](const auto& value, auto&& setter) {
        if (value) {
            setter(*value);
        }
    };
    set(reading.utilisation, [&](double value) { gpu.set_utilisation_ratio(value); });
    set(reading.memory_used_bytes, [&](auto value) { gpu.set_memory_used_bytes(value); });
    set(reading.memory_total_bytes, [&](auto value) { gpu.set_memory_total_bytes(value); });
    set(reading.power_w, [&](double value) { gpu.set_power_w(value); });
    set(reading.temperature_c, [&](double value) { gpu.set_temperature_c(value); });
    set(reading.energy_j, [&](double value) { gpu.set_energy_j(value); });
    set(reading.ecc_corrected, [&](auto value) { gpu.set_ecc_corrected(value); });
    set(reading.ecc_uncorrected, [&](auto value) { gpu.set_ecc_uncorrected(value); });
    set(reading.xid_errors, [&](auto value) { gpu.set_xid_errors(value); });
    set(reading.remapped_rows, [&](const telemetry::RemappedRows& rows) {
        gpu.mutable_remapped_rows()->set_corrected(rows.corrected);
        gpu.mutable_remapped_rows()->set_uncorrected(rows.uncorrected);
        gpu.mutable_remapped_rows()->set_pending(rows.pending);
        gpu.mutable_remapped_rows()->set_failed(rows.failed);
    });
    return gpu;
}

}  // namespace

bool blames_hardware(std::uint32_t xid) {
    return std::ranges::find(kHarmlessXids, xid) == std::end(kHarmlessXids);
}

void GpuWatch::probed(std::vector<std::string> uuids) {
    const std::lock_guard lock(mutex_);
    gpus_ = std::move(uuids);
    probe_wanted_ = false;
    counted_.clear();
}

std::vector<std::string> GpuWatch::gpus() const {
    const std::lock_guard lock(mutex_);
    return gpus_;
}

bool GpuWatch::probe_wanted() const {
    const std::lock_guard lock(mutex_);
    return probe_wanted_;
}

void GpuWatch::count(const std::string& gpu, const std::string& reason) {
    probe_wanted_ = true;
    if (!counted_.insert(gpu).second) {
        return;
    }
    v1::GpuFault fault;
    fault.set_fault_id(make_uuid());
    fault.set_gpu_uuid(to_utf8(gpu));
    fault.set_reason(to_utf8(reason, kMaxHeartbeatText));
    pending_[fault.fault_id()] = fault;
}

void GpuWatch::failed(const DeviceFault& fault, const std::string& what,
                      const std::vector<std::int64_t>& tasks) {
    const std::lock_guard lock(mutex_);
    probe_wanted_ = true;
    const std::string gpu = fault.gpu.empty() && gpus_.size() == 1 ? gpus_.front() : fault.gpu;
    if (gpu.empty()) {
        log_("a GPU failed that has no name: " + what);
        return;
    }
    bool is_new = false;
    for (const std::int64_t task : tasks) {
        is_new |= blamed_tasks_.insert(task).second;
    }
    if (is_new || kaname::blames_hardware(fault)) {
        count(gpu, what);
    }
}

void GpuWatch::describe(v1::HeartbeatRequest& request) {
    const std::vector<telemetry::GpuReading> readings =
        readings_ ? readings_() : std::vector<telemetry::GpuReading>();
    const std::lock_guard lock(mutex_);
    for (const telemetry::GpuReading& reading : readings) {
        if (std::ranges::find(gpus_, reading.uuid) == gpus_.end()) {
            continue;  // another worker's
        }
        *request.add_gpus() = to_message(reading);
        for (const std::uint32_t xid : reading.new_xids) {
            log_(reading.uuid + ": XID " + std::to_string(xid));
            if (blames_hardware(xid)) {
                count(reading.uuid, "XID " + std::to_string(xid));
            }
        }
    }
    for (const auto& [id, fault] : pending_) {
        // A server refuses what is said of a GPU that the worker does not have.
        if (std::ranges::find(gpus_, fault.gpu_uuid()) != gpus_.end()) {
            *request.add_faults() = fault;
        }
    }
}

void GpuWatch::told(const v1::HeartbeatRequest& request) {
    const std::lock_guard lock(mutex_);
    for (const v1::GpuFault& fault : request.faults()) {
        pending_.erase(fault.fault_id());
    }
}

}  // namespace kaname::agent
