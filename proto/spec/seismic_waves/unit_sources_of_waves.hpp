// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/seismic_waves.pb.h"

namespace kaname::spec {

/// Components of unit sources: moments, and forces.
inline const std::vector<std::string> kMomentComponents = {"xx", "yy", "zz", "yz", "xz", "xy"};
inline const std::vector<std::string> kForceComponents = {"x", "y", "z"};

/// All sources in the order of the dataset: those of the list, then the unit sources of `green`,
/// point by point, with ids such as "P1.xy".
[[nodiscard]] std::vector<v1::SeismicSource> all_sources(const v1::SeismicWaves& waves);
/// Where a specification has source `k` of them: "sources[2]", "green.points[0]".
[[nodiscard]] std::string source_field(const v1::SeismicWaves& waves, int k);

}  // namespace kaname::spec
