// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "proto/kaname/v1/workers_service.pb.h"
#include "solvers/base/error.hpp"
#include "worker/agent/lease/workers_client.hpp"

namespace kaname::agent {

/// "NotFound: there is no such file"
[[nodiscard]] inline std::string coded_text(const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
}

/// How a call ended.
struct CallEnd {
    enum class Outcome { Done, Unwanted, Refused };
    Outcome outcome;
    std::optional<Error> refusal = std::nullopt;  ///< when refused
};

/// Repeats calls of a server that is away for as long as they are wanted, and of one without room
/// for `full_store`. For any number of threads.
class PersistentCalls {
public:
    explicit PersistentCalls(std::chrono::duration<double> full_store) : full_store_(full_store) {}

    /// Calls until it succeeds, the server refuses, or `wanted` is false. Room is awaited only with
    /// `waiting`, which is told once that there is none.
    CallEnd insist(const std::function<void()>& call, const std::function<bool()>& wanted,
                   const std::function<void(const std::string&)>& waiting = {});
    /// From here on nothing is wanted.
    void stop();
    /// Calls so far that are tried again, or were refused.
    [[nodiscard]] int n_failed() const { return n_failed_; }

private:
    std::chrono::duration<double> full_store_;
    std::mutex mutex_;
    std::condition_variable stopped_;
    std::atomic<bool> stop_ = false;
    std::atomic<int> n_failed_ = 0;
};

/// Delays that double from 0.2 s up to `longest`, each between half and one and a half of its
/// value: many agents must not call in step.
class Backoff {
public:
    explicit Backoff(std::chrono::duration<double> longest = std::chrono::seconds(5))
        : longest_s_(longest.count()) {}

    [[nodiscard]] std::chrono::duration<double> next() {
        thread_local std::minstd_rand random{std::random_device{}()};
        const double factor = 0.5 + static_cast<double>(random() % 1000) / 1000.0;
        const double delay_s = delay_s_;
        delay_s_ = std::min(longest_s_, 2 * delay_s_);
        return std::chrono::duration<double>(delay_s * factor);
    }
    void reset() { delay_s_ = kFirst_s; }

private:
    static constexpr double kFirst_s = 0.2;
    double longest_s_, delay_s_ = kFirst_s;
};

/// The tasks that this agent holds, shared by the loop that works, the thread that uploads and the
/// one that sends heartbeats.
class HeldTasks {
public:
    void add(const v1::ClaimResponse& pack);
    /// Removes a task that was reported as done, failed or returned: it no longer belongs to this
    /// agent.
    void remove(std::int64_t task_id);
    void set_progress(const std::vector<v1::Task>& pack, double fraction, double eta_s,
                      const std::string& text);
    /// Sets the text on what is being done with a task whose computation has ended.
    void set_text(std::int64_t task_id, const std::string& text);
    /// Marks a task that nobody wants, or that no longer belongs to this agent: its result is
    /// dropped.
    void drop(std::int64_t task_id);
    void drop_all();
    [[nodiscard]] bool dropped(std::int64_t task_id) const;
    [[nodiscard]] bool all_dropped(const std::vector<v1::Task>& pack) const;

    [[nodiscard]] bool empty() const;
    /// Held and progress of a heartbeat.
    void describe(v1::HeartbeatRequest& request) const;
    /// The tasks still held, for giving them back.
    [[nodiscard]] std::vector<v1::TaskRef> refs() const;

private:
    struct Entry {
        v1::TaskProgress progress;  ///< its ref is the task's
        bool dropped = false;
    };
    mutable std::mutex mutex_;
    std::map<std::int64_t, Entry> tasks_;
};

/// Files by their SHA-256 in one folder: what the server handed out and what was made here. The
/// least recently used go when there are too many bytes. For any number of threads.
class InputCache {
public:
    InputCache(std::filesystem::path folder, std::uint64_t cap_bytes, WorkersClient& client);

    /// Path of the file, fetched when it is not here. It stays while the task runs that asked.
    /// Throws as WorkersClient, DataLoss when the server's bytes have another hash.
    [[nodiscard]] std::filesystem::path get(const std::string& sha256);
    /// Moves a finished file in; returns what it is called now.
    [[nodiscard]] StoredFile adopt(const std::filesystem::path& file);
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] std::filesystem::path path_of(const std::string& sha256) const {
        return folder_ / sha256;
    }
    /// Removes files until the cap is kept; called between tasks.
    void trim();

private:
    std::filesystem::path folder_;
    std::uint64_t cap_bytes_;
    WorkersClient& client_;
    std::mutex mutex_;
};

}  // namespace kaname::agent
