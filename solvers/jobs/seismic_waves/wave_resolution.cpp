// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/wave_resolution.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/mesh/tet_shape.hpp"

namespace kaname::jobs {
namespace {

// Part of the amplitude that waves lose over a path in wavelengths.
constexpr double kLoss = 0.0123, kPath = 30.0;
// Of what is wanted: the mesher's elements are up to a fifth larger than what is asked for.
constexpr double kWorthAWarning = 0.75;

}  // namespace

double wanted_elements_per_wavelength(int order) {
    const int degree = order - 1;
    // n elements of k h = 2 pi / n in each wavelength:
    //   kPath n / 2 [N! / (2 N + 1)!]^2 (2 pi / n)^(2 N + 2) = kLoss
    const double ratio = std::tgamma(degree + 1.0) / std::tgamma(2.0 * degree + 2.0);
    const double power = 2.0 * degree + 2.0;
    return std::pow(0.5 * kPath / kLoss * ratio * ratio * std::pow(2.0 * std::numbers::pi, power),
                    1.0 / (power - 1.0));
}

double slowest_speed_m_per_s(const aderdg::Solid& solid) {
    return solid.mu_pa > 0.0 ? solid.vs_m_per_s() : solid.vp_m_per_s();
}

WaveResolution measure_resolution(const aderdg::WaveModel& model, double frequency_hz,
                                  double wanted) {
    WaveResolution result;
    result.wanted = wanted;
    result.frequency_hz = frequency_hz;
    result.worst.per_wavelength = std::numeric_limits<double>::infinity();
    double volume = 0.0, coarse = 0.0, sum = 0.0;
    for (std::size_t tet = 0; tet < model.mesh.tets.size(); ++tet) {
        const mesh::Corners at = mesh::corners_of(model.mesh, tet);
        const double edge_m = mesh::longest_edge_m(at);
        const double speed = slowest_speed_m_per_s(model.solids[model.mesh.material[tet]]);
        const double per_wavelength = speed / (frequency_hz * edge_m);
        const double here = mesh::volume_of(at);
        volume += here;
        sum += here * per_wavelength;
        coarse += per_wavelength < wanted ? here : 0.0;
        if (per_wavelength < result.worst.per_wavelength) {
            result.worst = {static_cast<std::int64_t>(tet), per_wavelength, edge_m, speed,
                            mesh::centroid_of(at)};
        }
    }
    result.mean = sum / volume;
    result.share_coarse = coarse / volume;
    return result;
}

std::optional<std::string> check_resolution(const WaveResolution& resolution,
                                            const std::string& field) {
    const WaveResolution::Worst& worst = resolution.worst;
    const auto place = [&] {
        return number(worst.per_wavelength) + " elements per wavelength at " +
               place_text(worst.centroid) + ", an edge of " + number(worst.edge_m) + " m where " +
               number(resolution.frequency_hz) + " Hz have " +
               number(worst.speed_m_per_s / resolution.frequency_hz) + " m";
    };
    if (worst.per_wavelength < kLeastResolution * resolution.wanted) {
        throw ValidationError(std::vector<Violation>{
            {field, "must be resolved with " + number(kLeastResolution * resolution.wanted) +
                        " elements per wavelength at least, got " + place() +
                        "; the mesh resolves " + number(resolution.resolved_hz()) + " Hz with " +
                        number(resolution.wanted)}});
    }
    if (worst.per_wavelength >= kWorthAWarning * resolution.wanted) {
        return std::nullopt;
    }
    return formatted("%.3g", 100.0 * resolution.share_coarse) + " % of the volume has less than " +
           number(resolution.wanted) + " elements per wavelength, at worst " + place();
}

}  // namespace kaname::jobs
