// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "solvers/inversion/normal_equations.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/posterior/rectified_field.hpp"
#include "worker/jobs/inversion/slip_amounts.hpp"

namespace kaname::jobs {

/// FaultFrame holds where the patches of an inversion are: what correlations of slip and parts of
/// the fault are made from.
struct FaultFrame {
    std::vector<Vec3> centres;  ///< [patch] m; x east, y north, z up
    Vec3 strike;                ///< horizontal unit vector
    FaultParts parts;           ///< quarters of the fault
};

/// Returns the frame of the patches that slip, by the first source of each: places in the frame of
/// the dataset's model, their mean strike by doubled angles.
[[nodiscard]] FaultFrame frame_of(const SlipAmounts& amounts, const io::GreensDataset& greens);

/// A station and the patch that is nearest to it.
struct NearPatch {
    double away_m = std::numeric_limits<double>::infinity();
    double length_m = 0.0, width_m = 0.0;
    [[nodiscard]] double size_m() const { return std::max(length_m, width_m); }
};

/// Patches of sources without sizes, which lie on no grid, are passed over.
[[nodiscard]] NearPatch nearest_patch(const io::GreensDataset& greens,
                                      const io::GreensDataset::Station& station);

/// Returns the correlations between which the posterior chooses, each as likely as the others:
/// exponential and smoother (Matern 1/2 and 3/2) ones of the lengths that were asked for, or of
/// posterior::correlation_choices() of the fault.
[[nodiscard]] std::vector<posterior::Correlation> correlations_of(const PosteriorSampling& asked,
                                                                  const FaultFrame& frame);

/// PatchVectors has the share of each amount in the slip vectors of patches: [window][patch] of
/// (amount, its parts along strike and up dip). Opening has no place in a vector within the fault.
class PatchVectors {
public:
    PatchVectors(const SlipAmounts& amounts, const io::GreensDataset& greens);

    /// Length of the slip vector of a patch in a window, by amounts [n].
    [[nodiscard]] double length(std::span<const float> amounts, std::size_t window,
                                std::size_t patch) const;

private:
    struct Term {
        std::size_t amount = 0;
        double along = 0.0, up = 0.0;
    };
    std::size_t n_patches_;
    std::vector<std::vector<Term>> terms_;
};

/// Slip as a rectified Gaussian field: a field for each window, in which amounts of one direction
/// are correlated over the fault and have an unknown level, those of two directions are not
/// correlated. `sets` are the normal equations of each set of observations with its stated standard
/// deviations, of the amounts, then of the unknowns of the measuring, which are integrated out, and
/// last of `n_errors` errors N(0, 1) that all sets have in common. Bounds are those of the job.
/// Throws as posterior::PreparedFields and marginalised().
[[nodiscard]] posterior::RectifiedProblem rectified_problem(
    const InversionJob& job, const SlipAmounts& amounts, const io::GreensDataset& greens,
    const std::vector<inversion::NormalEquations>& sets, int n_errors = 0);

}  // namespace kaname::jobs
