// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "proto/kaname/v1/workers_service.pb.h"
#include "worker/agent/lease/workers_client.hpp"

namespace kaname::agent {

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
