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

}  // namespace kaname::earth
