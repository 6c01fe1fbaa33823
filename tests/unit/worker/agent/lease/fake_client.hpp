// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "worker/agent/lease/workers_client.hpp"

namespace kaname::agent {

/// Returns the message as gRPC transmits it; the server refuses one whose strings are not UTF-8.
template <class Message>
Message over_the_wire(const Message& message) {
    Message arrived;
    if (!arrived.ParseFromString(message.SerializeAsString())) {
        throw Error(ErrorCode::Internal, "the message cannot be parsed");
    }
    return arrived;
}

/// A server in memory: hands out the packs that were put in line and records what it is told.
class FakeClient final : public WorkersClient {
public:
    v1::RegisterResponse register_worker(const v1::RegisterRequest& request) override {
        const std::lock_guard lock(mutex);
        if (on_register) {
            on_register(request);
        }
        registered.push_back(over_the_wire(request).worker_id());
        gpus.assign(request.gpu_uuids().begin(), request.gpu_uuids().end());
        v1::RegisterResponse reply;
        reply.set_heartbeat_s(0.2);
        reply.set_lease_s(30);
        return reply;
    }
    void leave(const v1::LeaveRequest& request) override {
        const std::lock_guard lock(mutex);
        left.push_back(request.worker_id());
        held_at_leave = last_beat.held_size();
    }
    v1::ClaimResponse claim(const v1::ClaimRequest& request,
                            const std::function<bool()>& /*unwanted*/) override {
        const std::lock_guard lock(mutex);
        last_claim = over_the_wire(request);
        ++n_claims;
        if (!claim_errors.empty()) {
            const ErrorCode code = claim_errors.front();
            claim_errors.pop_front();
            throw Error(code, "refused");
        }
        if (request.inputs_from() > 0) {
            return page_of(paged, request.inputs_from());
        }
        if (packs.empty()) {
            return {};
        }
        v1::ClaimResponse pack = packs.front();
        packs.pop_front();
        if (page_size > 0) {
            paged = pack;
            return page_of(paged, 0);
        }
        return pack;
    }
    v1::HeartbeatResponse heartbeat(const v1::HeartbeatRequest& request) override {
        const std::lock_guard lock(mutex);
        last_beat = over_the_wire(request);
        faults.insert(faults.end(), request.faults().begin(), request.faults().end());
        if (on_beat) {
            on_beat(request);
        }
        v1::HeartbeatResponse reply;
        reply.set_known(known);
        known = true;
        reply.set_draining(draining);
        for (const std::int64_t id : cancels) {
            reply.add_cancels(id);
        }
        return reply;
    }
    v1::CompleteResponse complete(const v1::CompleteRequest& request) override {
        const std::lock_guard lock(mutex);
        ++n_completions;
        if (on_complete) {
            on_complete(request);
        }
        if (n_refusals > 0) {
            --n_refusals;
            throw Error(ErrorCode::Unavailable, "server is away");
        }
        v1::CompleteResponse reply;
        log_at_end = log;
        for (const auto& result : request.results()) {
            completed.push_back(result);
            reply.add_accepted(true);
        }
        return reply;
    }
    void fail(const v1::FailRequest& request) override {
        const std::lock_guard lock(mutex);
        log_at_end = log;
        if (on_fail) {
            on_fail(request);
        }
        failed.push_back(over_the_wire(request));
    }
    void return_tasks(const v1::ReturnTasksRequest& request) override {
        const std::lock_guard lock(mutex);
        for (const v1::TaskRef& ref : request.refs()) {
            returned.push_back(ref.task_id());
        }
        time_limit_s = request.time_limit_s();
    }
    void put_log(const v1::PutLogRequest& request) override {
        const std::lock_guard lock(mutex);
        if (n_log_refusals > 0) {
            --n_log_refusals;
            throw Error(ErrorCode::Unavailable, "server is away");
        }
        log += request.data();
        longest_log = std::max(longest_log, request.data().size());
    }
    void get_input(const std::string& sha256, const std::filesystem::path& part,
                   bool verify) override {
        const std::lock_guard lock(mutex);
        ++n_fetches;
        if (verify && damaged.contains(sha256)) {
            throw Error(ErrorCode::DataLoss, "damaged on the server's disk");
        }
        if (on_fetch) {
            on_fetch(sha256);
        }
        std::error_code none;
        const auto have = std::filesystem::file_size(part, none);
        std::ofstream(part, std::ios::app) << files.at(sha256).substr(none ? 0 : have);
    }
    void put_result(const StoredFile& stored, const std::filesystem::path& file) override {
        std::ifstream in(file);
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        const std::lock_guard lock(mutex);
        if (on_put) {
            on_put(text);
        }
        files[stored.sha256] = text;
    }

    void put_checkpoint(const v1::PutCheckpointRequest::Header& header,
                        const std::filesystem::path& file) override {
        std::ifstream in(file);
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        const std::lock_guard lock(mutex);
        files[header.file().sha256()] = text;
        checkpoints.push_back(header);
        failed_at_checkpoint = std::max(failed_at_checkpoint, failed.size());
    }

    /// Makes `text` an input; returns its hash.
    std::string add_file(const std::string& text) {
        const std::lock_guard lock(mutex);
        files[sha256_hex(text)] = text;
        return sha256_hex(text);
    }
    template <class Condition>
    bool holds(Condition&& condition) {
        const std::lock_guard lock(mutex);
        return condition();
    }

    /// The answer with the inputs from `from` on, at most page_size.
    [[nodiscard]] v1::ClaimResponse page_of(v1::ClaimResponse pack, std::int64_t from) const {
        pack.set_n_inputs(pack.inputs_size());
        const std::int64_t end = std::min<std::int64_t>(from + page_size, pack.inputs_size());
        google::protobuf::RepeatedPtrField<v1::Input> page(pack.inputs().begin() + from,
                                                           pack.inputs().begin() + end);
        pack.mutable_inputs()->Swap(&page);
        return pack;
    }

    std::mutex mutex;
    std::deque<v1::ClaimResponse> packs;
    int page_size = 0;                   ///< inputs of an answer; 0: all
    v1::ClaimResponse paged;             ///< the last pack, whose inputs come in pages
    std::deque<ErrorCode> claim_errors;  ///< answers of the next claims
    std::map<std::string, std::string> files;
    std::set<std::string> damaged;  ///< that the server finds so when it is asked
    std::vector<std::string> registered, left;
    int held_at_leave = 0;
    std::vector<v1::CompleteRequest::Result> completed;
    std::vector<v1::FailRequest> failed;
    std::vector<v1::PutCheckpointRequest::Header> checkpoints;
    std::size_t failed_at_checkpoint = 0;  ///< tasks that had failed when a checkpoint came
    std::vector<std::int64_t> returned, cancels;
    double time_limit_s = 0;  // of the last return
    v1::HeartbeatRequest last_beat;
    v1::ClaimRequest last_claim;
    std::string log, log_at_end;  ///< log_at_end: the log when a task last completed or failed
    std::size_t longest_log = 0;  ///< bytes of the longest put_log()
    int n_log_refusals = 0;
    bool known = true, draining = false;
    int n_fetches = 0, n_refusals = 0, n_claims = 0, n_completions = 0;
    std::vector<std::string> gpus;  ///< GPUs of the last registration
    std::vector<v1::GpuFault> faults;
    std::function<void(const v1::HeartbeatRequest&)> on_beat;
    std::function<void(const v1::RegisterRequest&)> on_register;
    // Called before the call counts; what they throw is its answer.
    std::function<void(const v1::CompleteRequest&)> on_complete;
    std::function<void(const v1::FailRequest&)> on_fail;
    std::function<void(const std::string& result)> on_put;
    std::function<void(const std::string& sha256)> on_fetch;
};

inline v1::Task task_of(std::int64_t id, const std::string& verb, const std::string& label,
                        bool session) {
    v1::Task task;
    task.mutable_ref()->set_task_id(id);
    task.mutable_ref()->set_fence(1);
    task.set_verb(verb);
    task.set_session(session);
    task.set_label(label);
    task.set_content_key("key of " + label);
    task.set_compat_key(session ? "m" : "");
    return task;
}

}  // namespace kaname::agent
