// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "server/artifacts/artifact_store.hpp"
#include "server/space/disk_space.hpp"
#include "server/store/operations_store.hpp"

namespace kaname::space {

/// Holds how long unused files and history are kept.
struct RetentionTimes {
    double grace_s = 86400;              ///< files that nobody has referred to
    double unreferenced_s = 30 * 86400;  ///< results that no job has any more
    store::History history;
};

/// Counts the files and rows that a sweep found and removed.
struct Sweep {
    std::int64_t n_files = 0, bytes = 0;  ///< in the artifact store
    /// Counts the files that nothing refers to, and those of them that are old enough to be
    /// removed.
    std::int64_t n_loose = 0, loose_bytes = 0, n_due = 0, due_bytes = 0;
    std::int64_t n_removed = 0, removed_bytes = 0;
    std::int64_t n_partials = 0, n_logs = 0;  ///< unfinished uploads and logs of stages, removed
    std::int64_t n_rows = 0;                  ///< of history, removed
};

/// Removes what nobody refers to any more: files, unfinished uploads, history. Any number of
/// servers may sweep at once.
class GarbageCollector {
public:
    struct Parts {
        store::RetentionStore& store;
        artifacts::ArtifactStore& artifacts;
        artifacts::ArtifactStore& checkpoints;
        std::filesystem::path logs;  ///< of stages; empty: none
        std::function<artifacts::TimePoint()> now = std::chrono::system_clock::now;
    };
    GarbageCollector(Parts parts, RetentionTimes keeping)
        : parts_(std::move(parts)), keeping_(keeping) {}

    /// With `dry_run` nothing is removed; what is loose is noted all the same. Goes on in small
    /// pieces until `stop` says true. Throws Unavailable while another sweep of this server runs,
    /// and as the stores do; the next sweep goes on then.
    Sweep sweep(
        bool dry_run, const std::function<bool()>& stop = [] { return false; });
    /// Removes one file at once unless it is referred to or somebody asked for it just now.
    bool discard(const std::string& sha256);

private:
    void collect(bool dry_run, const std::function<bool()>& stop, Sweep& sweep);
    void adopt_checkpoints(const std::function<bool()>& stop);
    [[nodiscard]] std::int64_t remove_logs(const std::function<bool()>& stop) const;

    Parts parts_;
    RetentionTimes keeping_;
    std::mutex sweeping_;
};

/// The largest that a log of a program grows before it begins anew.
inline constexpr std::uint64_t kLogBytes = 16U << 20U;

/// Moves what a log holds to <log>.old, in place of what was there, when it is larger than `limit`:
/// whoever appends to it goes on in the same file and need not know. Lines that are written at that
/// moment may be lost. Nothing when there is no such file, or no room for the copy.
void trim_log(const std::filesystem::path& log, std::uint64_t limit = kLogBytes);

/// All logs of programs in the state folder: the server's, its agents', PostgreSQL's.
void trim_logs(const std::filesystem::path& state, std::uint64_t limit = kLogBytes);

/// Sweeps now and then in a thread of its own, one server of the database at a time, and looks
/// whether there is room, so that its end is noticed when nobody asks.
class GarbageCollectorThread {
public:
    struct Options {
        double sweep_every_s = 3600;          ///< 0: never
        std::function<bool()> is_quiet = {};  ///< whether nothing was asked for a while
        std::function<void(const std::string&)> log = {};
        std::function<void()> each_look = {};  ///< what else is done each second
        /// Removes data before a sweep, which then finds more files; ends soon after `stop` returns
        /// true.
        std::function<void(const std::function<bool()>& stop)> before_sweep = {};
    };
    GarbageCollectorThread(store::RetentionStore& store, DiskSpace& room,
                           GarbageCollector& collector, Options options);
    ~GarbageCollectorThread();
    GarbageCollectorThread(const GarbageCollectorThread&) = delete;
    GarbageCollectorThread& operator=(const GarbageCollectorThread&) = delete;

    /// Ends the thread, a sweep after its present piece.
    void stop();

private:
    void run();
    void sweep();
    void log(const std::string& line) const;

    store::RetentionStore& store_;
    DiskSpace& room_;
    GarbageCollector& collector_;
    Options options_;
    std::mutex mutex_;
    std::condition_variable ending_;
    bool end_ = false;
    std::thread looks_, sweeps_;
};

}  // namespace kaname::space
