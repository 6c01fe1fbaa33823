// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/lease/reporter.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "solvers/base/checksums.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/text.hpp"

namespace kaname::agent {
namespace {

constexpr std::size_t kMaxQueued = 2, kMaxQueuedSmall = 8;
constexpr std::uintmax_t kSmallBytes = 4 << 20;  ///< of packs that wait, or go up together

std::uintmax_t bytes_of(const std::vector<Finished>& pack) {
    std::uintmax_t bytes = 0;
    for (const Finished& finished : pack) {
        std::error_code gone;  // told when it is read
        const std::uintmax_t of_file = std::filesystem::file_size(finished.file, gone);
        bytes += gone ? 0 : of_file;
    }
    return bytes;
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
      calls_(full_store),
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
    calls_.stop();
    changed_.notify_all();
}

void Reporter::complete(std::vector<Finished> pack) {
    const std::uintmax_t bytes = bytes_of(pack);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
        const bool small = queued_bytes_ < kSmallBytes;
        return queue_.size() < (small ? kMaxQueuedSmall : kMaxQueued) || stop_;
    });
    queued_bytes_ += bytes;
    queue_.push_back({std::move(pack), bytes});
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

void Reporter::finish(std::chrono::duration<double> grace) {
    using namespace std::chrono_literals;
    constexpr int kTries = 3;
    const int n_before = calls_.n_failed();
    const auto until = std::chrono::steady_clock::now() + grace;
    {
        std::unique_lock lock(mutex_);
        const auto idle = [&] { return (queue_.empty() && !checkpoint_ && !busy_) || stop_; };
        while (!idle() && std::chrono::steady_clock::now() < until &&
               calls_.n_failed() - n_before < kTries) {
            changed_.wait_for(lock, 50ms, idle);
        }
        if (!idle()) {
            log_("leaving without having uploaded all that was computed");
        }
    }
    stop();
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
            const std::vector<Finished> packs = take_next();
            changed_.notify_all();
            lock.unlock();
            upload(packs);
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

std::vector<Finished> Reporter::take_next() {
    std::vector<Finished> packs;
    std::uintmax_t bytes = 0;
    while (!queue_.empty() && (packs.empty() || bytes + queue_.front().bytes <= kSmallBytes)) {
        Pack& next = queue_.front();
        std::ranges::move(next.results, std::back_inserter(packs));
        bytes += next.bytes;
        queued_bytes_ -= next.bytes;
        queue_.pop_front();
    }
    return packs;
}

bool Reporter::any_wanted(const std::vector<v1::TaskRef>& refs) const {
    return std::ranges::any_of(
        refs, [&](const v1::TaskRef& ref) { return !held_.dropped(ref.task_id()); });
}

std::optional<StoredFile> Reporter::adopt(const Finished& finished) {
    try {
        return cache_.adopt(finished.file);
    } catch (const std::exception& error) {
        fail(finished.ref, "lost", std::string("the result cannot be read: ") + error.what(),
             FailureKind::Retryable);
        return std::nullopt;
    }
}

bool Reporter::put_together(const std::vector<Finished>& pack,
                            const std::vector<StoredFile>& stored) {
    if (pack.size() < 2) {
        return false;
    }
    std::vector<ResultFile> files;
    std::vector<v1::TaskRef> refs;
    for (std::size_t at = 0; at < pack.size(); ++at) {
        files.push_back({stored[at], cache_.path_of(stored[at].sha256)});
        refs.push_back(pack[at].ref);
    }
    const CallEnd reply =
        calls_.insist([&] { client_.put_results(files); }, [&] { return any_wanted(refs); });
    return reply.outcome == CallEnd::Outcome::Done;
}

bool Reporter::put(const Finished& finished, const StoredFile& stored) {
    const std::int64_t id = finished.ref.task_id();
    const CallEnd reply = calls_.insist(
        [&] { client_.put_result(stored, cache_.path_of(stored.sha256)); },
        [&] { return any_wanted({finished.ref}); },
        [&](const std::string& why) {
            held_.set_text(id, "computed; waiting for room on the server: " + why);
            log_("task " + std::to_string(id) + " waits for room on the server: " + why);
        });
    if (reply.outcome == CallEnd::Outcome::Refused) {
        refused(finished.ref, *reply.refusal);
    }
    return reply.outcome == CallEnd::Outcome::Done;
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
    fail_point("agent.completing");
    const CallEnd reply =
        calls_.insist([&] { (void)client_.complete(request); }, [&] { return any_wanted(refs); });
    fail_point("agent.completed");
    if (reply.outcome != CallEnd::Outcome::Refused) {
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

void Reporter::upload(const std::vector<Finished>& packs) {
    std::vector<v1::CompleteRequest::Result> results;
    std::vector<Finished> readable;
    std::vector<StoredFile> files;
    for (const Finished& finished : packs) {
        if (const auto stored = adopt(finished)) {
            readable.push_back(finished);
            files.push_back(*stored);
        }
    }
    const bool all_there = put_together(readable, files);
    for (std::size_t at = 0; at < readable.size(); ++at) {
        if (!all_there && !put(readable[at], files[at])) {
            continue;
        }
        v1::CompleteRequest::Result& result = results.emplace_back();
        *result.mutable_ref() = readable[at].ref;
        result.set_sha256(files[at].sha256);
        result.set_bytes(files[at].bytes);
        result.set_partial(readable[at].partial);
    }
    complete(results);
    if (!stop_) {
        for (const Finished& finished : packs) {
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
        const CallEnd reply =
            calls_.insist([&] { client_.put_checkpoint(header, checkpoint.file); },
                          [&] { return any_wanted(checkpoint.refs); });
        if (reply.outcome == CallEnd::Outcome::Refused) {
            log_("checkpoint refused: " + coded_text(*reply.refusal));
        }
    } catch (const std::exception& error) {
        log_(std::string("checkpoint not uploaded: ") + error.what());
    }
    std::error_code ignored;
    std::filesystem::remove(checkpoint.file, ignored);
}

// The reporter and tasks that have failed (docs/decisions/0029-refused-reports.md).
namespace {

constexpr std::size_t kMaxMessage = 16U << 10U, kMaxClass = 64;

}  // namespace

void Reporter::fail(const v1::TaskRef& ref, const std::string& error_class,
                    const std::string& message, FailureKind kind) {
    const LogScope about({.task = std::to_string(ref.task_id())});
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
        const CallEnd reply =
            calls_.insist([&] { client_.fail(request); }, [&] { return any_wanted({ref}); });
        const bool refused = reply.outcome == CallEnd::Outcome::Refused;
        return refused && reply.refusal->code() != ErrorCode::Aborted ? reply.refusal
                                                                      : std::nullopt;
    };
    if (const auto first = refusal_of_report()) {
        log_(task + ": the server refused to be told of the failure: " + coded_text(*first));
        request.set_error_class(kReportRefused);
        request.set_message("the server refused the report of a failure (" +
                            std::string(to_string(first->code())) + "); the worker's log has it");
        if (const auto second = refusal_of_report()) {
            log_("ERROR: " + task + " ends without a report, the server refused twice: " +
                 coded_text(*second) + "; it takes the task back when heartbeats lack it");
        }
    }
    held_.remove(ref.task_id());
}

void Reporter::refused(const v1::TaskRef& ref, const Error& refusal) {
    if (refusal.code() == ErrorCode::Exhausted) {
        fail(ref, std::string(to_string(refusal.code())),
             std::string("the server has no room for the result: ") + refusal.what(),
             FailureKind::Retryable);
    } else {
        fail(ref, kReportRefused, "the server refused the result: " + coded_text(refusal),
             FailureKind::Retryable);
    }
}

}  // namespace kaname::agent
