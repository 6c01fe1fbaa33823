// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "solvers/earth/plan_nodes.hpp"
#include "solvers/earth/volume_layout.hpp"

namespace kaname::earth {

/// Grids of nodes over one box, each made once: places on the globe take longest to find.
class PlanGrids {
public:
    PlanGrids(const VolumeLayout& layout, const Projection& projection);
    /// spacing_m 0: a four-hundredth of the longer side, at most 4 km. Nodes move apart with
    /// distance from the layout's focus.
    [[nodiscard]] const PlanNodes& nodes(double spacing_m, double margin_m);
    [[nodiscard]] double spacing_or_usual(double spacing_m) const;
    [[nodiscard]] double count(double spacing_m, double margin_m) const;
    [[nodiscard]] const PlanFrame& frame() const { return frame_; }

private:
    PlanFrame frame_;
    [[nodiscard]] PlanExtent extent(double spacing_m) const;

    PlanExtent extent_;
    std::map<std::tuple<double, double>, PlanNodes> made_;
};

/// Place of surface `name` among the model's, where the free surface comes first and the others
/// follow as listed; -1 when there is none of that name.
[[nodiscard]] int surface_index(const VolumeLayout& layout, const std::string& name);

/// Checks the surfaces' names, bounds and descriptions, as far as no file is needed.
void check_surfaces(const VolumeLayout& layout, Findings& findings);

/// All surfaces in the model's order. Files at fault are findings; then the result is empty.
/// Needs a layout that check_surfaces() had nothing against.
[[nodiscard]] std::vector<ModelSurface> build_surfaces(const VolumeLayout& layout, PlanGrids& grids,
                                                       Findings& findings);

/// Checks the volumes' names, bounds and materials, as far as no file is needed.
void check_volumes(const VolumeLayout& layout, Findings& findings);

/// Where a volume is.
struct VolumeReach {
    double lowest_m = 0.0, highest_m = 0.0;
    bool anywhere = false;
};

/// Reach of every volume on vertical lines over the plan (64 along its longer side; 512 before a
/// volume counts as being nowhere). One that is nowhere is a finding that says why: its top under
/// its bottom, outside the box, or covered by volumes named before it. So is a free surface that
/// reaches the bottom.
[[nodiscard]] std::vector<VolumeReach> find_reach(const VolumeLayout& layout,
                                                  const VolumeModel& model, const PlanFrame& frame,
                                                  Findings& findings);

}  // namespace kaname::earth
