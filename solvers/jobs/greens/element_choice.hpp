// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/jobs/geometry/job_geometry.hpp"
#include "solvers/jobs/spec/greens_job.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/viscoelastic/model/model.hpp"

namespace kaname::jobs {

/// The element that `solver.element` means. `auto` is nodal dilatation where rock that slips
/// relaxes and the job goes on for more than four of the shortest relaxation times; plain P2
/// before, where all slip lies in elastic rock, and with multistep2018, which has no other
/// (docs/decisions/0037-element-by-what-slips.md).
[[nodiscard]] viscoelastic::Element element_of(const GreensJob& job, bool slips_in_viscous_rock);
[[nodiscard]] viscoelastic::Element element_of(const GreensJob& job, const JobGeometry& geometry,
                                               const mesh::TetMesh& mesh);

[[nodiscard]] std::string element_name(viscoelastic::Element element);

/// Returns the cost of an iteration over that of one in the calibration
/// (ViscoelasticStages::measure_speed). The calibration uses the element that solver.element names,
/// and plain P2 for `auto`.
[[nodiscard]] double effort_of(const GreensJob& job, viscoelastic::Element element);

}  // namespace kaname::jobs
