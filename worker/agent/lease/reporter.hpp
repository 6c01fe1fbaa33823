// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "solvers/base/error.hpp"
#include "worker/agent/lease/held_tasks.hpp"

namespace kaname::agent {

/// FailureKind tells whether another attempt may succeed, and whether the task may have crashed the
/// computation.
enum class FailureKind { Final, Retryable, Crash };

/// A file that a task made.
struct Finished {
    v1::TaskRef ref;
    std::filesystem::path file;
    bool partial = false;
};

/// A file that the next attempts of these tasks can go on from.
struct CheckpointFile {
    std::vector<v1::TaskRef> refs;
    std::filesystem::path file;  ///< the reporter's to remove
    int step = 0;
};

/// Error class of a task whose result or failure the server did not take.
inline constexpr const char* kReportRefused = "report_refused";

/// Uploads results and completes their tasks in a thread of its own, so that the next pack is
/// solved meanwhile. A server that is away is awaited for as long as the tasks are held, one
/// without room for `full_store`. A result that is refused is a retryable failure of its task
/// (docs/decisions/0029-refused-reports.md).
class Reporter {
public:
    Reporter(WorkersClient& client, InputCache& cache, HeldTasks& held,
             std::function<std::string()> worker_id, std::function<void(const std::string&)> log,
             std::chrono::duration<double> full_store = std::chrono::minutes(5));
    ~Reporter();
    Reporter(const Reporter&) = delete;
    Reporter& operator=(const Reporter&) = delete;

    /// Waits while two packs wait already to be uploaded, or eight of less than 4 MiB in all.
    void complete(std::vector<Finished> pack);
    /// Reports a failure at once, in the caller's thread.
    void fail(const v1::TaskRef& ref, const std::string& error_class, const std::string& message,
              FailureKind kind);
    /// Uploads a checkpoint, in place of one that is still waiting; results come first. One that
    /// cannot be uploaded is given up with a line in the log.
    void checkpoint(CheckpointFile checkpoint);
    /// Waits until nothing is under way.
    void flush();
    /// Waits until nothing is under way, for `grace` at most, and less where the server is away;
    /// then stops.
    void finish(std::chrono::duration<double> grace);
    /// Gives up what has not begun.
    void stop();

private:
    struct Pack {
        std::vector<Finished> results;
        std::uintmax_t bytes;
    };

    void run();
    /// The next pack, and with it those behind it that are small: they were solved faster than one
    /// is uploaded. The lock is held.
    std::vector<Finished> take_next();
    void upload(const std::vector<Finished>& packs);
    void upload(const CheckpointFile& checkpoint);
    /// Nothing when the file cannot be read; its task has then failed.
    std::optional<StoredFile> adopt(const Finished& finished);
    /// Puts the results of a pack in one call. Returns false if they were not put: they must then
    /// be put one by one, which shows the ones at fault.
    bool put_together(const std::vector<Finished>& pack, const std::vector<StoredFile>& stored);
    /// Returns false if the result was not taken; its task has then failed or is no longer wanted.
    bool put(const Finished& finished, const StoredFile& stored);
    void complete(const std::vector<v1::CompleteRequest::Result>& results);
    void refused(const v1::TaskRef& ref, const Error& refusal);
    [[nodiscard]] bool any_wanted(const std::vector<v1::TaskRef>& refs) const;

    WorkersClient& client_;
    InputCache& cache_;
    HeldTasks& held_;
    std::function<std::string()> worker_id_;
    std::function<void(const std::string&)> log_;
    PersistentCalls calls_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Pack> queue_;
    std::uintmax_t queued_bytes_ = 0;
    std::optional<CheckpointFile> checkpoint_;  ///< waiting
    bool busy_ = false;
    std::atomic<bool> stop_ = false;
    std::thread thread_;
};

}  // namespace kaname::agent
