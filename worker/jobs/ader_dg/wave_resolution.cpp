// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/wave_resolution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/earth/columns.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/meshing/cleaving/octree.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"

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

namespace {

constexpr int kLinesOfSpeeds = 128;  // along the longer side
constexpr int kHeights = 24;         // in a piece of a line: profiles have 20 materials
// Roots are up to twice as small as the largest elements may be: half of that is a division.
constexpr double kFinest = 2.0;
constexpr double kFlattest = 0.8;  // height of cubes over their width, and the other way round
// kCutStep is the part that cutting leaves of the time steps of elements about an interface that
// lies a quarter of a cube from the planes of the lattice.
constexpr double kCutStep = 0.4;

/// Updates per second of signal, but for a factor, of the lattice with these roots.
class LatticeCost {
public:
    LatticeCost(const cleaving::VolumeMeshParams& params, std::span<const VolumeSpeeds> speeds)
        : params_(params),
          speeds_(speeds),
          sizes_(without_points(params.sizes), params.box, params.model) {
        earth::ModelColumns columns(*params.model);
        pieces_ = columns.cut(0.0, 0.0);
    }

    double operator()(const std::array<std::int32_t, 3>& roots) const {
        const Vec3 half{0.5 * params_.box.size_east_m / roots[0],
                        0.5 * params_.box.size_north_m / roots[1],
                        0.5 * (top_m() + params_.box.depth_m) / roots[2]};
        double cost = 0.0;
        for (int k = 0; k < roots[2]; ++k) {
            cost += of_cube(half, top_m() - (2 * k + 1) * half.z);
        }
        return cost * roots[0] * roots[1];
    }

    [[nodiscard]] double top_m() const { return pieces_.back().top_m; }

private:
    static cleaving::SizeRequest without_points(cleaving::SizeRequest sizes) {
        sizes.points.clear();
        return sizes;
    }

    [[nodiscard]] double of_cube(const Vec3& half, double z) const {
        const double reach = std::max({half.x, half.y, half.z});
        if (2.0 * reach * cleaving::kSizePerEdge >
            cleaving::kLargest * sizes_.smallest({0.0, 0.0, z}, reach)) {
            const Vec3 child = 0.5 * half;
            return 4.0 * (of_cube(child, z - child.z) + of_cube(child, z + child.z));
        }
        double fastest = 0.0, step = std::min({half.x, half.y, half.z});
        for (const earth::ColumnPiece& piece : pieces_) {
            if (piece.top_m > z - half.z && piece.bottom_m < z + half.z) {
                fastest = std::max(fastest, speeds_[piece.volume].fastest_m_per_s);
                // 0 on the planes through cubes' faces and middles, 1 half-way between
                const double place = (piece.bottom_m - z) / half.z;
                if (std::abs(place) < 1.0) {
                    step *= 1.0 - (1.0 - kCutStep) * 2.0 * std::abs(place - std::round(place));
                }
            }
        }
        return fastest / step;
    }

    const cleaving::VolumeMeshParams& params_;
    std::span<const VolumeSpeeds> speeds_;
    cleaving::SizeField sizes_;
    std::vector<earth::ColumnPiece> pieces_;  // from the bottom up
};

}  // namespace

double slowest_m_per_s(const earth::Material& material) {
    const double modulus =
        material.mu_pa > 0.0 ? material.mu_pa : material.lambda_pa + 2.0 * material.mu_pa;
    return std::sqrt(modulus / material.density_kg_m3);
}

double fastest_m_per_s(const earth::Material& material) {
    return std::sqrt((material.lambda_pa + 2.0 * material.mu_pa) / material.density_kg_m3);
}

std::vector<VolumeSpeeds> speeds_of_volumes(const earth::VolumeModel& model) {
    std::vector<VolumeSpeeds> speeds(model.volumes.size());
    earth::ModelColumns columns(model);
    const auto plan = columns.plan(kLinesOfSpeeds);
    for (int j = 0; j < plan.nv; ++j) {
        for (int i = 0; i < plan.nu; ++i) {
            const double u = columns.u(plan, i), v = columns.v(plan, j);
            for (const earth::ColumnPiece& piece : columns.cut(u, v)) {
                VolumeSpeeds& of_volume = speeds[piece.volume];
                for (int k = 0; k < kHeights; ++k) {
                    const double part = (k + 0.5) / kHeights;
                    const double z = piece.bottom_m + part * (piece.top_m - piece.bottom_m);
                    const earth::Material& material =
                        model.materials[model.volumes[piece.volume].material->material_at(u, v, z)];
                    const double slow = slowest_m_per_s(material);
                    of_volume.slowest_m_per_s = of_volume.slowest_m_per_s == 0.0
                                                    ? slow
                                                    : std::min(of_volume.slowest_m_per_s, slow);
                    of_volume.fastest_m_per_s =
                        std::max(of_volume.fastest_m_per_s, fastest_m_per_s(material));
                }
            }
        }
    }
    return speeds;
}

double size_for_edge_m(double edge_m) {
    return edge_m * cleaving::kSizePerEdge / cleaving::kLargest;
}

std::array<std::int32_t, 3> roots_for_layers(const cleaving::VolumeMeshParams& params,
                                             std::span<const VolumeSpeeds> speeds) {
    const LatticeCost cost(params, speeds);
    const meshing::Box& box = params.box;
    const double height = box.depth_m + cost.top_m();
    const double largest = params.sizes.far_m * cleaving::kLargest / cleaving::kSizePerEdge;
    const auto count = [](double length, double edge) {
        return std::max(1, static_cast<std::int32_t>(std::lround(length / edge)));
    };
    const auto fewest = static_cast<std::int32_t>(std::ceil(height / largest));
    const auto most = static_cast<std::int32_t>(kFinest * height / largest) + 1;
    std::array<std::int32_t, 3> best{};
    double least = std::numeric_limits<double>::infinity();
    for (std::int32_t up = std::max(1, fewest); up <= most; ++up) {
        const double edge = height / up;
        constexpr int kWidths = 8;
        for (int width = 0; width <= kWidths; ++width) {
            const double wide = edge * std::pow(kFlattest, 1.0 - 2.0 * width / kWidths);
            const std::array<std::int32_t, 3> roots{count(box.size_east_m, wide),
                                                    count(box.size_north_m, wide), up};
            if (const double here = cost(roots); here < least) {
                least = here;
                best = roots;
            }
        }
    }
    return best;
}

}  // namespace kaname::jobs
