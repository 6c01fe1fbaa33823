// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "solvers/viscoelastic/spectrum/range_search.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_certificate.hpp"

namespace kaname::viscoelastic {

/// One source of a pack's reduced model for a range, on as few vectors of the pack's basis as its
/// own answers take: the leading directions (proper orthogonal decomposition, in the unrelaxed
/// energy) of its answers at the search's rheologies and shifts, each over its own motion.
struct SourceModel {
    ReducedModel model;     ///< m basis vectors, orthonormal; the source in lane 0
    std::vector<double> T;  ///< [m][n] of the pack's basis
    SpectrumCertificate certificate;
    double error = 0.0;  ///< the certificate's, of the worst of the search's rheologies
};

/// Returns the models of the lanes 0 .. n_lanes - 1; `model`, `sketches` and `seen` as
/// RangeSearch::next took them last. Each has as many vectors as bring its error below the search's
/// tolerance, or all.
[[nodiscard]] std::vector<SourceModel> source_models(const RangeSearch& search,
                                                     const ReducedModel& model,
                                                     const ResidualSketches& sketches,
                                                     std::span<const std::vector<double>> seen,
                                                     int n_lanes);

}  // namespace kaname::viscoelastic
