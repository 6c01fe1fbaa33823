// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/workers/reports.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "server/artifacts/artifact_store.hpp"
#include "server/service/datasets/transfers.hpp"
#include "server/service/jobs/resolved_request.hpp"
#include "server/service/workers/claims.hpp"
#include "server/service/workers/workers.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/text.hpp"

namespace kaname::service {
namespace {

constexpr std::size_t kMaxMessage = 16U << 10U;
constexpr std::size_t kMaxClass = 64;
constexpr double kLongestLimit_s = 1e9;

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

[[noreturn]] void throw_lease_lost() {
    throw rpc::ReasonedError(ErrorCode::Aborted, rpc::kLeaseLost,
                             "none of the tasks is this worker's any more");
}

}  // namespace

v1::Artifact Reports::compare(const v1::PutRequest::Header& header,
                              const Read<v1::PutRequest>& read) {
    if (header.offset() != 0) {  // it came while this worker was at it
        throw Error(ErrorCode::Unavailable, "result " + header.sha256() +
                                                " was put by another worker meanwhile: put it "
                                                "from its beginning");
    }
    Sha256 hash;
    std::int64_t bytes = 0;
    v1::PutRequest part;
    while (read(part)) {
        if (!part.has_chunk()) {
            refuse("chunk", "must follow the header");
        }
        hash.update(part.chunk());
        bytes += static_cast<std::int64_t>(part.chunk().size());
        if (bytes > header.bytes()) {
            break;
        }
    }
    if (bytes != header.bytes() || hash.hex() != header.sha256()) {
        refuse("header", "must name the bytes that follow: " + std::to_string(header.bytes()) +
                             " with sha256 " + header.sha256() + ", got " + std::to_string(bytes) +
                             " with " + hash.hex());
    }
    v1::Artifact artifact;
    artifact.set_sha256(header.sha256());
    artifact.set_bytes(bytes);
    return artifact;
}

std::vector<std::string> Reports::keys_of(const std::string& worker_id,
                                          std::span<const store::Held> tasks) {
    std::vector<std::string> keys;
    std::vector<store::Held> unknown;
    for (const store::Held& task : tasks) {
        if (const auto key = context_.running.key_of(worker_id, task)) {
            keys.push_back(*key);
        } else {
            unknown.push_back(task);
        }
    }
    if (!unknown.empty()) {  // handed out by a server before this one, or not at all
        std::ranges::move(context_.store.held_keys(worker_id, unknown), std::back_inserter(keys));
    }
    return keys;
}

void Reports::complete(const v1::CompleteRequest& request, const auth::Principal& caller,
                       v1::CompleteResponse& reply) {
    const std::string worker = context_.bindings.check(caller, request.worker_id());
    std::vector<store::Completion> completions;
    for (const v1::CompleteRequest::Result& result : request.results()) {
        const auto size = context_.artifacts.size(result.sha256());
        if (!size || !context_.bindings.has_put(caller, result.sha256())) {
            throw Error(ErrorCode::NotReady, "result " + result.sha256() +
                                                 " must be put by this worker before its task "
                                                 "completes");
        }
        const auto bytes = static_cast<std::int64_t>(*size);
        if (result.bytes() != bytes) {
            refuse("results.bytes", "must be the size of the file that was put, " +
                                        std::to_string(bytes) + ", got " +
                                        std::to_string(result.bytes()));
        }
        completions.push_back(
            {held_of(result.ref()), result.sha256(), "", bytes, result.partial()});
    }
    const auto results = context_.store.complete(worker, completions);
    bool any = completions.empty();
    for (std::size_t k = 0; k < results.size(); ++k) {
        const bool accepted = results[k] == store::LeaseResult::Ok;
        reply.add_accepted(accepted);
        any = any || accepted;
        context_.n_fenced += accepted ? 0 : 1;
        end_attempt(context_, worker, completions[k].task, {accepted ? "done" : "fenced"});
    }
    context_.wakeups.notify();
    if (!any) {
        throw_lease_lost();
    }
}

void Reports::fail(const v1::FailRequest& request, const auth::Principal& caller) {
    const std::string worker = context_.bindings.check(caller, request.worker_id());
    store::Failure failure;
    failure.task = held_of(request.ref());
    failure.error_class = to_utf8(request.error_class(), kMaxClass);
    failure.message = to_utf8(request.message(), kMaxMessage);
    failure.retryable = request.retryable();
    failure.crashed = request.crashed();
    for (const std::string& key : keys_of(worker, {&failure.task, 1})) {
        logs_.append(key, "failed: " + failure.error_class + ": " + failure.message +
                              (failure.retryable ? " (may be tried again)\n" : "\n"));
    }
    const auto attempt = context_.running.attempt_of(worker, failure.task);
    const auto result = context_.store.fail(worker, failure);
    end_attempt(context_, worker, failure.task,
                {result == store::LeaseResult::Ok ? "failed" : "fenced", failure.error_class});
    if (attempt) {
        const Payload payload = Payload::parse(attempt->payload);
        const LogScope about(
            {payload.job, std::to_string(failure.task.task_id), payload.traceparent});
        context_.failures(failure.error_class, "task " + std::to_string(failure.task.task_id) +
                                                   " failed: " + failure.error_class + ": " +
                                                   first_line(failure.message));
    }
    context_.wakeups.notify();
    if (result == store::LeaseResult::Lost) {
        throw rpc::ReasonedError(
            ErrorCode::Aborted, rpc::kLeaseLost,
            "task " + std::to_string(failure.task.task_id) + " is not this worker's any more");
    }
}

void Reports::return_tasks(const v1::ReturnTasksRequest& request, const auth::Principal& caller) {
    const std::string worker = context_.bindings.check(caller, request.worker_id());
    check_limits(request.refs(), "refs");
    if (!(request.time_limit_s() >= 0 && request.time_limit_s() <= kLongestLimit_s)) {
        refuse("time_limit_s",
               "must be within 0..1e9, got " + std::to_string(request.time_limit_s()));
    }
    const std::vector<store::Held> held = all_held(request.refs());
    for (const store::Held& task : held) {
        end_attempt(context_, worker, task, {"returned"});
    }
    if (request.leaving() && !held.empty()) {
        context_.store.drain_worker(worker, true);
    }
    const auto results = context_.store.return_tasks(worker, held, request.time_limit_s());
    context_.n_returned += std::ranges::count(results, store::LeaseResult::Ok);
    context_.wakeups.notify();
    if (!held.empty() && std::ranges::count(results, store::LeaseResult::Ok) == 0) {
        throw_lease_lost();
    }
}

void Reports::put_log(const v1::PutLogRequest& request, const auth::Principal& caller) {
    const std::string worker = context_.bindings.check(caller, request.worker_id());
    check_limits(request.refs(), "refs");
    const std::vector<std::string> keys = keys_of(worker, all_held(request.refs()));
    if (keys.empty()) {
        throw_lease_lost();
    }
    for (const std::string& key : keys) {
        logs_.append(key, request.data());
    }
}

void Reports::get_result_upload(const v1::GetUploadRequest& request, const auth::Principal& caller,
                                v1::Upload& reply) {
    context_.bindings.check_sender(caller, request.worker_id());
    reply = look_up_upload(context_.artifacts, request);
    if (reply.complete() && !context_.bindings.has_put(caller, request.sha256())) {
        reply.Clear();
    }
}

void Reports::get_checkpoint_upload(const v1::GetUploadRequest& request,
                                    const auth::Principal& caller, v1::Upload& reply) {
    context_.bindings.check_sender(caller, request.worker_id());
    reply = look_up_upload(context_.checkpoints, request);
    if (reply.complete() && !context_.bindings.has_put(caller, request.sha256())) {
        reply.Clear();
    }
}

void Reports::put_result(const Read<v1::PutRequest>& read, const auth::Principal& caller,
                         v1::Artifact& reply) {
    v1::PutRequest part;
    if (!read(part) || !part.has_header()) {
        refuse("header", "must be the first message of an upload");
    }
    const v1::PutRequest::Header header = part.header();
    context_.bindings.check_sender(caller, header.worker_id());
    if (context_.artifacts.exists(header.sha256()) &&
        !context_.bindings.has_put(caller, header.sha256())) {
        reply = compare(header, read);
    } else {
        bool first = true;
        reply = receive(context_.artifacts, [&](v1::PutRequest& next) {
            if (std::exchange(first, false)) {
                next = part;
                return true;
            }
            return read(next);
        });
    }
    context_.bindings.put_result(caller, header.sha256());
    // From here on nothing removes it; until here somebody may have, who did not know of this.
    if (!context_.artifacts.exists(header.sha256())) {
        throw Error(ErrorCode::Unavailable,
                    "result " + header.sha256() + " was removed meanwhile: put it again");
    }
}

void Reports::put_results(const Read<v1::PutRequest>& read, const auth::Principal& caller,
                          v1::PutResultsResponse& reply) {
    ResultBatch batch(context_, caller);
    v1::PutRequest part;
    while (read(part)) {
        batch.take(part);
    }
    batch.commit(reply);
}

void Reports::put_checkpoint(const Read<v1::PutCheckpointRequest>& read,
                             const auth::Principal& caller, v1::Artifact& reply) {
    v1::PutCheckpointRequest part;
    if (!read(part) || !part.has_header()) {
        refuse("header", "must be the first message of a checkpoint");
    }
    const v1::PutCheckpointRequest::Header header = part.header();
    const std::string worker = context_.bindings.check(caller, header.worker_id());
    check_limits(header.refs(), "header.refs");
    const std::vector<store::Held> held = all_held(header.refs());
    const auto fenced = [&](store::LeaseResult result) {
        if (result == store::LeaseResult::Lost) {
            ++context_.n_fenced;
            throw_lease_lost();
        }
    };
    const std::string& sha256 = header.file().sha256();
    (void)context_.checkpoints.exists(sha256);  // refuses what is no hash before it is noted
    fenced(context_.store.begin_checkpoint(worker, held, sha256));
    const auto read_chunk = [&](v1::PutRequest& next) {
        if (!read(part)) {
            return false;
        }
        next.set_chunk(part.chunk());
        return true;
    };
    if (context_.checkpoints.exists(sha256) && !context_.bindings.has_put(caller, sha256)) {
        reply = compare(header.file(), read_chunk);  // a file is not named without its bytes
    } else {
        bool first = true;
        reply = receive(context_.checkpoints, [&](v1::PutRequest& next) {
            if (std::exchange(first, false)) {
                *next.mutable_header() = header.file();
                return true;
            }
            return read_chunk(next);
        });
    }
    context_.bindings.put_result(caller, sha256);
    fenced(context_.store.set_checkpoint(worker, held, {sha256, reply.bytes(), header.step()}));
}

using Header = v1::PutRequest::Header;

void ResultBatch::take(const v1::PutRequest& part) {
    if (part.has_header()) {
        end_last();
        begin(part.header());
    } else if (headers_.empty()) {
        refuse("header", "must be the first message of an upload");
    } else {
        append(part.chunk());
    }
}

void ResultBatch::begin(const v1::PutRequest::Header& header) {
    if (headers_.size() == kMost) {
        refuse("header", "must begin one of at most " + std::to_string(kMost) + " results");
    }
    if (header.offset() != 0 || header.bytes() < 0) {
        refuse("header.offset", "must be 0 and bytes >= 0, got " + std::to_string(header.offset()) +
                                    " and " + std::to_string(header.bytes()));
    }
    (void)context_.bindings.check(caller_, header.worker_id());
    const auto bytes = static_cast<std::uint64_t>(header.bytes());
    upload_ = nullptr;
    // Refuses early, and who has it may count on it. What is there in whole may be unfinished
    // still.
    (void)context_.artifacts.look_up(header.sha256(), bytes);
    const bool twice = std::ranges::count(headers_, header.sha256(), &Header::sha256) > 0;
    if (!twice && !context_.artifacts.exists(header.sha256())) {
        uploads_.push_back(context_.artifacts.begin_put(header.sha256(), bytes));
        upload_ = uploads_.back().get();
    }
    hashed_ = upload_ == nullptr || upload_->offset() > 0;
    hash_ = {};
    arrived_ = 0;
    headers_.push_back(header);
}

void ResultBatch::append(const std::string& chunk) {
    const v1::PutRequest::Header& header = headers_.back();
    const std::uint64_t end = arrived_ + chunk.size();
    if (chunk.size() > kMaxChunk || end > static_cast<std::uint64_t>(header.bytes())) {
        refuse("chunk", "must have at most " + std::to_string(kMaxChunk) + " bytes, all at most " +
                            std::to_string(header.bytes()) + ", got " + std::to_string(end));
    }
    if (hashed_) {
        hash_.update(chunk);
    }
    if (upload_ != nullptr && end > upload_->offset()) {
        const std::uint64_t here = upload_->offset();
        upload_->write(here, std::as_bytes(std::span(chunk)).subspan(here - arrived_));
    }
    arrived_ = end;
}

void ResultBatch::end_last() {
    if (headers_.empty()) {
        return;
    }
    const v1::PutRequest::Header& header = headers_.back();
    const bool whole = arrived_ == static_cast<std::uint64_t>(header.bytes());
    if (!whole || (hashed_ && hash_.hex() != header.sha256())) {
        refuse("header", "must name the bytes that follow: " + std::to_string(header.bytes()) +
                             " with sha256 " + header.sha256() + ", got " +
                             std::to_string(arrived_) +
                             (whole ? " with sha256 " + hash_.hex() : std::string()));
    }
}

void ResultBatch::commit(v1::PutResultsResponse& reply) {
    end_last();
    if (headers_.empty()) {
        refuse("header", "must be the first message of an upload");
    }
    artifacts::commit_all(uploads_);
    std::vector<std::string> files;
    for (const v1::PutRequest::Header& header : headers_) {
        files.push_back(header.sha256());
        v1::Artifact& artifact = *reply.add_artifacts();
        artifact.set_sha256(header.sha256());
        artifact.set_bytes(header.bytes());
    }
    context_.bindings.put_results(caller_, files);
    // From here on nothing removes them; until here somebody may have, who did not know of this.
    for (const std::string& file : files) {
        if (!context_.artifacts.exists(file)) {
            throw Error(ErrorCode::Unavailable,
                        "result " + file + " was removed meanwhile: put it again");
        }
    }
}

}  // namespace kaname::service
