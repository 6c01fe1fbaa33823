// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/fault_slip.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

#include "solvers/base/error.hpp"

namespace kaname::fault {
namespace {

/// int phi_i phi_j dA over a triangle of area 180.
constexpr double kMass[6][6] = {{6, -1, -1, 0, -4, 0},  {-1, 6, -1, 0, 0, -4},
                                {-1, -1, 6, -4, 0, 0},  {0, 0, -4, 32, 16, 16},
                                {-4, 0, 0, 16, 32, 16}, {0, -4, 0, 16, 16, 32}};
constexpr double kMassArea = 180.0;

}  // namespace

std::vector<FaultTriangle> fault_triangles(const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                                           const SplitNodes& split) {
    std::vector<FaultTriangle> triangles;
    triangles.reserve(mesh.fault_faces.size());
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        const auto& [a, b, c] = face.vertices;
        FaultTriangle triangle;
        triangle.nodes = {
            a, b, c, dofs.edge_node(a, b), dofs.edge_node(b, c), dofs.edge_node(c, a)};
        std::ranges::transform(triangle.nodes, triangle.split.begin(), [&](std::int32_t node) {
            return split.index({node, face.fault});
        });
        triangle.fault = face.fault;
        const Vec3 twice = cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
        triangle.area_m2 = 0.5 * norm(twice);
        triangle.normal = normalized(twice);
        triangles.push_back(triangle);
    }
    return triangles;
}

std::array<double, 6> triangle_functions(double l1, double l2) {
    const double l0 = 1.0 - l1 - l2;
    return {l0 * (2.0 * l0 - 1.0), l1 * (2.0 * l1 - 1.0), l2 * (2.0 * l2 - 1.0),
            4.0 * l0 * l1,         4.0 * l1 * l2,         4.0 * l2 * l0};
}

SlipProjection::SlipProjection(std::span<const FaultTriangle> triangles, std::size_t n_split)
    : triangles_(triangles.begin(), triangles.end()), inverse_diagonal_(n_split, 0.0) {
    for (const FaultTriangle& triangle : triangles_) {
        for (int i = 0; i < 6; ++i) {
            if (const std::int32_t node = triangle.split[i]; node >= 0) {
                inverse_diagonal_[node] += triangle.area_m2 / kMassArea * kMass[i][i];
            }
        }
    }
    for (double& value : inverse_diagonal_) {
        value = value > 0.0 ? 1.0 / value : 0.0;
    }
}

void SlipProjection::apply(std::span<const double> x, std::span<double> y) const {
    std::ranges::fill(y, 0.0);
    for (const FaultTriangle& triangle : triangles_) {
        const double scale = triangle.area_m2 / kMassArea;
        for (int i = 0; i < 6; ++i) {
            const std::int32_t row = triangle.split[i];
            if (row < 0) {
                continue;
            }
            double sum = 0.0;
            for (int j = 0; j < 6; ++j) {
                if (const std::int32_t column = triangle.split[j]; column >= 0) {
                    sum += kMass[i][j] * x[column];
                }
            }
            y[row] += scale * sum;
        }
    }
}

std::vector<double> SlipProjection::solve(std::span<const double> load) const {
    constexpr double kTolerance = 1e-12;
    constexpr int kMostIterations = 500;
    const std::size_t n = inverse_diagonal_.size();
    std::vector<double> x(n, 0.0), r(load.begin(), load.end()), z(n), p(n, 0.0), q(n);
    const auto dot_of = [](const std::vector<double>& a, const std::vector<double>& b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    double before = 1.0;
    double first = 0.0;
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
        std::ranges::transform(r, inverse_diagonal_, z.begin(), std::multiplies<>());
        const double rz = dot_of(r, z);
        first = iteration == 0 ? rz : first;
        if (rz <= kTolerance * kTolerance * first) {
            return x;
        }
        for (std::size_t k = 0; k < n; ++k) {
            p[k] = z[k] + rz / before * p[k];
        }
        before = rz;
        apply(p, q);
        const double step = rz / dot_of(p, q);
        for (std::size_t k = 0; k < n; ++k) {
            x[k] += step * p[k];
            r[k] -= step * q[k];
        }
    }
    throw Error(ErrorCode::Internal, "the slip's projection did not converge");
}

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
