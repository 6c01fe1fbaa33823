// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "server/store/types.hpp"

namespace kaname::store {

/// An attempt that failed, or whose worker was lost.
struct AttemptFailure {
    double at_s = 0;
    std::int64_t task_id = 0;
    std::string label;  ///< of the task; empty where that was gone
    std::string worker, host;
    std::string error;    ///< "NotConverged: ..."
    std::string payload;  ///< of the task
};

struct ToldGpuFault {
    double at_s = 0;
    std::string reason;
};

/// How the database is, as it says itself.
struct DatabaseState {
    std::string version;
    std::int64_t bytes = 0, live_tuples = 0, dead_tuples = 0, connections = 0;
    /// Gives the age of the oldest transaction that keeps dead rows and whose beginning the role
    /// may see [s]; 0: there is no such transaction. DatabaseLook includes other transactions; NaN:
    /// unknown.
    double oldest_xmin_age_s = 0;
    std::string schema;                            ///< newest migration
    std::vector<std::string> hidden_holders = {};  ///< what keeps dead rows since nobody says when
};

struct Backup {
    std::string backup_id, folder, host;
    std::string artifacts;              ///< copy, link or manifest
    std::string state;                  ///< running, done or failed
    double started_s = 0, ended_s = 0;  ///< 0: not ended
    std::int64_t files = 0, bytes = 0, database_bytes = 0;
    std::string error;
};

/// Reads the figures that operators look at. Throws Unavailable as Store does.
class OperationsStore {
public:
    virtual ~OperationsStore() = default;

    /// Newest first.
    [[nodiscard]] virtual std::vector<AttemptFailure> list_failures(int limit) = 0;
    /// Returns how long the task has waited that could start and has waited longest [s]; 0: no task
    /// could start.
    [[nodiscard]] virtual double oldest_ready_age_s() = 0;
    [[nodiscard]] virtual std::int64_t count_active_jobs() = 0;
    /// Reads sums over all tables: not for every call.
    [[nodiscard]] virtual DatabaseState look_at_database() = 0;
    /// Faults that count against these GPUs, newest first, at most 20 of each.
    [[nodiscard]] virtual std::map<std::string, std::vector<ToldGpuFault>> list_gpu_faults(
        std::span<const std::string> gpu_uuids) = 0;
    /// Newest first, at most 100.
    [[nodiscard]] virtual std::vector<Backup> list_backups() = 0;
};

}  // namespace kaname::store
