// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "worker/jobs/inversion/inversion_job.hpp"

namespace kaname::bench {

/// A dataset of the size of the seed paper's application, Green's functions of a made-up kind
/// (point sources that relax), and observations of slip on it with noise: what an inversion costs
/// does not depend on where they come from.
struct SyntheticRegion {
    int rows = 6, columns = 31;  ///< patches down dip and along strike, two components each
    int stations = 1000, epochs = 100;

    /// Writes greens.h5.
    void write(const std::string& path) const;
    /// All components of all stations at all epochs, cosines of slip in the middle, noise 5 mm.
    [[nodiscard]] jobs::InversionJob job() const;
    [[nodiscard]] int sources() const { return 2 * rows * columns; }
};

}  // namespace kaname::bench
