// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/stages/watch.hpp"

#include <algorithm>

namespace kaname::agent {
namespace {

constexpr std::size_t kIntervals = 64;
constexpr double kTimesMedian = 20.0;

}  // namespace

void HangWatch::heard() {
    const auto now = Clock::now();
    if (intervals_s_.size() == kIntervals) {
        intervals_s_.erase(intervals_s_.begin());
    }
    intervals_s_.push_back(std::chrono::duration<double>(now - last_).count());
    last_ = now;
}

void HangWatch::check() const {
    double limit_s = std::chrono::duration<double>(patience_).count();
    if (!intervals_s_.empty()) {
        std::vector<double> sorted = intervals_s_;
        std::ranges::sort(sorted);
        limit_s = std::max(limit_s, kTimesMedian * sorted[sorted.size() / 2]);
    }
    const double silent_s = std::chrono::duration<double>(Clock::now() - last_).count();
    if (silent_s > limit_s) {
        throw RunFailed("hung",
                        "no sign of life for " + std::to_string(static_cast<int>(silent_s)) +
                            " s (allowed: " + std::to_string(static_cast<int>(limit_s)) + " s)");
    }
}

namespace fs = std::filesystem;
namespace {

void say(Pack& pack, const std::string& what) {
    pack.holder.say(what);
    pack.log.add(what);
}

}  // namespace

void Checkpoints::keep(Pack& pack, const run::Checkpoint& written) {
    const fs::path file = folder_ / ("checkpoint_" + std::to_string(++n_kept_) + ".h5");
    std::error_code failed;
    fs::remove(file, failed);
    fs::create_hard_link(written.file, file, failed);
    if (failed) {
        say(pack, "checkpoint not kept: " + written.file + ": " + failed.message());
        return;
    }
    pack.holder.put_checkpoint(file, written.step);
}

void Checkpoints::offer(Pack& pack, const fs::path& work) {
    const std::string& sha256 = pack.first().checkpoint().sha256();
    const bool of_all = std::ranges::all_of(pack.claimed.tasks(), [&](const v1::Task& task) {
        return task.checkpoint().sha256() == sha256;
    });
    const fs::path place = work / "checkpoint.h5";
    fs::remove(place);
    if (sha256.empty() || !of_all) {
        return;
    }
    std::string lack;
    try {
        fs::create_hard_link(pack.holder.fetch("checkpoint", sha256), place);
    } catch (const InputMissing& missing) {
        if (missing.server_away) {
            throw;
        }
        lack = missing.what();
    } catch (const Stopped&) {
        throw;
    } catch (const TasksWithdrawn&) {
        throw;
    } catch (const std::exception& error) {  // the verb then begins at the first step
        lack = error.what();
    }
    say(pack, lack.empty() ? "going on after step " + std::to_string(pack.first().checkpoint_step())
                           : "checkpoint not there: " + lack);
}

}  // namespace kaname::agent
