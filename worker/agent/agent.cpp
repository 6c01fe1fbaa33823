// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/agent.hpp"

#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/utf8.hpp"
#include "solvers/base/uuid.hpp"
#include "worker/agent/backoff.hpp"
#include "worker/agent/pack.hpp"

namespace kaname::agent {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxName = 256, kMaxReason = 1U << 10U;
constexpr double kClaimWait_s = 2;  // short, so that a signal is noticed soon

}  // namespace

std::string host_name() {
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
}

Agent::Agent(AgentOptions options, WorkersClient& client, const std::atomic<bool>& stop,
             std::function<void(const std::string&)> log)
    : options_(std::move(options)),
      client_(client),
      stop_(stop),
      log_(std::move(log)),
      cache_(options_.work / "cache", options_.cache_bytes, client),
      reporter_(
          client, cache_, held_, [this] { return worker_id(); }, log_, options_.full_store),
      gpus_(options_.gpu_readings, log_) {
    // Tasks of an earlier incarnation are no longer this one's.
    std::filesystem::remove_all(options_.work / "tasks");
    if (options_.device != "cpu") {
        not_ready_ = "its GPUs are being looked at";
    }
    contact();
    heartbeat_thread_ = std::thread([this] { heartbeats(); });
}

Agent::~Agent() {
    done_ = true;
    heartbeat_thread_.join();
}

std::string Agent::worker_id() const {
    const std::lock_guard lock(mutex_);
    return worker_id_;
}

std::chrono::duration<double> Agent::since(const std::atomic<Clock::rep>& when) {
    return Clock::now() - Clock::time_point(Clock::duration(when.load()));
}

v1::RegisterResponse Agent::send_registration(const std::vector<std::string>& gpus) {
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

void Agent::register_anew() {
    {
        const std::lock_guard lock(mutex_);
        worker_id_ = make_uuid();
    }
    const v1::RegisterResponse reply = send_registration(gpus_.gpus());
    heartbeat_s_ = reply.heartbeat_s();
    lease_s_ = reply.lease_s();
    registered_ = true;
    log_("registered as " + worker_id());
}

void Agent::beat() {
    v1::HeartbeatRequest request;
    request.set_worker_id(worker_id());
    held_.describe(request);
    gpus_.describe(request);
    request.set_not_ready(to_utf8(not_ready(), kMaxReason));
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

void Agent::heartbeats() {
    Clock::time_point last{};
    while (!done_) {
        std::this_thread::sleep_for(100ms);
        // Progress is worth telling more often than the lease asks for, and at once after a claim.
        const double interval_s =
            held_.empty() ? heartbeat_s_.load() : std::min(1.0, heartbeat_s_.load());
        if (!registered_ || Clock::now() - last < std::chrono::duration<double>(interval_s)) {
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
    }
}

v1::ClaimResponse Agent::claim() {
    v1::ClaimRequest request;
    request.set_worker_id(worker_id());
    request.set_claim_id(make_uuid());
    request.mutable_pools()->Assign(options_.pools.begin(), options_.pools.end());
    request.set_held_compat_key(session_key_);
    request.set_wait_s(kClaimWait_s);
    // A lost reply is asked for again: the same claim gets the same answer.
    for (int attempt = 0;; ++attempt) {
        try {
            v1::ClaimResponse reply = client_.claim(request);
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

void Agent::pause(double seconds) const {
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    while (!stop_ && Clock::now() < until) {
        std::this_thread::sleep_for(50ms);
    }
}

void Agent::bear(const Error& error) {
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
    trouble_(std::string(to_string(error.code())), std::string("asking again later: ") +
                                                       std::string(to_string(error.code())) + ": " +
                                                       error.what());
    if (since(last_answer_) > options_.no_server) {
        throw error;
    }
}

void Agent::run() {
    auto last_work = Clock::now();
    double probe_delay_s = 0.2;
    Backoff backoff;
    while (!stop_) {
        try {
            if (!registered_) {
                reporter_.flush();
                close_session();
                register_anew();
                last_work = Clock::now();
            }
            if (draining_) {
                reporter_.flush();
                break;
            }
            const bool is_idle = options_.idle_exit.count() > 0 && held_.empty() &&
                                 Clock::now() - last_work > options_.idle_exit;
            if (is_idle) {
                log_("no work for a while, leaving");
                break;
            }
            if (gpus_.probe_wanted() && !probe()) {
                pause(probe_delay_s);
                probe_delay_s = std::min(60.0, 2 * probe_delay_s);
                continue;
            }
            probe_delay_s = 0.2;
            const v1::ClaimResponse claimed = claim();
            backoff.reset();
            if (claimed.tasks_size() > 0) {
                held_.add(claimed);
                work(claimed);
                last_work = Clock::now();
                cache_.trim();
            }
        } catch (const Stopped&) {
            break;
        } catch (const Error& error) {
            bear(error);
            pause(backoff.next().count());
        }
    }
    if (stop_) {
        reporter_.stop();  // a server that is away must not keep the agent; the tasks go back
    }
    close_session();
    return_held();
    leave();
}

/// Deregisters, so that a worker that ended in order is not taken for a lost one.
void Agent::leave() {
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

void Agent::return_held() {
    reporter_.stop();
    v1::ReturnTasksRequest request;
    request.set_worker_id(worker_id());
    for (const v1::TaskRef& ref : held_.refs()) {
        *request.add_refs() = ref;
    }
    if (request.refs_size() == 0) {
        return;
    }
    request.set_leaving(true);
    try {
        client_.return_tasks(request);
        log_("gave back " + std::to_string(request.refs_size()) + " tasks");
    } catch (const Error& error) {
        log_(std::string("could not give back tasks: ") + error.what());
    }
}

}  // namespace kaname::agent
