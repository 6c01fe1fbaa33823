// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "solvers/aderdg/tet_topology.hpp"
#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::test {

/// StepShapes holds the sizes and shapes of elements that decide the steps of a mesh.
struct StepShapes {
    double least_insphere_per_edge = 1.0;  ///< diameter over longest edge; 0.408 in regular tets
    double min_dihedral_deg = 180.0;
    /// Smallest, median and largest insphere diameter over vp [s].
    double least_s = 0.0, median_s = 0.0, most_s = 0.0;
    std::int64_t least_tet = 0;
};

inline StepShapes measure_steps(const aderdg::WaveModel& model) {
    StepShapes shapes;
    std::vector<double> times(model.mesh.tets.size());
    for (std::size_t tet = 0; tet < times.size(); ++tet) {
        const mesh::Corners at = mesh::corners_of(model.mesh, tet);
        const double diameter_m = aderdg::TetShape::of(at).insphere_diameter_m;
        times[tet] = diameter_m / model.solids[model.mesh.material[tet]].vp_m_per_s();
        shapes.least_insphere_per_edge =
            std::min(shapes.least_insphere_per_edge, diameter_m / mesh::longest_edge_m(at));
        shapes.min_dihedral_deg =
            std::min(shapes.min_dihedral_deg, std::ranges::min(mesh::dihedral_angles_deg(at)));
    }
    shapes.least_tet = std::ranges::min_element(times) - times.begin();
    std::ranges::sort(times);
    shapes.least_s = times.front();
    shapes.median_s = times[(times.size() - 1) / 2];
    shapes.most_s = times.back();
    return shapes;
}

}  // namespace kaname::test
