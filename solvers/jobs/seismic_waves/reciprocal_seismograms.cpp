// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/reciprocal_seismograms.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kaname::jobs {

ReciprocalSeismograms::ReciprocalSeismograms(const StrainPoints& points,
                                             std::vector<std::string> files, std::int64_t n_samples,
                                             double bytes)
    : points_(points),
      files_(std::move(files)),
      n_samples_(static_cast<std::size_t>(n_samples)),
      most_(std::max<std::size_t>(
          1, static_cast<std::size_t>(
                 bytes /
                 (sizeof(float) * 6.0 *
                  static_cast<double>(n_samples_ * std::max<std::size_t>(1, files_.size())))))) {}

void ReciprocalSeismograms::hold(std::size_t place) {
    if (place >= first_ && place < first_ + count_) {
        return;
    }
    first_ = place;
    count_ = std::min(most_, points_.places.size() - place);
    held_.clear();
    for (const std::string& file : files_) {
        const std::vector<float> rows = io::read_wave_rows(
            file, static_cast<std::int64_t>(2 * first_), static_cast<std::int64_t>(2 * count_));
        held_.insert(held_.end(), rows.begin(), rows.end());
    }
}

std::vector<float> ReciprocalSeismograms::of_source(std::size_t source) {
    // Off-diagonal terms of M : e stand twice.
    constexpr std::array<double, 6> kTimes = {1, 1, 1, 2, 2, 2};
    std::vector<double> sum(files_.size() * n_samples_);
    for (const StrainPoints::Share& share : points_.sources[source]) {
        hold(share.place);
        for (std::size_t file = 0; file < files_.size(); ++file) {
            const float* strain = strains(file, share.place);
            double* to = sum.data() + file * n_samples_;
            for (std::size_t c = 0; c < 6; ++c) {
                const double factor = kTimes[c] * share.moment_nm[c] / kReciprocalForce_n;
                for (std::size_t t = 0; t < n_samples_ && factor != 0.0; ++t) {
                    to[t] += factor * static_cast<double>(strain[c * n_samples_ + t]);
                }
            }
        }
    }
    return {sum.begin(), sum.end()};
}

}  // namespace kaname::jobs
