// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/io/wave_file.hpp"
#include "solvers/jobs/seismic_waves/strain_points.hpp"

namespace kaname::jobs {

/// Seismograms of sources, put together from the strains of forces: file k is of force k, its
/// "receivers" 2 p and 2 p + 1 the strains xx, yy, zz and yz, xz, xy of place p. Strains are read
/// for as many places at a time as `bytes` hold, which suits sources that are asked for in order.
class ReciprocalSeismograms {
public:
    ReciprocalSeismograms(const StrainPoints& points, std::vector<std::string> files,
                          std::int64_t n_samples, double bytes = 256e6);

    /// [receiver][component][sample] of a source.
    [[nodiscard]] std::vector<float> of_source(std::size_t source);

private:
    /// Strains of a place of all files, [file][6][sample].
    [[nodiscard]] const float* strains(std::size_t file, std::size_t place) const {
        return held_.data() + (file * count_ + place - first_) * 6 * n_samples_;
    }
    void hold(std::size_t place);

    const StrainPoints& points_;
    std::vector<std::string> files_;
    std::size_t n_samples_, most_;
    std::size_t first_ = 0, count_ = 0;  ///< places that are held
    std::vector<float> held_;
};

}  // namespace kaname::jobs
