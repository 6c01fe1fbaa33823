// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/wave_resolution.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::jobs {
namespace {

// Part of the amplitude that waves lose over a path in wavelengths.
constexpr double kLoss = 0.0123, kPath = 30.0;
// kWorthANote and kLeast are parts of the wanted resolution: below kWorthANote a note is given,
// below kLeast the mesh is refused. The mesher's edges are up to a fifth longer than what is asked
// for, and more where it moves vertices.
constexpr double kWorthANote = 0.75;
constexpr double kLeast = 0.5;

std::string worst_text(const WaveResolution& resolution) {
    const WaveResolution::Worst& worst = resolution.worst;
    return formatted("%.3g", worst.per_wavelength) + " at " + place_text(worst.centroid) +
           ", an edge of " + formatted("%.4g", worst.edge_m) + " m for waves of " +
           formatted("%.4g", worst.speed_m_per_s / resolution.frequency_hz) + " m";
}

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

std::optional<std::string> resolution_note(const WaveResolution& resolution) {
    if (resolution.worst.per_wavelength >= kWorthANote * resolution.wanted) {
        return std::nullopt;
    }
    return formatted("%.3g", 100.0 * resolution.share_coarse) + " % of the volume has less than " +
           formatted("%.3g", resolution.wanted) + " elements per wavelength, at worst " +
           worst_text(resolution);
}

void require_resolution(const WaveResolution& resolution, const std::string& field) {
    const double least = kLeast * resolution.wanted;
    if (resolution.worst.per_wavelength < least) {
        throw ValidationError(std::vector<Violation>{
            {field, "must have at least " + formatted("%.3g", least) +
                        " elements per wavelength everywhere, got " + worst_text(resolution) +
                        "; the mesh has " + formatted("%.3g", resolution.wanted) + " up to " +
                        formatted("%.3g", resolution.resolved_hz()) + " Hz"}});
    }
}

}  // namespace kaname::jobs
