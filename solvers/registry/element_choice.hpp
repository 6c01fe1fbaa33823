// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/registry/greens_job.hpp"
#include "solvers/registry/setup.hpp"
#include "solvers/viscoelastic/model.hpp"

namespace kaname::registry {

/// The element that `solver.element` means. `auto` is nodal dilatation where rock that slips
/// relaxes and the job goes on for more than four of the shortest relaxation times; plain P2
/// before, where all slip lies in elastic rock, and with multistep2018, which has no other
/// (docs/decisions/0037-element-by-what-slips.md).
[[nodiscard]] viscoelastic::Element element_of(const GreensJob& job, const Setup& setup,
                                               const mesh::TetMesh& mesh);
/// The same before there is a mesh; of a job with a mesh file, whose mesh alone knows, plain P2.
[[nodiscard]] viscoelastic::Element element_of(const GreensJob& job, const Setup& setup);

[[nodiscard]] std::string element_name(viscoelastic::Element element);

/// What an iteration takes over one of the calibration (ViscoelasticStages::measure_speed), which
/// is of the element that solver.element names, of `auto` plain P2.
[[nodiscard]] double effort_of(const GreensJob& job, viscoelastic::Element element);

}  // namespace kaname::registry
