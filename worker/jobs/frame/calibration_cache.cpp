// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/frame/calibration_cache.hpp"

#include <algorithm>
#include <cmath>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "proto/kaname/v1/record.pb.h"
#include "proto/report/report.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/user_folders.hpp"
#include "worker/jobs/frame/reporter.hpp"

namespace kaname::compute {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kRemembered = 15;  // ratios of a stage
constexpr double kFirstSpread = 1.5, kLeastSpread = 1.15, kMostSpread = 4.0;
constexpr double kOutermost = 1e3;  // a ratio beyond it is a clock's fault

/// Held until the end of a block; without a file of its own, as when the folder is not ours, no one
/// waits.
class Lock {
public:
    explicit Lock(const fs::path& file)
        : fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        if (fd_ >= 0) {
            (void)::flock(fd_, LOCK_EX);
        }
    }
    ~Lock() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    int fd_;
};

bool positive(double value) {
    return std::isfinite(value) && value > 0.0;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : std::sqrt(values[half - 1] * values[half]);
}

}  // namespace

CalibrationCache::CalibrationCache(const fs::path& folder, const std::string& owner) {
    if (!folder.empty()) {
        file_ = folder / (sha256_hex(owner).substr(0, 16) + ".json");
    }
}

CalibrationCache CalibrationCache::of_this_machine() {
    const fs::path cache = cache_folder();
    return {cache.empty() ? cache : cache / "speeds", machine_text() + '\n' + program_text()};
}

CalibrationCache::Pages CalibrationCache::read() const {
    if (file_.empty()) {
        return pages_;
    }
    Pages pages;
    try {
        const auto record =
            report::parse<v1::SpeedsRecord>(read_file_if_any(file_), file_.string());
        for (const auto& [key, speed] : record.speeds()) {
            const jobs::Speed found{speed.iteration_s(), speed.setup_s()};
            if (positive(found.iteration_s) && positive(found.setup_s)) {
                pages.speeds[key] = found;
            }
        }
        for (const auto& [stage, ratios] : record.ratios()) {
            for (const auto& ratio : ratios.values()) {
                if (positive(ratio.number_value())) {
                    pages.ratios[stage].push_back(ratio.number_value());
                }
            }
        }
    } catch (const Error&) {
        return {};  // none yet, or damaged
    }
    return pages;
}

void CalibrationCache::change(const std::function<void(Pages&)>& apply) {
    if (file_.empty()) {
        apply(pages_);
        return;
    }
    std::error_code failed;
    fs::create_directories(file_.parent_path(), failed);
    const Lock lock(fs::path(file_).replace_extension(".lock"));
    Pages pages = read();
    apply(pages);
    v1::SpeedsRecord record;
    for (const auto& [key, speed] : pages.speeds) {
        v1::SpeedsRecord::Speed& kept = (*record.mutable_speeds())[key];
        kept.set_iteration_s(speed.iteration_s);
        kept.set_setup_s(speed.setup_s);
    }
    for (const auto& [stage, ratios] : pages.ratios) {
        auto& kept = (*record.mutable_ratios())[stage];
        for (const double ratio : ratios) {
            kept.add_values()->set_number_value(ratio);
        }
    }
    try {
        write_file(file_, report::to_json(record, report::Layout::Indented));
    } catch (const Error&) {
        // An estimate is no reason to fail: measured anew next time.
    }
}

std::optional<jobs::Speed> CalibrationCache::find(const std::string& key) const {
    const Pages pages = read();
    const auto found = pages.speeds.find(key);
    return found == pages.speeds.end() ? std::nullopt : std::optional(found->second);
}

jobs::Speed CalibrationCache::find_or_measure(const std::string& key,
                                              const std::function<jobs::Speed()>& measure) {
    if (const auto known = find(key)) {
        return *known;
    }
    const jobs::Speed speed = measure();
    change([&](Pages& pages) { pages.speeds[key] = speed; });
    return speed;
}

void CalibrationCache::record(const std::string& stage, double ratio) {
    if (!positive(ratio) || ratio > kOutermost || ratio < 1.0 / kOutermost) {
        return;
    }
    change([&](Pages& pages) {
        std::vector<double>& ratios = pages.ratios[stage];
        ratios.push_back(ratio);
        if (ratios.size() > kRemembered) {
            ratios.erase(ratios.begin(), ratios.end() - kRemembered);
        }
    });
}

CalibrationCache::Past CalibrationCache::past(const std::string& stage) const {
    const Pages pages = read();
    const auto found = pages.ratios.find(stage);
    Past past;
    past.spread = kFirstSpread;
    if (found == pages.ratios.end() || found->second.empty()) {
        return past;
    }
    std::vector<double> ratios = found->second;
    ratios.push_back(1.0);
    past.factor = median(ratios);
    if (found->second.size() >= 3) {
        std::vector<double> off;
        for (const double ratio : found->second) {
            off.push_back(std::max(ratio / past.factor, past.factor / ratio));
        }
        std::ranges::sort(off);
        past.spread = std::clamp(off[off.size() * 4 / 5], kLeastSpread, kMostSpread);
    }
    return past;
}

}  // namespace kaname::compute
