// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solvers/io/source_file.hpp"
#include "solvers/viscoelastic/spectrum/reduced_model.hpp"
#include "solvers/viscoelastic/spectrum/relaxation_groups.hpp"
#include "solvers/viscoelastic/spectrum/source_model.hpp"

namespace kaname::jobs {

/// One source's share of a reduced model as it is stored.
[[nodiscard]] io::ReducedMatrices record_of(const viscoelastic::ReducedModel& model,
                                            std::span<const viscoelastic::Relaxation> relaxation,
                                            int lane);

/// One source's own model for a range of viscosities as it is stored; `n_solves` with the elastic
/// one.
[[nodiscard]] io::ReducedMatrices record_of(const viscoelastic::SourceModel& source,
                                            const viscoelastic::RelaxationGroups& groups,
                                            double tolerance, int n_solves);

/// A stored source's model, in lane 0, the rheologies that it answers for and what bounds its
/// error; `record.range` is there.
struct StoredRange {
    viscoelastic::ReducedModel model;
    viscoelastic::RheologyRange range;
    viscoelastic::SpectrumCertificate certificate;
};
[[nodiscard]] StoredRange stored_range(const io::ReducedMatrices& record);

/// Weights of the fields at the epochs, [epochs][1 + n_basis]: 1, then c(t).
[[nodiscard]] std::vector<double> field_rows(const io::ReducedMatrices& reduced,
                                             std::span<const double> epochs_s);

/// Weights of a force's tractions at the epochs, [epochs][1 + n_basis][1 + groups]: of the moduli
/// that last 1 and c(t), of a group that relaxes mu(t)/mu and what it remembers of c(t).
[[nodiscard]] std::vector<double> fault_rows(const io::ReducedMatrices& reduced,
                                             std::span<const std::int32_t> groups,
                                             std::span<const double> epochs_s);

/// Motion at the epochs from stored fields [1 + n_basis][width], the elastic one first:
///   u(t) = u_0 + sum_i c_i(t) v_i        -> [epochs][width]
[[nodiscard]] std::vector<double> motion_at(const io::ReducedMatrices& reduced,
                                            std::span<const double> fields, std::size_t width,
                                            std::span<const double> epochs_s);

}  // namespace kaname::jobs
