// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/tet_topology.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/support/validation.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::tet_topology_test {
namespace {

using test::violated;

WaveModel small_box() {
    return box_of_cubes({4, 4, 4}, {0, 0, 0}, {4, 4, 4}, solid_of(1, 2, 1));
}

/// Corners of face f in the order of its tet's vertices.
std::array<Vec3, 3> face_of(const WaveModel& model, const TetTopology& topology, std::int64_t tet,
                            int f) {
    const auto corners = corners_of(model, topology, tet);
    std::array<Vec3, 3> face;
    for (int v = 0, c = 0; v < 4; ++v) {
        if (v != f) {
            face[c++] = corners[v];
        }
    }
    return face;
}

TEST(TetTopology, BothTetsOfAFaceOrderItsVerticesAlike) {
    WaveModel model = small_box();
    std::ranges::reverse(model.mesh.xyz);  // so that numbers do not grow with places
    for (auto& tet : model.mesh.tets) {
        for (auto& v : tet) {
            v = static_cast<std::int32_t>(model.mesh.xyz.size()) - 1 - v;
        }
    }
    for (auto& face : model.mesh.boundary_faces) {
        for (auto& v : face.vertices) {
            v = static_cast<std::int32_t>(model.mesh.xyz.size()) - 1 - v;
        }
    }
    for (const bool periodic : {false, true}) {
        if (periodic) {
            make_periodic(model);
        }
        const TetTopology topology = TetTopology::of(model);
        int beyond = 0;
        for (std::int64_t e = 0; e < std::ssize(topology.tets); ++e) {
            for (int f = 0; f < 4; ++f) {
                const TetTopology::Beyond& b = topology.beyond[e][f];
                if (b.tet < 0) {
                    continue;
                }
                ++beyond;
                EXPECT_EQ(topology.beyond[b.tet][b.face].tet, e);
                EXPECT_EQ(topology.beyond[b.tet][b.face].face, f);
                const auto here = face_of(model, topology, e, f);
                const auto there = face_of(model, topology, b.tet, b.face);
                const Vec3 shift = there[0] - here[0];
                EXPECT_LT(norm(there[1] - here[1] - shift), 1e-12);
                EXPECT_LT(norm(there[2] - here[2] - shift), 1e-12);
                EXPECT_TRUE(norm(shift) < 1e-12 || (periodic && std::abs(norm(shift) - 4) < 1e-12))
                    << norm(shift);
            }
        }
        const int sides = 6 * 4 * 4 * 2;
        EXPECT_EQ(beyond, 4 * std::ssize(topology.tets) - (periodic ? 0 : sides));
    }
}

TEST(TetTopology, SidesHaveTheirBoundaries) {
    WaveModel model = small_box();
    model.surfaces[static_cast<int>(mesh::Side::Top)] = Boundary::Absorbing;
    const TetTopology topology = TetTopology::of(model);
    int top = 0, others = 0;
    for (std::int64_t e = 0; e < std::ssize(topology.tets); ++e) {
        const TetShape shape = TetShape::of(corners_of(model, topology, e));
        for (int f = 0; f < 4; ++f) {
            if (topology.beyond[e][f].tet < 0) {
                const bool up = shape.normal[f].z > 0.99;
                (up ? top : others) += 1;
                EXPECT_EQ(topology.beyond[e][f].boundary,
                          up ? Boundary::Absorbing : Boundary::Free);
            }
        }
    }
    EXPECT_EQ(top, 32);
    EXPECT_EQ(others, 5 * 32);
}

TEST(TetTopology, ShapesAreThoseOfTheCorners) {
    const std::array<Vec3, 4> corners = {Vec3{0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {0, 0, 6}};
    const TetShape shape = TetShape::of(corners);
    EXPECT_DOUBLE_EQ(shape.volume_m3, 6.0);
    EXPECT_DOUBLE_EQ(shape.area_m2[3], 3.0);
    // Three times the volume over the surface is the radius; x/2 + y/3 + z/6 = 1 has the normal
    // (3, 2, 1)/sqrt(14).
    const double slanted = 0.5 * norm(cross({-2, 3, 0}, {-2, 0, 6}));
    EXPECT_NEAR(shape.insphere_diameter_m, 36.0 / (3 + 6 + 9 + slanted), 1e-12);
    EXPECT_LT(norm(shape.normal[0] - normalized(Vec3{3, 2, 1})), 1e-12);
    for (int v = 0; v < 4; ++v) {
        EXPECT_NEAR(dot(shape.gradient[v], corners[v] - corners[(v + 1) % 4]), 1.0, 1e-12);
    }
    const auto lambda = barycentric(corners, {0.2, 0.6, 1.2});
    EXPECT_NEAR(lambda[1], 0.1, 1e-12);
    EXPECT_NEAR(lambda[2], 0.2, 1e-12);
    EXPECT_NEAR(lambda[3], 0.2, 1e-12);
}

TEST(TetTopology, RefusesWhatIsNoModel) {
    const auto of = [](const WaveModel& model) {
        return violated([&] { static_cast<void>(TetTopology::of(model)); });
    };
    WaveModel model = small_box();
    model.surfaces.pop_back();
    EXPECT_EQ(of(model), std::vector<std::string>{"model.surfaces"});

    model = small_box();
    model.mesh.material[3] = 1;
    EXPECT_EQ(of(model), std::vector<std::string>{"model.mesh.material[3]"});

    model = small_box();
    model.mesh.tets.push_back(model.mesh.tets.front());
    model.mesh.material.push_back(0);
    EXPECT_EQ(of(model), std::vector<std::string>{"model.mesh"});

    model = small_box();  // periodic, but paired with nothing
    model.surfaces[0] = Boundary::Periodic;
    EXPECT_EQ(of(model), std::vector<std::string>{"model.periodic"});

    model = small_box();  // a vertex of one side that the other one does not have
    make_periodic(model);
    const auto moved = std::ranges::find_if(
        model.mesh.xyz, [](const Vec3& x) { return x.x == 4 && x.y == 2 && x.z == 2; });
    moved->y += 0.1;
    EXPECT_EQ(of(model), std::vector<std::string>{"model.periodic"});
}

}  // namespace
}  // namespace kaname::aderdg::tet_topology_test
