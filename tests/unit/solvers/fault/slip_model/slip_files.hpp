// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"

namespace kaname::slip_model {

/// A real slip model of tests/data/slip_scenarios.
inline std::filesystem::path real_file(const std::string& name) {
    return std::string(KANAME_SOURCE_DIR) + "/tests/data/slip_scenarios/" + name;
}

/// The moment of the model's shear, with mu by depth alone.
inline MomentSum moment_over_depth(const SlipModel& model,
                                   const std::function<double(double depth_m)>& mu_pa) {
    PlacedModel placed;
    for (const SlipPatch& patch : model.patches) {
        PlacedPatch at{patch.id,      0,   {0.0, 0.0, -patch.depth_m}, patch.length_m,
                       patch.width_m, 0.0, patch.dip_deg * kDegree,    {}};
        at.slip_m = patch.slip_m * at.along_strike();
        placed.patches.push_back(at);
    }
    return seismic_moment(placed, [&](const Vec3& x) { return mu_pa(-x.z); });
}

/// Reads `text` as a file of that name.
inline SlipModel read_text(const std::string& name, const std::string& text,
                           const ReadOptions& options = {}) {
    const TemporaryFolder folder;
    write_file(folder.path() / name, text);
    return read_slip_model(folder.path() / name, options);
}

/// Returns the reader's error on `text`, from the file's name on; empty when it accepts the text.
inline std::string refusal(const std::string& name, const std::string& text,
                           const ReadOptions& options = {}) {
    try {
        (void)read_text(name, text, options);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        const std::string what = error.what();
        const std::size_t at = what.find(name);
        return at == what.npos ? what : what.substr(at);
    }
    return {};
}

}  // namespace kaname::slip_model
