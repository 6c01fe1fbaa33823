// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/lease/reporter.hpp"

#include <algorithm>
#include <utility>

#include "solvers/base/sha256.hpp"
#include "solvers/base/utf8.hpp"
#include "worker/agent/lease/backoff.hpp"

namespace kaname::agent {
namespace {

constexpr std::size_t kMaxQueued = 2;
constexpr std::size_t kMaxMessage = 16U << 10U, kMaxClass = 64;

/// The server may take the same call later: it is away, or does not know the token yet.
bool is_worth_waiting(ErrorCode code) {
    return is_retryable(code) || code == ErrorCode::Unauthenticated ||
           code == ErrorCode::PermissionDenied;
}

std::string text_of(const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
}

}  // namespace

Reporter::Reporter(WorkersClient& client, InputCache& cache, HeldTasks& held,
                   std::function<std::string()> worker_id,
                   std::function<void(const std::string&)> log,
                   std::chrono::duration<double> full_store)
    : client_(client),
      cache_(cache),
      held_(held),
      worker_id_(std::move(worker_id)),
      log_(std::move(log)),
      full_store_(full_store),
      thread_([this] { run(); }) {}

Reporter::~Reporter() {
    stop();
    thread_.join();
}

void Reporter::stop() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
}

void Reporter::complete(std::vector<Finished> pack) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.size() < kMaxQueued || stop_; });
    queue_.push_back(std::move(pack));
    changed_.notify_all();
}

void Reporter::checkpoint(CheckpointFile checkpoint) {
    const std::lock_guard lock(mutex_);
    if (checkpoint_) {
        std::error_code ignored;
        std::filesystem::remove(checkpoint_->file, ignored);
    }
    checkpoint_ = std::move(checkpoint);
    changed_.notify_all();
}

void Reporter::flush() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return (queue_.empty() && !checkpoint_ && !busy_) || stop_; });
}

void Reporter::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return !queue_.empty() || checkpoint_ || stop_; });
        if (stop_) {
            return;
        }
        busy_ = true;
        if (!queue_.empty()) {
            const std::vector<Finished> pack = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            upload(pack);
        } else {
            const CheckpointFile checkpoint = *std::exchange(checkpoint_, std::nullopt);
            lock.unlock();
            upload(checkpoint);
        }
        lock.lock();
        busy_ = false;
        changed_.notify_all();
    }
}

Reporter::Reply Reporter::insist(const std::function<void()>& call,
                                 const std::function<bool()>& wanted,
                                 const std::function<void(const std::string&)>& waiting) {
    using Clock = std::chrono::steady_clock;
    Backoff backoff;
    std::optional<Clock::time_point> full_since;
    while (wanted() && !stop_) {
        try {
            call();
            return {Outcome::Done};
        } catch (const Error& error) {
            if (error.code() == ErrorCode::Exhausted && waiting) {
                const auto now = Clock::now();
                if (now - full_since.value_or(now) >= full_store_) {
                    return {Outcome::Refused, error};
                }
                if (!full_since) {
                    full_since = now;
                    waiting(error.what());
                }
            } else if (!is_worth_waiting(error.code())) {
                return {Outcome::Refused, error};
            }
        }
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, backoff.next(), [&] { return stop_.load(); });
    }
    return {Outcome::Unwanted};
}

bool Reporter::any_wanted(const std::vector<v1::TaskRef>& refs) const {
    return std::ranges::any_of(
        refs, [&](const v1::TaskRef& ref) { return !held_.dropped(ref.task_id()); });
}

bool Reporter::put(const Finished& finished, StoredFile& stored) {
    const std::int64_t id = finished.ref.task_id();
    try {
        stored = cache_.adopt(finished.file);
    } catch (const std::exception& error) {
        fail(finished.ref, "lost", std::string("the result cannot be read: ") + error.what(),
             FailureKind::Retryable);
        return false;
    }
    const Reply reply =
        insist([&] { client_.put_result(stored, cache_.path_of(stored.sha256)); },
               [&] { return any_wanted({finished.ref}); },
               [&](const std::string& why) {
                   held_.set_text(id, "computed; waiting for room on the server: " + why);
                   log_("task " + std::to_string(id) + " waits for room on the server: " + why);
               });
    if (reply.outcome == Outcome::Refused) {
        refused(finished.ref, *reply.refusal);
    }
    return reply.outcome == Outcome::Done;
}

void Reporter::refused(const v1::TaskRef& ref, const Error& refusal) {
    if (refusal.code() == ErrorCode::Exhausted) {
        fail(ref, std::string(to_string(refusal.code())),
             std::string("the server has no room for the result: ") + refusal.what(),
             FailureKind::Retryable);
    } else {
        fail(ref, kReportRefused, "the server refused the result: " + text_of(refusal),
             FailureKind::Retryable);
    }
}

void Reporter::complete(const std::vector<v1::CompleteRequest::Result>& results) {
    if (results.empty()) {
        return;
    }
    v1::CompleteRequest request;
    request.set_worker_id(worker_id_());
    std::vector<v1::TaskRef> refs;
    for (const v1::CompleteRequest::Result& result : results) {
        *request.add_results() = result;
        refs.push_back(result.ref());
    }
    const Reply reply =
        insist([&] { (void)client_.complete(request); }, [&] { return any_wanted(refs); });
    if (reply.outcome != Outcome::Refused) {
        return;
    }
    if (reply.refusal->code() == ErrorCode::Aborted) {  // the lease is lost: somebody else's now
        log_(std::string("results came too late: ") + reply.refusal->what());
    } else if (results.size() > 1) {  // one of them may be to blame for all
        for (const v1::CompleteRequest::Result& result : results) {
            complete({result});
        }
    } else {
        refused(refs.front(), *reply.refusal);
    }
}

void Reporter::upload(const std::vector<Finished>& pack) {
    std::vector<v1::CompleteRequest::Result> results;
    for (const Finished& finished : pack) {
        StoredFile stored;
        if (!put(finished, stored)) {
            continue;
        }
        v1::CompleteRequest::Result& result = results.emplace_back();
        *result.mutable_ref() = finished.ref;
        result.set_sha256(stored.sha256);
        result.set_bytes(stored.bytes);
        result.set_partial(finished.partial);
    }
    complete(results);
    if (!stop_) {
        for (const Finished& finished : pack) {
            held_.remove(finished.ref.task_id());
        }
    }
}

void Reporter::upload(const CheckpointFile& checkpoint) {
    try {
        v1::PutCheckpointRequest::Header header;
        header.set_worker_id(worker_id_());
        header.mutable_refs()->Assign(checkpoint.refs.begin(), checkpoint.refs.end());
        header.set_step(checkpoint.step);
        header.mutable_file()->set_sha256(sha256_file(checkpoint.file.string()));
        header.mutable_file()->set_bytes(
            static_cast<std::int64_t>(std::filesystem::file_size(checkpoint.file)));
        const Reply reply = insist([&] { client_.put_checkpoint(header, checkpoint.file); },
                                   [&] { return any_wanted(checkpoint.refs); });
        if (reply.outcome == Outcome::Refused) {
            log_("checkpoint refused: " + text_of(*reply.refusal));
        }
    } catch (const std::exception& error) {
        log_(std::string("checkpoint not uploaded: ") + error.what());
    }
    std::error_code ignored;
    std::filesystem::remove(checkpoint.file, ignored);
}

void Reporter::fail(const v1::TaskRef& ref, const std::string& error_class,
                    const std::string& message, FailureKind kind) {
    const std::string task = "task " + std::to_string(ref.task_id());
    log_(task + " failed: " + error_class + ": " + message);
    v1::FailRequest request;
    request.set_worker_id(worker_id_());
    *request.mutable_ref() = ref;
    request.set_error_class(to_utf8(error_class, kMaxClass));
    request.set_message(to_utf8(message, kMaxMessage));
    request.set_retryable(kind != FailureKind::Final);
    request.set_crashed(kind == FailureKind::Crash);
    const auto refusal_of_report = [&]() -> std::optional<Error> {
        const Reply reply =
            insist([&] { client_.fail(request); }, [&] { return any_wanted({ref}); });
        const bool refused = reply.outcome == Outcome::Refused;
        return refused && reply.refusal->code() != ErrorCode::Aborted ? reply.refusal
                                                                      : std::nullopt;
    };
    if (const auto first = refusal_of_report()) {
        log_(task + ": the server refused to be told of the failure: " + text_of(*first));
        request.set_error_class(kReportRefused);
        request.set_message("the server refused the report of a failure (" +
                            std::string(to_string(first->code())) + "); the worker's log has it");
        if (const auto second = refusal_of_report()) {
            log_("ERROR: " + task + " ends without a report, the server refused twice: " +
                 text_of(*second) + "; it takes the task back when heartbeats lack it");
        }
    }
    held_.remove(ref.task_id());
}

}  // namespace kaname::agent
