// SPDX-License-Identifier: BSD-3-Clause
// The thread of a lease that keeps it.
#include <algorithm>

#include "solvers/base/utf8.hpp"
#include "worker/agent/lease/lease.hpp"

namespace kaname::agent {
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
