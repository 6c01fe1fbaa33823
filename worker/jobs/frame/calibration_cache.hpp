// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "worker/jobs/stage/stage.hpp"

namespace kaname::compute {

/// How fast this build runs on this machine: calibrations, measured once, and what the stages of
/// real jobs took over what was predicted for them. Kept in one small file per machine and build,
/// which any number of processes share; one that is damaged, or cannot be written, is as none.
class CalibrationCache {
public:
    /// `owner`: machine and build. Without a folder nothing outlives this object.
    CalibrationCache(const std::filesystem::path& folder, const std::string& owner);
    /// The book of this user, machine and build.
    [[nodiscard]] static CalibrationCache of_this_machine();

    [[nodiscard]] std::optional<jobs::Speed> find(const std::string& key) const;
    /// The kept speed, or else what `measure` finds, which is kept from then on.
    jobs::Speed find_or_measure(const std::string& key,
                                const std::function<jobs::Speed()>& measure);
    /// A stage has taken `ratio` times what was predicted.
    void record(const std::string& stage, double ratio);

    struct Past {
        double factor = 1.0;  ///< median of the last ratios and one more that is 1
        double spread = 1.5;  ///< most ratios lie within `factor` times or by this
    };
    [[nodiscard]] Past past(const std::string& stage) const;

private:
    struct Pages {
        std::map<std::string, jobs::Speed> speeds;
        std::map<std::string, std::vector<double>> ratios;  // oldest first
    };
    [[nodiscard]] Pages read() const;
    void change(const std::function<void(Pages&)>& apply);

    std::filesystem::path file_;  // empty: none
    Pages pages_;                 // what is known where there is no file
};

}  // namespace kaname::compute
