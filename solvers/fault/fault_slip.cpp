// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/fault_slip.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>

namespace kaname::fault {
namespace {

using Triple = std::array<std::int32_t, 3>;

constexpr double kSlips = 1e-9;   // share of the largest slip: less is rounding at a hat's edge
constexpr double kInArea = 0.05;  // share of the largest slip: less is a projection's swing

Triple sorted(Triple face) {
    std::ranges::sort(face);
    return face;
}

struct BothSides {
    double sum_pa = 0.0;
    double least_pa = std::numeric_limits<double>::infinity();
    int sides = 0;
};

/// Shear moduli of the tetrahedra at each fault face.
std::map<Triple, BothSides> moduli(const mesh::TetMesh& mesh,
                                   std::span<const earth::Material> materials) {
    std::map<Triple, BothSides> at;
    std::vector<bool> on_fault(mesh.xyz.size(), false);
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        at.emplace(sorted(face.vertices), BothSides{});
        for (const std::int32_t vertex : face.vertices) {
            on_fault[vertex] = true;
        }
    }
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const auto& v = mesh.tets[tet];
        if (std::ranges::count_if(v, [&](std::int32_t vertex) { return on_fault[vertex]; }) < 3) {
            continue;
        }
        const double mu_pa = materials[mesh.material[tet]].mu_pa;
        for (int left_out = 0; left_out < 4; ++left_out) {
            const Triple face = {v[(left_out + 1) % 4], v[(left_out + 2) % 4],
                                 v[(left_out + 3) % 4]};
            if (const auto found = at.find(sorted(face)); found != at.end()) {
                BothSides& both = found->second;
                both.sum_pa += mu_pa;
                both.least_pa = std::min(both.least_pa, mu_pa);
                ++both.sides;
            }
        }
    }
    return at;
}

double largest(std::span<const Vec3> slip) {
    double largest = 0.0;
    for (const Vec3& s : slip) {
        largest = std::max(largest, norm(s));
    }
    return largest;
}

}  // namespace

FaultSlip::FaultSlip(const mesh::TetMesh& mesh, const p2::DofMap& dofs, const SplitNodes& split,
                     std::span<const earth::Material> materials)
    : n_split_(split.split.size()) {
    const std::map<Triple, BothSides> mu = moduli(mesh, materials);
    for (const FaultTriangle& triangle : fault_triangles(mesh, dofs, split)) {
        const auto& n = triangle.nodes;
        const BothSides& both = mu.at(sorted({n[0], n[1], n[2]}));
        faces_.push_back({triangle, both.sum_pa / both.sides, both.least_pa});
    }
}

double FaultSlip::Sums::rigidity_pa() const {
    return potency_m3 > 0.0 ? moment_nm / potency_m3 : std::numeric_limits<double>::quiet_NaN();
}

FaultSlip::Sums FaultSlip::sums(std::span<const double> amount) const {
    double largest = 0.0;
    for (const double s : amount) {
        largest = std::max(largest, std::abs(s));
    }
    const auto at = [&](std::int32_t node) { return node < 0 ? 0.0 : amount[node]; };
    Sums sums;
    for (const Face& face : faces_) {
        const auto& n = face.of.split;
        const double mean = (at(n[3]) + at(n[4]) + at(n[5])) / 3.0;
        const double potency = face.of.area_m2 * mean;
        const bool slips = std::ranges::any_of(
            n, [&](std::int32_t node) { return std::abs(at(node)) > kInArea * largest; });
        sums.area_m2 += slips ? face.of.area_m2 : 0.0;
        sums.potency_m3 += potency;
        sums.moment_nm += face.mean_mu_pa * potency;
        sums.softer_moment_nm += face.least_mu_pa * potency;
    }
    return sums;
}

std::vector<double> FaultSlip::amounts(std::span<const Vec3> slip) {
    std::vector<double> amounts;
    std::ranges::transform(slip, std::back_inserter(amounts),
                           [](const Vec3& s) { return norm(s); });
    return amounts;
}

FaultSlip::Support FaultSlip::support(std::span<const Vec3> slip) {
    const double least = kSlips * largest(slip);
    Support support;
    for (std::size_t k = 0; k < slip.size(); ++k) {
        if (norm(slip[k]) > least) {
            support.nodes.push_back(static_cast<std::int32_t>(k));
            support.mean += slip[k];
        }
    }
    return support;
}

std::vector<std::vector<std::int32_t>> FaultSlip::neighbours(
    std::span<const Support> sources) const {
    // Nodes half an edge apart: each vertex and the middles of its two edges; the middles.
    std::vector<std::vector<std::int32_t>> next(n_split_);
    for (const Face& face : faces_) {
        constexpr int kPairs[9][2] = {{0, 3}, {3, 1}, {1, 4}, {4, 2}, {2, 5},
                                      {5, 0}, {3, 4}, {4, 5}, {5, 3}};
        for (const auto& [i, j] : kPairs) {
            const std::int32_t a = face.of.split[i], b = face.of.split[j];
            if (a >= 0 && b >= 0) {
                next[a].push_back(b);
                next[b].push_back(a);
            }
        }
    }
    std::vector<std::vector<std::int32_t>> here(n_split_);  // sources that slip at a node
    for (std::size_t source = 0; source < sources.size(); ++source) {
        for (const std::int32_t node : sources[source].nodes) {
            here[node].push_back(static_cast<std::int32_t>(source));
        }
    }
    std::vector<std::vector<std::int32_t>> result(sources.size());
    for (std::size_t source = 0; source < sources.size(); ++source) {
        const Vec3& mean = sources[source].mean;
        std::vector<bool> met(sources.size(), false);
        const auto meet = [&](std::int32_t node) {
            for (const std::int32_t other : here[node]) {
                met[other] = true;
            }
        };
        for (const std::int32_t node : sources[source].nodes) {
            meet(node);
            std::ranges::for_each(next[node], meet);
        }
        for (std::size_t other = 0; other < sources.size(); ++other) {
            const Vec3& its = sources[other].mean;
            const bool along = dot(mean, its) > std::numbers::sqrt2 / 2.0 * norm(mean) * norm(its);
            if (other != source && met[other] && along) {
                result[source].push_back(static_cast<std::int32_t>(other));
            }
        }
    }
    return result;
}

}  // namespace kaname::fault
