// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/wave_cubes.hpp"

#include <algorithm>

namespace kaname::aderdg {
namespace {

using Corners = std::array<std::int32_t, 4>;

void add_tet(WaveModel& model, Corners tet) {
    const auto& x = model.mesh.xyz;
    if (det6(x[tet[0]], x[tet[1]], x[tet[2]], x[tet[3]]) < 0.0) {
        std::swap(tet[2], tet[3]);
    }
    model.mesh.tets.push_back(tet);
    model.mesh.material.push_back(0);
}

mesh::Side side_of(int axis, bool high) {
    using mesh::Side;
    const std::array<std::array<Side, 2>, 3> sides = {
        {{Side::West, Side::East}, {Side::South, Side::North}, {Side::Bottom, Side::Top}}};
    return sides[axis][high ? 1 : 0];
}

}  // namespace

WaveModel box_of_cubes(const std::array<int, 3>& n, const Vec3& low, const Vec3& high,
                       const Solid& solid) {
    WaveModel model;
    model.solids = {solid};
    const auto vertex = [&](int i, int j, int k) {
        return static_cast<std::int32_t>((k * (n[1] + 1) + j) * (n[0] + 1) + i);
    };
    for (int k = 0; k <= n[2]; ++k) {
        for (int j = 0; j <= n[1]; ++j) {
            for (int i = 0; i <= n[0]; ++i) {
                const std::array<int, 3> at = {i, j, k};
                Vec3 x;
                for (int d = 0; d < 3; ++d) {
                    x[d] = low[d] + (high[d] - low[d]) * at[d] / n[d];
                }
                model.mesh.xyz.push_back(x);
            }
        }
    }
    for (int k = 0; k < n[2]; ++k) {
        for (int j = 0; j < n[1]; ++j) {
            for (int i = 0; i < n[0]; ++i) {
                const auto v = [&](int a, int b, int c) { return vertex(i + a, j + b, k + c); };
                // Four corner tets and the one between them, mirrored in every other cube.
                const int m = (i + j + k) % 2;
                const auto corner = [&](int a, int b, int c) {
                    add_tet(model, {v(a, b, c), v(1 - a, b, c), v(a, 1 - b, c), v(a, b, 1 - c)});
                };
                corner(m, 0, 0);
                corner(1 - m, 1, 0);
                corner(1 - m, 0, 1);
                corner(m, 1, 1);
                add_tet(model, {v(1 - m, 0, 0), v(m, 1, 0), v(m, 0, 1), v(1 - m, 1, 1)});
            }
        }
    }
    for (const auto& tet : model.mesh.tets) {
        for (int f = 0; f < 4; ++f) {
            std::array<std::int32_t, 3> face{};
            for (int w = 0, c = 0; w < 4; ++w) {
                if (w != f) {
                    face[c++] = tet[w];
                }
            }
            for (int d = 0; d < 3; ++d) {
                for (const bool at_high : {false, true}) {
                    const double plane = at_high ? high[d] : low[d];
                    if (std::ranges::all_of(
                            face, [&](std::int32_t w) { return model.mesh.xyz[w][d] == plane; })) {
                        model.mesh.boundary_faces.push_back({face, side_of(d, at_high)});
                    }
                }
            }
        }
    }
    model.surfaces.assign(model.mesh.surfaces.size(), Boundary::Free);
    return model;
}

void make_periodic(WaveModel& model, const std::array<bool, 3>& axes) {
    for (int d = 0; d < 3; ++d) {
        if (axes[d]) {
            for (const bool high : {false, true}) {
                model.surfaces[static_cast<int>(side_of(d, high))] = Boundary::Periodic;
            }
            model.periodic.emplace_back(side_of(d, false), side_of(d, true));
        }
    }
}

PointInTet tet_at(const WaveModel& model, const Vec3& x) {
    PointInTet best{-1, x};
    double least = -1e-9;  // on a face is inside
    for (std::int64_t e = 0; e < std::ssize(model.mesh.tets); ++e) {
        std::array<Vec3, 4> corners;
        for (int v = 0; v < 4; ++v) {
            corners[v] = model.mesh.xyz[model.mesh.tets[e][v]];
        }
        const double all = det6(corners[0], corners[1], corners[2], corners[3]);
        double smallest = 1.0;
        for (int v = 0; v < 4; ++v) {
            std::array<Vec3, 4> with = corners;
            with[v] = x;
            smallest = std::min(smallest, det6(with[0], with[1], with[2], with[3]) / all);
        }
        if (smallest > least) {
            least = smallest;
            best.tet = e;
        }
    }
    return best;
}

Solid solid_of(double density_kg_m3, double vp_m_per_s, double vs_m_per_s) {
    Solid solid;
    solid.density_kg_m3 = density_kg_m3;
    solid.mu_pa = density_kg_m3 * vs_m_per_s * vs_m_per_s;
    solid.lambda_pa = density_kg_m3 * vp_m_per_s * vp_m_per_s - 2.0 * solid.mu_pa;
    return solid;
}

}  // namespace kaname::aderdg
