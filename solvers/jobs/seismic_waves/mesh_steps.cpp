// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/mesh_steps.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/aderdg/tet_topology.hpp"
#include "solvers/mesh/tet_shape.hpp"

namespace kaname::jobs {
namespace {

constexpr int kWiggles = 50;

aderdg::Clusters with_step(double step_s, std::span<const double> largest_s,
                           std::span<const double> count) {
    constexpr double kRounding = 1e-12;  // a step of just twice the smallest is in cluster 1
    std::vector<double> sums;
    for (std::size_t k = 0; k < largest_s.size(); ++k) {
        const auto c =
            static_cast<std::size_t>(std::ilogb(largest_s[k] / step_s * (1.0 + kRounding)));
        sums.resize(std::max(sums.size(), c + 1));
        sums[c] += count[k];
    }
    aderdg::Clusters clusters;
    clusters.step_s = step_s;
    for (const double sum : sums) {
        clusters.elements.push_back(std::llround(sum));
    }
    return clusters;
}

}  // namespace

double updates_per_s(const aderdg::Clusters& clusters) {
    return static_cast<double>(clusters.updates()) / clusters.macro_step_s();
}

double gain_of(const aderdg::Clusters& clusters) {
    double tets = 0.0;
    for (const std::int64_t count : clusters.elements) {
        tets += static_cast<double>(count);
    }
    return tets / clusters.step_s / updates_per_s(clusters);
}

aderdg::Clusters clusters_of_steps(std::span<const double> largest_s, std::span<const double> count,
                                   double least_wiggle) {
    const double smallest_s = std::ranges::min(largest_s);
    aderdg::Clusters best = with_step(smallest_s, largest_s, count);
    for (int k = 1; k < kWiggles; ++k) {
        const double wiggle = 1.0 - (1.0 - least_wiggle) * k / (kWiggles - 1);
        aderdg::Clusters other = with_step(wiggle * smallest_s, largest_s, count);
        if (updates_per_s(other) < updates_per_s(best)) {
            best = std::move(other);
        }
    }
    return best;
}

StepShapes measure_steps(const aderdg::WaveModel& model) {
    StepShapes shapes{1.0, 180.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0};
    std::vector<double> times(model.mesh.tets.size());
    for (std::size_t tet = 0; tet < times.size(); ++tet) {
        const mesh::Corners at = mesh::corners_of(model.mesh, tet);
        const double diameter_m = aderdg::TetShape::of(at).insphere_diameter_m;
        times[tet] = diameter_m / model.solids[model.mesh.material[tet]].vp_m_per_s();
        shapes.least_insphere_per_edge =
            std::min(shapes.least_insphere_per_edge, diameter_m / mesh::longest_edge_m(at));
        const auto [least, most] = std::ranges::minmax(mesh::dihedral_angles_deg(at));
        shapes.min_dihedral_deg = std::min(shapes.min_dihedral_deg, least);
        shapes.max_dihedral_deg = std::max(shapes.max_dihedral_deg, most);
    }
    shapes.least_tet = std::ranges::min_element(times) - times.begin();
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
