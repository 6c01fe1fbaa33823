// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/source_file.hpp"
#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/greens/viscoelastic_stages.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::jobs {

/// Fields of a scenario from the results of its slip models and moved sides, in the order of
/// Scenario::models and GreensJob::boundary_sources:
/// `dataset.surface` at dataset.epochs_s (where results hold the surface) and `dataset.volume` at
/// the volume's epochs with the Coulomb stress change on its receivers (where there are epochs).
///   surface(t) = sum_m sum_k w_mk(t) U_mk,   volume(t) = sum_m of the stored snapshots of m
/// Strikes of receivers are from true north at their place, without one at the region's centre.
/// A field is a sum over all of them: with one that is missing or failed, or that does not hold the
/// field, the dataset gets none. `n_parts`: parts of the mesh, whose surface is that of the first.
/// Throws ValidationError for a receiver outside the model.
void add_fields(const GreensJob& job, const Domain& domain, const mesh::TetMesh& mesh,
                const p2::DofMap& dofs, const std::vector<std::optional<io::SourceResult>>& results,
                const Steps& steps, io::GreensDataset& dataset, int n_parts = 1);

}  // namespace kaname::jobs
