// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/strain_points.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "solvers/base/error.hpp"
#include "worker/jobs/ader_dg/seismic_model.hpp"

namespace kaname::jobs {

StrainPoints strain_points(const SeismicJob& job, const aderdg::WaveModel& waves,
                           const std::vector<SeismicSource>& sources) {
    StrainPoints found;
    std::map<std::tuple<std::int64_t, double, double, double>, std::size_t> known;
    std::vector<Violation> broken;
    for (std::size_t k = 0; k < sources.size(); ++k) {
        std::vector<StrainPoints::Share>& shares = found.sources.emplace_back();
        for (const aderdg::PointSource& point : sources[k].points) {
            const aderdg::PointInTet& at = point.at;
            const auto material = waves.mesh.material[static_cast<std::size_t>(at.tet)];
            if (waves.solids[static_cast<std::size_t>(material)].mu_pa == 0.0) {
                broken.push_back({job.sources[k].field,
                                  "must lie in a solid where it is solved by reciprocity, source " +
                                      job.sources[k].id + " lies in a liquid"});
                break;
            }
            const auto [place, fresh] =
                known.try_emplace({at.tet, at.at_m.x, at.at_m.y, at.at_m.z}, found.places.size());
            if (fresh) {
                found.places.push_back(at);
            }
            shares.push_back({place->second, point.moment_nm});
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    return found;
}

aderdg::PointSource reciprocal_force(const SeismicJob& job,
                                     const std::vector<aderdg::PointInTet>& receivers,
                                     std::size_t number, int lane) {
    const SeismicJob::Source& first = job.sources.front();
    const source_time::TimeFunction time =
        first.rupture ? first.rupture->patch.value().time : first.time;
    const source_time::Span span = time.moment_rate_span();
    aderdg::PointSource force;
    force.lane = lane;
    force.at = receivers.at(number / 3);
    force.force_n[number % 3] = kReciprocalForce_n;
    force.rate = [time](double t_s) { return time.moment_rate_at(t_s); };
    force.from_s = span.from_s;
    force.until_s = span.until_s;
    return force;
}

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
