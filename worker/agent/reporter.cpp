// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/reporter.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::agent {
namespace {

constexpr std::size_t kMaxQueued = 2;
constexpr std::size_t kMaxMessage = 16U << 10U;

/// Between half and one and a half of `seconds`: many agents must not call in step.
std::chrono::milliseconds jittered(double seconds) {
    thread_local std::minstd_rand random{std::random_device{}()};
    const double factor = 0.5 + static_cast<double>(random() % 1000) / 1000.0;
    return std::chrono::milliseconds(static_cast<int>(1000 * seconds * factor));
}

}  // namespace

Reporter::Reporter(WorkersClient& client, InputCache& cache, HeldTasks& held,
                   std::function<std::string()> worker_id,
                   std::function<void(const std::string&)> log)
    : client_(client),
      cache_(cache),
      held_(held),
      worker_id_(std::move(worker_id)),
      log_(std::move(log)),
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

bool Reporter::insist(const std::function<void()>& call, const std::function<bool()>& wanted) {
    double delay_s = 0.2;
    while (wanted() && !stop_) {
        try {
            call();
            return true;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::Unavailable) {
                log_(std::string("report refused: ") + error.what());
                return false;
            }
        }
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, jittered(delay_s), [&] { return stop_.load(); });
        delay_s = std::min(5.0, 2 * delay_s);
    }
    return false;
}

void Reporter::upload(const std::vector<Finished>& pack) {
    v1::CompleteRequest request;
    for (const Finished& finished : pack) {
        const std::int64_t id = finished.ref.task_id();
        const auto wanted = [&] { return !held_.dropped(id); };
        StoredFile stored;
        try {
            stored = cache_.adopt(finished.file);
        } catch (const std::exception& error) {
            fail(finished.ref, "lost", std::string("the result cannot be read: ") + error.what(),
                 FailureKind::Retryable);
            continue;
        }
        if (!insist([&] { client_.put_result(stored, cache_.path_of(stored.sha256)); }, wanted)) {
            continue;
        }
        v1::CompleteRequest::Result& result = *request.add_results();
        *result.mutable_ref() = finished.ref;
        result.set_sha256(stored.sha256);
        result.set_bytes(stored.bytes);
        result.set_partial(finished.partial);
    }
    if (request.results_size() > 0) {
        request.set_worker_id(worker_id_());
        const auto wanted = [&] {
            return std::ranges::any_of(request.results(), [&](const auto& result) {
                return !held_.dropped(result.ref().task_id());
            });
        };
        insist([&] { (void)client_.complete(request); }, wanted);
    }
    if (!stop_) {
        for (const Finished& finished : pack) {
            held_.remove(finished.ref.task_id());
        }
    }
}

void Reporter::upload(const CheckpointFile& checkpoint) {
    const auto wanted = [&] {
        return std::ranges::any_of(
            checkpoint.refs, [&](const v1::TaskRef& ref) { return !held_.dropped(ref.task_id()); });
    };
    try {
        v1::PutCheckpointRequest::Header header;
        header.set_worker_id(worker_id_());
        header.mutable_refs()->Assign(checkpoint.refs.begin(), checkpoint.refs.end());
        header.set_step(checkpoint.step);
        header.mutable_file()->set_sha256(sha256_file(checkpoint.file.string()));
        header.mutable_file()->set_bytes(
            static_cast<std::int64_t>(std::filesystem::file_size(checkpoint.file)));
        insist([&] { client_.put_checkpoint(header, checkpoint.file); }, wanted);
    } catch (const std::exception& error) {
        log_(std::string("checkpoint not uploaded: ") + error.what());
    }
    std::error_code ignored;
    std::filesystem::remove(checkpoint.file, ignored);
}

void Reporter::fail(const v1::TaskRef& ref, const std::string& error_class,
                    const std::string& message, FailureKind kind) {
    log_("task " + std::to_string(ref.task_id()) + " failed: " + error_class + ": " + message);
    v1::FailRequest request;
    request.set_worker_id(worker_id_());
    *request.mutable_ref() = ref;
    request.set_error_class(error_class);
    request.set_message(message.substr(0, kMaxMessage));
    request.set_retryable(kind != FailureKind::Final);
    request.set_crashed(kind == FailureKind::Crash);
    insist([&] { client_.fail(request); }, [&] { return !held_.dropped(ref.task_id()); });
    held_.remove(ref.task_id());
}

}  // namespace kaname::agent
