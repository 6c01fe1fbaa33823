// SPDX-License-Identifier: BSD-3-Clause
#include "server/space/garbage_collector.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <system_error>

#include <sys/stat.h>

#include "solvers/base/error.hpp"

namespace kaname::space {
namespace {

namespace fs = std::filesystem;
using artifacts::ArtifactInfo;

/// Files that are judged, and removed, in one transaction.
constexpr std::size_t kPiece = 200;
constexpr int kRows = 1000;  ///< of history, likewise

artifacts::TimePoint before(artifacts::TimePoint now, double seconds) {
    return now - std::chrono::duration_cast<artifacts::TimePoint::duration>(
                     std::chrono::duration<double>(seconds));
}

}  // namespace

Sweep GarbageCollector::sweep(bool dry_run, const std::function<bool()>& stop) {
    const std::unique_lock lock(sweeping_, std::try_to_lock);
    if (!lock.owns_lock()) {
        throw Error(ErrorCode::Unavailable, "a sweep of this server is under way; ask again");
    }
    Sweep sweep;
    collect(dry_run, stop, sweep);
    if (dry_run || stop()) {
        return sweep;
    }
    adopt_checkpoints(stop);
    sweep.n_partials = static_cast<std::int64_t>(parts_.artifacts.expire_partials() +
                                                 parts_.checkpoints.expire_partials());
    for (std::int64_t n = 1; n > 0 && !stop();) {
        n = parts_.store.prune(keeping_.history, kRows);
        sweep.n_rows += n;
    }
    sweep.n_logs = remove_logs(stop);
    return sweep;
}

void GarbageCollector::collect(bool dry_run, const std::function<bool()>& stop, Sweep& sweep) {
    const std::vector<ArtifactInfo> all = parts_.artifacts.list();
    for (std::size_t first = 0; first < all.size() && !stop(); first += kPiece) {
        const std::size_t last = std::min(all.size(), first + kPiece);
        std::map<std::string, ArtifactInfo> piece;
        std::vector<std::string> hashes;
        for (std::size_t k = first; k < last; ++k) {
            piece.emplace(all[k].sha256, all[k]);
            hashes.push_back(all[k].sha256);
            ++sweep.n_files;
            sweep.bytes += static_cast<std::int64_t>(all[k].bytes);
        }
        std::vector<store::Removable> due;
        std::map<std::string, double> keep_s;
        for (const store::LooseFile& loose : parts_.store.note_loose_files(hashes)) {
            const ArtifactInfo& file = piece.at(loose.sha256);
            const double keep = loose.result ? keeping_.unreferenced_s : keeping_.grace_s;
            ++sweep.n_loose;
            sweep.loose_bytes += static_cast<std::int64_t>(file.bytes);
            // Whoever found it complete at an upload counts on it, and may not have submitted yet.
            if (loose.age_s >= keep && file.put_at <= before(parts_.now(), keep)) {
                ++sweep.n_due;
                sweep.due_bytes += static_cast<std::int64_t>(file.bytes);
                keep_s[loose.sha256] = keep;
                due.push_back({loose.sha256, keep});
            }
        }
        if (dry_run || due.empty()) {
            continue;
        }
        const auto gone = parts_.store.forget_files(due, [&](const std::string& sha256) {
            return parts_.artifacts.remove_if_idle(sha256, before(parts_.now(), keep_s.at(sha256)));
        });
        sweep.n_removed += static_cast<std::int64_t>(gone.size());
        for (const std::string& sha256 : gone) {
            sweep.removed_bytes += static_cast<std::int64_t>(piece.at(sha256).bytes);
        }
    }
}

bool GarbageCollector::discard(const std::string& sha256) {
    (void)parts_.store.note_loose_files({&sha256, 1});
    const store::Removable file{sha256, 0};
    const auto gone = parts_.store.forget_files({&file, 1}, [&](const std::string& one) {
        return parts_.artifacts.remove_if_idle(one, parts_.now());
    });
    return !gone.empty();
}

// Files of checkpoints are noted before they are put; what is older than any upload and unknown was
// left by a version or a crash of before that.
void GarbageCollector::adopt_checkpoints(const std::function<bool()>& stop) {
    std::vector<std::string> old;
    for (const ArtifactInfo& file : parts_.checkpoints.list()) {
        if (file.put_at <= before(parts_.now(), keeping_.grace_s)) {
            old.push_back(file.sha256);
        }
    }
    for (std::size_t first = 0; first < old.size() && !stop(); first += kPiece) {
        const std::size_t n = std::min(kPiece, old.size() - first);
        parts_.store.adopt_checkpoints(std::span(old).subspan(first, n));
    }
}

std::int64_t GarbageCollector::remove_logs(const std::function<bool()>& stop) const {
    if (parts_.logs.empty()) {
        return 0;
    }
    std::error_code none;
    const auto now = fs::file_time_type::clock::now();
    const auto limit = now - std::chrono::duration_cast<fs::file_time_type::duration>(
                                 std::chrono::duration<double>(keeping_.history.ended_s));
    std::int64_t n = 0;
    for (const auto& entry : fs::directory_iterator(parts_.logs, none)) {
        if (stop()) {
            break;
        }
        const auto written = fs::last_write_time(entry.path(), none);
        n += !none && written < limit && fs::remove(entry.path(), none) ? 1 : 0;
    }
    return n;
}

namespace fs = std::filesystem;

void trim_log(const fs::path& log, std::uint64_t limit) {
    struct stat info {};
    if (::lstat(log.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
        static_cast<std::uint64_t>(info.st_size) <= limit) {
        return;
    }
    std::error_code failed;
    const fs::path old = log.string() + ".old";
    fs::remove(old, failed);  // not through a link that somebody left there
    if (fs::copy_file(log, old, failed) && !failed) {
        fs::resize_file(log, 0, failed);
    } else if (std::error_code none; fs::file_size(log, none) > 2 * limit && !none) {
        fs::resize_file(log, 0, none);  // better than a full disk
    }
}

void trim_logs(const fs::path& state, std::uint64_t limit) {
    trim_log(state / "server.log", limit);
    trim_log(state / "logs" / "postgres.log", limit);
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(state / "agents", none)) {
        if (entry.path().extension() == ".log") {
            trim_log(entry.path(), limit);
        }
    }
}

namespace {

constexpr std::chrono::seconds kLook{1}, kQuietLook{10};
/// Another server may end in its turn: how long until somebody looks again.
constexpr double kLongestPause_s = 60;

}  // namespace

GarbageCollectorThread::GarbageCollectorThread(store::RetentionStore& store, DiskSpace& room,
                                               GarbageCollector& collector, Options options)
    : store_(store), room_(room), collector_(collector), options_(std::move(options)) {
    looks_ = std::thread([this] {
        std::unique_lock lock(mutex_);
        while (!end_) {
            lock.unlock();
            (void)room_.shortage();
            if (options_.each_look) {
                options_.each_look();
            }
            lock.lock();
            const bool quiet = options_.is_quiet && options_.is_quiet();
            ending_.wait_for(lock, quiet ? kQuietLook : kLook, [this] { return end_; });
        }
    });
    if (options_.sweep_every_s > 0) {
        sweeps_ = std::thread([this] { run(); });
    }
}

GarbageCollectorThread::~GarbageCollectorThread() {
    stop();
}

void GarbageCollectorThread::stop() {
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ending_.notify_all();
    for (std::thread* thread : {&looks_, &sweeps_}) {
        if (thread->joinable()) {
            thread->join();
        }
    }
}

void GarbageCollectorThread::log(const std::string& line) const {
    if (options_.log) {
        options_.log(line);
    }
}

void GarbageCollectorThread::run() {
    const std::chrono::duration<double> pause(std::min(options_.sweep_every_s, kLongestPause_s));
    std::string last_trouble;
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, pause, [this] { return end_; })) {
        lock.unlock();
        std::string trouble;
        try {
            if (store_.begin_upkeep(options_.sweep_every_s)) {
                sweep();
            }
        } catch (const std::exception& error) {
            trouble = error.what();
        }
        if (!trouble.empty() && trouble != last_trouble) {
            log("tidying up: " + trouble);
        }
        last_trouble = trouble;
        lock.lock();
    }
}

void GarbageCollectorThread::sweep() {
    const auto stop = [this] {
        const std::lock_guard lock(mutex_);
        return end_;
    };
    if (options_.before_sweep) {
        options_.before_sweep(stop);
    }
    const Sweep done = collector_.sweep(false, stop);
    if (done.n_removed + done.n_partials + done.n_logs + done.n_rows > 0) {
        log("tidied up: " + std::to_string(done.n_removed) + " files of " +
            std::to_string(done.removed_bytes) + " bytes, " + std::to_string(done.n_partials) +
            " unfinished uploads, " + std::to_string(done.n_logs) + " logs, " +
            std::to_string(done.n_rows) + " rows of history");
    }
}

}  // namespace kaname::space
