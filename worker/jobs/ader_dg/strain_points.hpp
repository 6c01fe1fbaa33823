// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "solvers/aderdg/wave_setup.hpp"
#include "solvers/io/source_file.hpp"
#include "worker/jobs/ader_dg/seismic_job.hpp"

/// Seismograms of many sources from solves of few forces (Betti's theorem; aki2002, section 2.3):
/// the velocity along i at r of a source whose moment grows by M s(t) per second is M : e of the
/// strain e at the source of a force s(t) along i at r.
namespace kaname::jobs {

struct SeismicSource;

/// The forces of reciprocal solves: about what strains of the Earth in N come to, far from where
/// single precision ends.
inline constexpr double kReciprocalForce_n = 1e12;

/// Where the strains of forces are wanted.
struct StrainPoints {
    struct Share {
        std::size_t place = 0;
        std::array<double, 6> moment_nm{};  ///< xx, yy, zz, yz, xz, xy
    };
    std::vector<aderdg::PointInTet> places;   ///< each once
    std::vector<std::vector<Share>> sources;  ///< of the job
};

/// Throws ValidationError naming the field of a source that lies in a liquid.
[[nodiscard]] StrainPoints strain_points(const SeismicJob& job, const aderdg::WaveModel& waves,
                                         const std::vector<SeismicSource>& sources);

/// Force `number` of the job: along x, y, z at its receiver, with the sources' moment rate as s(t).
[[nodiscard]] aderdg::PointSource reciprocal_force(const SeismicJob& job,
                                                   const std::vector<aderdg::PointInTet>& receivers,
                                                   std::size_t number, int lane);

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
