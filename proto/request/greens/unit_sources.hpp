// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"

namespace kaname::request {

/// Direction of unit slip on a patch.
struct SlipComponent {
    std::string name;
    double rake_deg;
};

/// The directions that have a name. All of them are solved for where a request names none.
[[nodiscard]] const std::array<SlipComponent, 2>& named_components();
[[nodiscard]] std::vector<std::string> component_names();

struct UnitPatch {
    std::string id;   ///< "s03d01": column 3 along strike, row 1 down dip; of several faults
                      ///< "name/s03d01"
    int column, row;  ///< along strike, down dip
};

/// Unit slip on a patch in one direction.
struct UnitSource {
    std::string id;  ///< "s03d01/dip_slip"
    int patch;       ///< index in UnitSources::patches
    SlipComponent component;
};

/// UnitSources holds the patches and unit sources of one fault.
struct UnitSources {
    std::string fault;  ///< its name; empty for the only one
    int n_strike = 0, n_dip = 0;
    std::vector<UnitPatch> patches;
    std::vector<UnitSource> sources;
};

/// The patches of an interface or a plane and the sources on them, in the order of the dataset:
/// fault by fault as `several` has them, then down dip slowest, along strike, by component. The
/// fault's defaults are filled. Throws ValidationError naming a direction that has no name.
[[nodiscard]] std::vector<UnitSources> unit_sources(const v1::Fault& fault);

}  // namespace kaname::request
