// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "proto/kaname/v1/workers_service.pb.h"

namespace kaname::service {

/// The last heartbeat's text is shown for so long.
inline constexpr std::chrono::seconds kHeartbeatShown{60};

/// Keeps the last reports of workers about the tasks they hold. They are in memory only: after a
/// restart the next heartbeats fill it again.
class ProgressBoard {
public:
    struct Entry {
        double fraction = 0.0, eta_s = -1.0;
        std::string text, worker_id;
        std::chrono::steady_clock::time_point at;
        bool told = true;  ///< said by the worker; its last word may be older than the claim
    };

    /// A task was handed out; the worker has said nothing about it yet.
    void begin(const std::string& worker_id, const std::string& content_key);
    /// Replaces all that this worker said before.
    void set(const std::string& worker_id, const v1::HeartbeatRequest& heartbeat);
    /// Returns true if this worker was the last that was given the task or reported on it.
    [[nodiscard]] bool has(const std::string& worker_id, const std::string& content_key) const;
    void forget(const std::string& content_key);
    /// The entries by content key; those older than a minute are left out.
    [[nodiscard]] std::map<std::string, Entry> recent() const;
    /// The latest text of a worker.
    [[nodiscard]] std::string text_of(const std::string& worker_id) const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, Entry> entries_;
};

}  // namespace kaname::service
