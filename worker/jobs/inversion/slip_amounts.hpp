// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/inversion/weights.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/dataset/inversion_dataset.hpp"
#include "worker/jobs/inversion/inversion_job.hpp"

namespace kaname::jobs {

/// A patch of the dataset and its sources, one per slip component.
struct SlipPatch {
    std::string id;
    std::vector<int> sources;   ///< indices into the dataset, done and asked for
    double moment_per_m = 0.0;  ///< rigidity times potency of unit slip [N m / m]
};

/// The unknown amounts of slip x [n] and what they are of the dataset's sources: slip of source s
/// in window w is m[w S + s] = sum_j factor x_j. Without rakes or azimuth an amount is one
/// source's; else it is a direction of slip on a patch.
struct SlipAmounts {
    struct Term {
        int source = 0;
        double factor = 1.0;
    };
    struct Amount {
        int window = 0;
        int patch = 0;      ///< index into patches
        int direction = 0;  ///< which of a patch's amounts: 0, 1, ...
        std::vector<Term> terms;
    };
    std::vector<SlipPatch> patches;
    std::vector<Amount> amounts;
    std::vector<std::string> missing;  ///< ids of sources that are not done
    int n_sources = 0, n_windows = 0;

    [[nodiscard]] int n() const { return static_cast<int>(amounts.size()); }
    /// [window][source] of amounts [n].
    [[nodiscard]] std::vector<double> slip_of_sources(const Eigen::VectorXd& x) const;
    /// Rows by source [window S] to rows by amount: out [n].
    void combine(const double* by_source, double* by_amount) const;
};

/// Throws ValidationError: components the dataset does not have, rakes of a patch with one
/// component, a dataset that is not of unit slip.
[[nodiscard]] SlipAmounts slip_amounts(const SlipUnknowns& slip, const io::GreensDataset& greens);

/// Rake of slip whose hanging wall moves horizontally towards an azimuth, on a fault of strike and
/// dip, all in degrees: tan rake = -sin(azimuth - strike) / (cos dip cos(azimuth - strike)).
[[nodiscard]] double rake_towards(double azimuth_deg, double strike_deg, double dip_deg);

/// Parts of a fault, and which of them each patch is in.
struct FaultParts {
    std::vector<std::string> names;
    std::vector<std::int32_t> of_patch;  ///< [patch] index into names
};

/// Quarters of a fault by the middles of its extents along strike and in depth, those that have
/// patches: "shallow north", "deep south". `centres` [patch] m, strike a horizontal unit vector.
[[nodiscard]] FaultParts fault_quarters(std::span<const Vec3> centres, const Vec3& strike);

/// Smoothness, sparsity, bounds and moment of the amounts, then n_nuisance unknowns that are free.
[[nodiscard]] inversion::Regulariser slip_regulariser(const InversionJob& job,
                                                      const SlipAmounts& amounts,
                                                      const io::GreensDataset& greens,
                                                      int n_nuisance);

/// Names of the job and its dataset, and the dataset's sources, without results.
[[nodiscard]] io::InversionDataset described_job(const InversionJob& job,
                                                 const io::GreensDataset& greens);

/// Slip vectors of patches and their moments: what m [window source] is on each.
void describe_slip(const InversionJob& job, const SlipAmounts& amounts,
                   const io::GreensDataset& greens, io::InversionDataset& result);

/// Slip of every source [window source], in the first window, in metres. A checkerboard has fields
/// of its rows x columns of patches, every other one with slip: along slip.azimuth_deg, else the
/// middle of slip.rake_from_deg and rake_to_deg, else on each patch's last component. A rupture's
/// slip falls off as
///   slip cos^2(pi/2 q),  q^2 = (along / (length/2))^2 + (across / (width/2))^2 < 1
/// with the distance of patch centres on the map. Throws InvalidArgument: no grid of patches for a
/// checkerboard, an unknown source, a direction that needs two components, no slip on any patch.
[[nodiscard]] std::vector<double> synthetic_slip(const SyntheticSlip& synthetic,
                                                 const SlipUnknowns& slip,
                                                 const SlipAmounts& amounts,
                                                 const io::GreensDataset& greens);

}  // namespace kaname::jobs
