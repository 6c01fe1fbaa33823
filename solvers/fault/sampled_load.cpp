// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/sampled_load.hpp"

#include <algorithm>

#include "solvers/fault/triangle_rule.hpp"

namespace kaname::fault {
namespace {

constexpr double kLinear = 1e-3;      // departure from linear / largest slip
constexpr double kDown = 1.0 / 32.0;  // shortest edge / finest_m

struct Sample {
    double l1, l2;
    Vec3 slip;
};

class Sampler {
public:
    Sampler(const FaultTriangle& triangle, std::span<const Vec3> node_xyz,
            const std::function<Vec3(const FaultTriangle&, const Vec3&)>& slip, double finest_m,
            double largest_m)
        : triangle_(triangle), slip_(slip), finest_m_(finest_m), tolerance_m_(kLinear * largest_m) {
        for (int k = 0; k < 3; ++k) {
            corner_[k] = node_xyz[triangle.nodes[k]];
        }
    }

    /// int s phi over the triangle, relative to its area.
    [[nodiscard]] std::array<Vec3, 6> run() {
        double longest = 0.0;
        for (int k = 0; k < 3; ++k) {
            longest = std::max(longest, norm(corner_[k] - corner_[(k + 1) % 3]));
        }
        add(at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0), longest, 1.0);
        return sum_;
    }

private:
    [[nodiscard]] Sample at(double l1, double l2) const {
        const Vec3 x = corner_[0] + l1 * (corner_[1] - corner_[0]) + l2 * (corner_[2] - corner_[0]);
        return {l1, l2, slip_(triangle_, x)};
    }
    [[nodiscard]] Sample middle(const Sample& a, const Sample& b) const {
        return at(0.5 * (a.l1 + b.l1), 0.5 * (a.l2 + b.l2));
    }
    void add(const Sample& a, const Sample& b, const Sample& c, double edge_m, double fraction) {
        const Sample ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
        const auto bent = [&](const Sample& from, const Sample& to, const Sample& between) {
            return norm(between.slip - 0.5 * (from.slip + to.slip)) > tolerance_m_;
        };
        const bool uneven = bent(a, b, ab) || bent(b, c, bc) || bent(c, a, ca);
        if (edge_m > finest_m_ || (uneven && edge_m > kDown * finest_m_)) {
            add(a, ab, ca, 0.5 * edge_m, 0.25 * fraction);
            add(ab, b, bc, 0.5 * edge_m, 0.25 * fraction);
            add(ca, bc, c, 0.5 * edge_m, 0.25 * fraction);
            add(ab, bc, ca, 0.5 * edge_m, 0.25 * fraction);
            return;
        }
        const Sample* const six[] = {&a, &b, &c, &ab, &bc, &ca};
        for (const auto& [u, v, weight] : kTriangleRule) {
            const auto here = triangle_functions(u, v);
            Vec3 slip;
            for (int k = 0; k < 6; ++k) {
                slip += (weight * fraction * here[k]) * six[k]->slip;
            }
            const auto phi = triangle_functions(a.l1 + u * (b.l1 - a.l1) + v * (c.l1 - a.l1),
                                                a.l2 + u * (b.l2 - a.l2) + v * (c.l2 - a.l2));
            for (int k = 0; k < 6; ++k) {
                sum_[k] += phi[k] * slip;
            }
        }
    }

    const FaultTriangle& triangle_;
    const std::function<Vec3(const FaultTriangle&, const Vec3&)>& slip_;
    double finest_m_;
    double tolerance_m_;
    std::array<Vec3, 3> corner_;
    std::array<Vec3, 6> sum_{};
};

}  // namespace

std::array<std::vector<double>, 3> sampled_load(
    std::span<const FaultTriangle> triangles, std::span<const Vec3> node_xyz, std::size_t n_split,
    const std::function<Vec3(const FaultTriangle&, const Vec3& x)>& slip, double finest_m,
    double largest_m) {
    std::array<std::vector<double>, 3> load;
    load.fill(std::vector<double>(n_split, 0.0));
    for (const FaultTriangle& triangle : triangles) {
        const auto sum = Sampler(triangle, node_xyz, slip, finest_m, largest_m).run();
        for (int k = 0; k < 6; ++k) {
            const std::int32_t node = triangle.split[k];
            for (int comp = 0; node >= 0 && comp < 3; ++comp) {
                load[comp][node] += triangle.area_m2 * sum[k][comp];
            }
        }
    }
    return load;
}

}  // namespace kaname::fault
