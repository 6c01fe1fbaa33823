// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/lease/lease.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "solvers/base/files.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/machine.hpp"
#include "solvers/base/text.hpp"
#include "worker/agent/lease/held_tasks.hpp"
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

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxName = 256;
constexpr double kLongestWait_s = 20;  // that a server takes

}  // namespace

Lease::Lease(LeaseOptions options, WorkersClient& client, Log log)
    : options_(std::move(options)),
      client_(client),
      log_(std::move(log)),
      gpus_(options_.gpu_readings, log_),
      not_ready_(options_.not_ready) {
    contact();
    heartbeat_thread_ = std::thread([this] { heartbeats(); });
}

Lease::~Lease() {
    done_ = true;
    wake();
    heartbeat_thread_.join();
}

std::string Lease::worker_id() const {
    const std::lock_guard lock(mutex_);
    return worker_id_;
}

std::chrono::duration<double> Lease::since(const std::atomic<Clock::rep>& when) {
    return Clock::now() - Clock::time_point(Clock::duration(when.load()));
}

v1::RegisterResponse Lease::send_registration(const std::vector<std::string>& gpus) {
    v1::RegisterRequest request;
    request.set_worker_id(worker_id());
    request.set_name(to_utf8(options_.name, kMaxName));
    request.set_host(to_utf8(host_name(), kMaxName));
    request.set_version(options_.version);
    request.set_ranks(options_.ranks);
    request.set_threads(options_.threads);
    for (const std::string& uuid : gpus) {
        request.add_gpu_uuids(to_utf8(uuid));
    }
    v1::RegisterResponse reply = client_.register_worker(request);
    contact();
    return reply;
}

void Lease::register_anew() {
    {
        const std::lock_guard lock(mutex_);
        worker_id_ = make_uuid();
    }
    const v1::RegisterResponse reply = send_registration(gpus_.gpus());
    heartbeat_s_ = reply.heartbeat_s();
    lease_s_ = reply.lease_s();
    registered_ = true;
    wake();
    log_("registered as " + worker_id());
}

void Lease::set_ready(const std::vector<std::string>& gpus) {
    if (gpus != gpus_.gpus()) {
        send_registration(gpus);
    }
    gpus_.probed(gpus);
    set_not_ready("");
}

void Lease::set_not_ready(const std::string& why) {
    const std::lock_guard lock(mutex_);
    not_ready_ = why;
}

v1::ClaimResponse Lease::claim(const std::string& held_compat_key,
                               const std::function<bool()>& unwanted,
                               std::chrono::duration<double> longest) {
    v1::ClaimRequest request;
    request.set_worker_id(worker_id());
    request.set_claim_id(make_uuid());
    request.mutable_pools()->Assign(options_.pools.begin(), options_.pools.end());
    request.set_held_compat_key(held_compat_key);
    request.set_wait_s(std::clamp(longest.count(), 0.0, kLongestWait_s));
    request.set_in_pages(true);
    v1::ClaimResponse reply = claim_patiently(
        request, [&] { return draining_ || !registered_ || (unwanted && unwanted()); });
    if (reply.tasks_size() > 0) {
        fail_point("agent.claimed");
    }
    held_.add(reply);
    if (reply.tasks_size() > 0) {
        wake();
    }
    try {
        add_inputs(request, reply);
    } catch (const Error&) {
        for (const v1::Task& task : reply.tasks()) {
            held_.remove(task.ref().task_id());  // the server takes back what no heartbeat names
        }
        throw;
    }
    return reply;
}

void Lease::add_inputs(v1::ClaimRequest& request, v1::ClaimResponse& reply) {
    while (reply.inputs_size() < reply.n_inputs()) {
        request.set_inputs_from(reply.inputs_size());
        v1::ClaimResponse more = claim_patiently(request, {});
        const bool same = more.tasks_size() > 0 &&
                          more.tasks(0).ref().task_id() == reply.tasks(0).ref().task_id() &&
                          more.tasks(0).ref().fence() == reply.tasks(0).ref().fence();
        if (!same || more.inputs_size() == 0) {
            throw Error(ErrorCode::Aborted,
                        "the server does not go on with the inputs of claim " + request.claim_id());
        }
        for (v1::Input& input : *more.mutable_inputs()) {
            *reply.add_inputs() = std::move(input);
        }
    }
}

v1::ClaimResponse Lease::claim_patiently(v1::ClaimRequest request,
                                         const std::function<bool()>& unwanted) {
    // A lost reply is asked for again: the same claim gets the same answer.
    for (int attempt = 0;; ++attempt) {
        request.set_first_time(attempt == 0 && request.inputs_from() == 0);
        try {
            v1::ClaimResponse reply = client_.claim(request, unwanted);
            contact();
            return reply;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::Unavailable || attempt == 3) {
                throw;
            }
            std::this_thread::sleep_for(200ms);
        }
    }
}

void Lease::bear(const Error& error) {
    switch (error.code()) {
        case ErrorCode::Unavailable:
        case ErrorCode::Unauthenticated:  // also of a server that starts anew
        case ErrorCode::PermissionDenied:
            break;
        case ErrorCode::NotFound:
            registered_ = false;  // the server does not know this worker
            [[fallthrough]];
        default:
            answer();
    }
    trouble_(std::string(to_string(error.code())), "asking again later: " + coded_text(error));
    if (since(last_answer_) > options_.no_server) {
        throw error;
    }
}

void Lease::leave(std::chrono::duration<double> time_limit) {
    v1::ReturnTasksRequest returned;
    returned.set_worker_id(worker_id());
    for (const v1::TaskRef& ref : held_.refs()) {
        *returned.add_refs() = ref;
    }
    if (returned.refs_size() > 0) {
        returned.set_leaving(true);
        returned.set_time_limit_s(time_limit.count());
        try {
            client_.return_tasks(returned);
            log_("gave back " + std::to_string(returned.refs_size()) + " tasks");
        } catch (const Error& error) {
            log_(std::string("could not give back tasks: ") + error.what());
        }
    }
    if (!registered_.exchange(false)) {  // from here on no heartbeat
        return;
    }
    try {
        v1::LeaveRequest request;
        request.set_worker_id(worker_id());
        client_.leave(request);
    } catch (const Error& error) {
        log_(std::string("could not take leave: ") + error.what());
    }
}

// The thread of a lease that keeps it.
namespace {

constexpr std::chrono::seconds kUnregistered{1};

}  // namespace

void Lease::beat() {
    v1::HeartbeatRequest request;
    request.set_worker_id(worker_id());
    held_.describe(request);
    gpus_.describe(request);
    {
        const std::lock_guard lock(mutex_);
        request.set_not_ready(to_utf8(not_ready_, kMaxHeartbeatText));
    }
    const v1::HeartbeatResponse reply = client_.heartbeat(request);
    contact();
    if (!reply.known()) {
        log_("the server has given this worker up");
        held_.drop_all();
        registered_ = false;
        return;
    }
    gpus_.told(request);
    if (reply.cordoned() != cordoned_) {
        cordoned_ = reply.cordoned();
        log_(cordoned_.empty() ? "no longer cordoned" : "cordoned: " + cordoned_);
    }
    if (reply.draining()) {
        draining_ = true;
    }
    for (const std::int64_t id : reply.cancels()) {
        held_.drop(id);
    }
    for (const std::int64_t id : reply.lost()) {
        held_.drop(id);
    }
}

void Lease::heartbeats() {
    Clock::time_point last{};
    while (!done_) {
        // Progress is worth telling more often than the lease asks for, and soon after a claim.
        const std::chrono::duration<double> interval(
            held_.empty() ? heartbeat_s_.load() : std::min(1.0, heartbeat_s_.load()));
        const auto due = last + std::chrono::duration_cast<Clock::duration>(interval);
        if (!registered_ || Clock::now() < due) {
            std::unique_lock lock(waking_);
            if (registered_) {
                woken_.wait_until(lock, due, [this] { return wake_; });
            } else {
                woken_.wait_for(lock, kUnregistered, [this] { return wake_; });
            }
            wake_ = false;
            continue;
        }
        last = Clock::now();
        try {
            beat();
        } catch (const Error& error) {
            trouble_("heartbeat" + std::string(to_string(error.code())),
                     std::string("heartbeat: ") + error.what());
            if (since(last_contact_).count() > lease_s_ && registered_) {
                log_(std::string("no contact for a lease, work is given up: ") + error.what());
                held_.drop_all();
                registered_ = false;
            }
        }
        if (!registered_ || draining_ || gpus_.probe_wanted()) {
            client_.look_again();
        }
    }
}

void Lease::wake() {
    {
        const std::lock_guard lock(waking_);
        wake_ = true;
    }
    woken_.notify_all();
}

}  // namespace kaname::agent
