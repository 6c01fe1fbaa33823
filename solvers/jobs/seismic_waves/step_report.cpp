// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/step_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "solvers/mesh/face_set.hpp"
#include "solvers/mesh/tet_shape.hpp"
#include "solvers/mesh/tet_topology.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::jobs {
namespace {

/// Insphere diameter over vp of every tet [s].
std::vector<double> crossing_times(const aderdg::WaveModel& model) {
    std::vector<double> slowness;
    for (const aderdg::Solid& solid : model.solids) {
        slowness.push_back(1.0 / solid.vp_m_per_s());
    }
    std::vector<double> times(model.mesh.tets.size());
    parallel_for(std::ssize(times), [&](std::int64_t tet) {
        times[tet] = mesh::insphere_diameter_m(mesh::corners_of(model.mesh, tet)) *
                     slowness[model.mesh.material[tet]];
    });
    return times;
}

int cluster_of(double dt_s, double least_s) {
    constexpr double kRounding = 1e-12;  // a step of just twice the smallest is in cluster 1
    return std::ilogb(dt_s / least_s * (1.0 + kRounding));
}

/// The two tets of every face, -1 outside.
std::vector<std::array<std::int64_t, 2>> tets_of_faces(const mesh::TetMesh& mesh) {
    const mesh::FaceSet faces(mesh);
    std::vector<std::array<std::int64_t, 2>> tets(faces.size(), {-1, -1});
    for (std::int64_t tet = 0; tet < std::ssize(mesh.tets); ++tet) {
        const auto& v = mesh.tets[tet];
        for (const auto& [a, b, c] : mesh::kTetFaces) {
            auto& pair = tets[faces.find({v[a], v[b], v[c]})];
            pair[pair[0] < 0 ? 0 : 1] = tet;
        }
    }
    return tets;
}

/// Lowers clusters until neighbours differ by one at most: from the lowest up, so that each face
/// is looked at once per cluster.
void join_neighbours(const mesh::TetMesh& mesh, std::vector<int>& cluster) {
    const auto faces = tets_of_faces(mesh);
    const int last = std::ranges::max(cluster);
    for (int low = 0; low + 2 <= last; ++low) {
        for (const auto& [one, other] : faces) {
            if (other < 0) {
                continue;
            }
            if (cluster[one] == low) {
                cluster[other] = std::min(cluster[other], low + 1);
            } else if (cluster[other] == low) {
                cluster[one] = std::min(cluster[one], low + 1);
            }
        }
    }
}

StepReport sum_up(double least_s, const std::vector<int>& cluster, std::span<const double> count) {
    std::vector<double> sums;
    for (std::size_t k = 0; k < cluster.size(); ++k) {
        sums.resize(std::max(sums.size(), std::size_t(cluster[k]) + 1));
        sums[cluster[k]] += count.empty() ? 1.0 : count[k];
    }
    StepReport report;
    report.dt_min_s = least_s;
    for (std::size_t c = 0; c < sums.size(); ++c) {
        report.per_cluster.push_back(std::llround(sums[c]));
        report.updates_per_s += sums[c] / std::ldexp(least_s, static_cast<int>(c));
    }
    return report;
}

std::vector<int> clusters_of(std::span<const double> dt_s, double least_s) {
    std::vector<int> cluster(dt_s.size());
    std::ranges::transform(dt_s, cluster.begin(),
                           [&](double dt_s) { return cluster_of(dt_s, least_s); });
    return cluster;
}

}  // namespace

double step_of(double insphere_diameter_m, double vp_m_per_s, int order, double cfl) {
    const int degree = order - 1;
    return cfl * insphere_diameter_m / ((2 * degree + 1) * vp_m_per_s);
}

double StepReport::gain() const {
    std::int64_t tets = 0;
    for (const std::int64_t count : per_cluster) {
        tets += count;
    }
    return static_cast<double>(tets) / dt_min_s / updates_per_s;
}

StepReport report_steps(std::span<const double> dt_s, std::span<const double> count) {
    const double least_s = std::ranges::min(dt_s);
    return sum_up(least_s, clusters_of(dt_s, least_s), count);
}

StepReport report_steps(const aderdg::WaveModel& model, int order, double cfl) {
    std::vector<double> dt_s = crossing_times(model);
    for (double& step : dt_s) {
        step = step_of(step, 1.0, order, cfl);
    }
    const double least_s = std::ranges::min(dt_s);
    std::vector<int> cluster = clusters_of(dt_s, least_s);
    join_neighbours(model.mesh, cluster);
    return sum_up(least_s, cluster, {});
}

StepShapes measure_steps(const aderdg::WaveModel& model) {
    std::vector<double> times = crossing_times(model);
    StepShapes shapes{1.0, 180.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0};
    shapes.least_tet = std::ranges::min_element(times) - times.begin();
    for (std::size_t tet = 0; tet < times.size(); ++tet) {
        const mesh::Corners at = mesh::corners_of(model.mesh, tet);
        shapes.least_insphere_per_edge =
            std::min(shapes.least_insphere_per_edge,
                     mesh::insphere_diameter_m(at) / mesh::longest_edge_m(at));
        const auto [least, most] = std::ranges::minmax(mesh::dihedral_angles_deg(at));
        shapes.min_dihedral_deg = std::min(shapes.min_dihedral_deg, least);
        shapes.max_dihedral_deg = std::max(shapes.max_dihedral_deg, most);
    }
    std::ranges::sort(times);
    const auto quantile = [&](double part) {
        return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
    };
    shapes.least_s = times.front();
    shapes.p001_s = quantile(0.001);
    shapes.p01_s = quantile(0.01);
    shapes.median_s = quantile(0.5);
    shapes.most_s = times.back();
    return shapes;
}

}  // namespace kaname::jobs
