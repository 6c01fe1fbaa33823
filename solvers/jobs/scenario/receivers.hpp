// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/io/dataset/field_groups.hpp"
#include "solvers/jobs/geometry/domain.hpp"

namespace kaname::jobs {

/// Coulomb stress change (sources/coulomb.hpp) of the volume's stress on the job's receivers: of
/// every element, or at the receiver's place (stress_recovery.hpp). Strikes are from true north at
/// the place, without one at the region's centre. Throws ValidationError naming a receiver outside
/// the model, or with a place where the model has no projection.
void add_receivers(const GreensJob& job, const Domain& domain, const mesh::TetMesh& mesh,
                   io::VolumeDataset& volume);

}  // namespace kaname::jobs
