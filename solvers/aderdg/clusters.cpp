// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/clusters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/aderdg/wave_solver.hpp"

namespace kaname::aderdg {
namespace {

constexpr int kMostClusters = 24;
constexpr int kWiggles = 50;

/// Clusters with a smallest step, neighbours at most one apart.
std::vector<std::uint8_t> normalised(std::span<const double> largest_s, const TetTopology& topology,
                                     double step_s, int most) {
    const std::int64_t n = std::ssize(largest_s);
    std::vector<std::uint8_t> cluster(n);
    std::vector<std::int64_t> changed;
    for (std::int64_t e = 0; e < n; ++e) {
        int c = 0;
        while (c + 1 < most && step_s * std::ldexp(1.0, c + 1) <= largest_s[e] * (1.0 + 1e-12)) {
            ++c;
        }
        cluster[e] = static_cast<std::uint8_t>(c);
        changed.push_back(e);
    }
    while (!changed.empty()) {
        std::vector<std::int64_t> next;
        for (const std::int64_t e : changed) {
            for (const TetTopology::Beyond& beyond : topology.beyond[e]) {
                // Both sides of a fault step together.
                const int most = cluster[e] + (beyond.fault_face >= 0 ? 0 : 1);
                if (beyond.tet >= 0 && cluster[beyond.tet] > most) {
                    cluster[beyond.tet] = static_cast<std::uint8_t>(most);
                    next.push_back(beyond.tet);
                }
            }
        }
        changed.swap(next);
    }
    return cluster;
}

int clusters_in(std::span<const std::uint8_t> cluster) {
    return 1 + *std::ranges::max_element(cluster);
}

/// The smallest step, made shorter so that end_s is a whole number of macro steps.
double fitted(double step_s, int n_clusters, double end_s, std::int64_t& macro_steps) {
    const double macro_s = std::ldexp(step_s, n_clusters - 1);
    macro_steps = std::max<std::int64_t>(1, std::llround(std::ceil(end_s / macro_s - 1e-9)));
    return std::ldexp(end_s / static_cast<double>(macro_steps), 1 - n_clusters);
}

}  // namespace

double default_cfl(int order) {
    // In one dimension steps are stable up to 0.5 at orders 6 and 7, 0.6 at order 5, 0.7 at order 4
    // (Dumbser et al. 2008); in space about the same was seen.
    return order <= 5 ? 0.5 : order == 6 ? 0.45 : 0.4;
}

double largest_step_s(double insphere_diameter_m, double vp_m_per_s, const WaveParams& params) {
    const double cfl = params.cfl > 0.0 ? params.cfl : default_cfl(params.order);
    return std::min(params.longest_step_s,
                    cfl * insphere_diameter_m / ((2.0 * params.order - 1.0) * vp_m_per_s));
}

double relaxation_step_s(double omega_per_s) {
    constexpr double kOmegaStep = 1.6;  // a fifth below what order 2 allows
    return kOmegaStep / omega_per_s;
}

std::vector<double> largest_steps(const WaveModel& model, const TetTopology& topology,
                                  const WaveParams& params) {
    std::vector<double> most_s;  // by solid
    for (const Solid& solid : model.solids) {
        double& most = most_s.emplace_back(std::numeric_limits<double>::infinity());
        // Also where they have no weight: what they hold must stay a number.
        for (const Solid::Mechanism& mechanism : solid.mechanisms) {
            most = std::min(most, relaxation_step_s(mechanism.omega_per_s));
        }
    }
    std::vector<double> largest_s(topology.tets.size());
    for (std::size_t e = 0; e < largest_s.size(); ++e) {
        const TetShape shape =
            TetShape::of(corners_of(model, topology, static_cast<std::int64_t>(e)));
        const auto material = static_cast<std::size_t>(model.mesh.material[e]);
        largest_s[e] = std::min(
            most_s[material],
            largest_step_s(shape.insphere_diameter_m, model.solids[material].vp_m_per_s(), params));
    }
    return largest_s;
}

Clustering cluster(std::span<const double> largest_s, const TetTopology& topology,
                   const WaveParams& params) {
    const double smallest_s = *std::ranges::min_element(largest_s);
    int most = params.local_time_steps ? kMostClusters : 1;
    while (most > 1 && std::ldexp(smallest_s, most - 1) > params.end_s) {
        --most;
    }
    Clustering best;
    double least = 0.0;
    const int tries = params.local_time_steps ? kWiggles : 1;
    for (int k = 0; k < tries; ++k) {
        const double wiggle =
            tries == 1 ? 1.0 : 1.0 - (1.0 - params.least_wiggle) * k / (tries - 1);
        Clustering found;
        found.cluster = normalised(largest_s, topology, wiggle * smallest_s, most);
        found.n_clusters = clusters_in(found.cluster);
        found.step_s =
            fitted(wiggle * smallest_s, found.n_clusters, params.end_s, found.macro_steps);
        double updates = 0.0;  // per macro step
        for (const std::uint8_t c : found.cluster) {
            updates += std::ldexp(1.0, found.n_clusters - 1 - c);
        }
        updates *= static_cast<double>(found.macro_steps);
        if (k == 0 || updates < least) {
            least = updates;
            best = std::move(found);
        }
    }
    return best;
}

std::int64_t Clusters::updates() const {
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < elements.size(); ++c) {
        sum += elements[c] << (elements.size() - 1 - c);
    }
    return sum;
}

}  // namespace kaname::aderdg
