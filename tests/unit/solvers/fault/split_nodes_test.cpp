// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/split_nodes.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/p2/dof_map.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::fault::split_nodes_test {
namespace {

using test::BoxMesh;
using test::LatticeFault;

struct Split {
    mesh::TetMesh mesh;
    p2::DofMap dofs;
    SplitNodes nodes;

    explicit Split(const BoxMesh& box)
        : mesh(box.build()), dofs(mesh), nodes(split_fault_nodes(mesh, dofs.conn, dofs.node_xyz)) {}

    Vec3 centroid(std::int32_t tet) const {
        Vec3 sum;
        for (const std::int32_t v : mesh.tets[tet]) {
            sum += 0.25 * mesh.xyz[v];
        }
        return sum;
    }
};

/// 4 x 4 x 4 unit cells, fault on x = 2 for 1 <= y < 3, from z = 1 up to `top`.
BoxMesh wall(int top) {
    return {.cells = {4, 4, 4},
            .high = {4.0, 4.0, 4.0},
            .faults = {{.axis = 0, .index = 2, .low = {0, 1, 1}, .high = {0, 3, top}}}};
}

std::string error_of(const BoxMesh& box) {
    try {
        const Split split(box);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        return error.what();
    }
    return "";
}

TEST(SplitFaultNodes, BuriedRimIsNotSplit) {
    const Split split(wall(3));

    // 5 x 5 nodes in the 2 x 2 cells' rectangle (P2), the outer 16 of them on its rim.
    EXPECT_EQ(split.nodes.split.size(), 9u);
    EXPECT_EQ(split.nodes.rim.size(), 16u);
    EXPECT_TRUE(std::is_sorted(split.nodes.split.begin(), split.nodes.split.end()));
    EXPECT_TRUE(std::is_sorted(split.nodes.rim.begin(), split.nodes.rim.end()));
    for (const FaultNode& at : split.nodes.split) {
        const Vec3& x = split.dofs.node_xyz[at.node];
        EXPECT_EQ(x.x, 2.0);
        EXPECT_TRUE(x.y > 1.0 && x.y < 3.0 && x.z > 1.0 && x.z < 3.0);
    }
}

TEST(SplitFaultNodes, SurfaceBreakSplitsDownFromTheSurface) {
    const Split split(wall(4));

    // 5 x 7 nodes; the two sides and the lower edge are rim: 7 + 7 + 3.
    EXPECT_EQ(split.nodes.rim.size(), 17u);
    EXPECT_EQ(split.nodes.split.size(), 18u);
    const auto at_surface =
        std::count_if(split.nodes.split.begin(), split.nodes.split.end(),
                      [&](const FaultNode& at) { return split.dofs.node_xyz[at.node].z == 4.0; });
    EXPECT_EQ(at_surface, 3);
}

TEST(SplitFaultNodes, EveryElementAtSplitNodeGetsTheSideItLiesOn) {
    const Split split(wall(4));
    std::vector<std::array<std::int8_t, 10>> side(split.mesh.tets.size());
    for (const SplitElement& element : split.nodes.elements) {
        side[element.tet] = element.side;
    }

    for (std::size_t tet = 0; tet < split.mesh.tets.size(); ++tet) {
        for (int local = 0; local < 10; ++local) {
            const bool is_split = split.nodes.index({split.dofs.conn[tet][local], 0}) >= 0;
            const int expected = is_split ? (split.centroid(tet).x > 2.0 ? 1 : -1) : 0;
            EXPECT_EQ(side[tet][local], expected) << "tet " << tet << " node " << local;
        }
    }
}

TEST(SplitFaultNodes, ElementsThatTouchWithOneVertexAreListed) {
    const Split split(wall(4));

    const auto touching_with_one_node = std::count_if(
        split.nodes.elements.begin(), split.nodes.elements.end(), [](const SplitElement& element) {
            return std::count(element.side.begin(), element.side.end(), 0) == 9;
        });

    EXPECT_GT(touching_with_one_node, 0);
}

TEST(SplitFaultNodes, ReversedFacesSwapTheSides) {
    BoxMesh box = wall(3);
    box.faults[0].normal_along_axis = false;

    const Split split(box);

    for (const SplitElement& element : split.nodes.elements) {
        const int expected = split.centroid(element.tet).x > 2.0 ? -1 : 1;
        for (const std::int8_t side : element.side) {
            EXPECT_TRUE(side == 0 || side == expected);
        }
    }
    for (const Vec3& normal : split.nodes.normal) {
        EXPECT_EQ(normal, (Vec3{-1.0, 0.0, 0.0}));
    }
}

TEST(SplitFaultNodes, BentFaultSplitsAlongItsHinge) {
    // Vertical above z = 2, flat below the hinge at x = 2, z = 2.
    const BoxMesh box = {.cells = {4, 3, 4},
                         .high = {4.0, 3.0, 4.0},
                         .faults = {{.axis = 0, .index = 2, .low = {0, 0, 2}, .high = {0, 3, 4}},
                                    {.axis = 2,
                                     .index = 2,
                                     .low = {2, 0, 0},
                                     .high = {4, 3, 0},
                                     .normal_along_axis = true}}};

    const Split split(box);

    // Reaches every side of the box: nothing is rim.
    EXPECT_TRUE(split.nodes.rim.empty());
    for (const SplitElement& element : split.nodes.elements) {
        const Vec3 x = split.centroid(element.tet);
        const int expected = x.x > 2.0 && x.z > 2.0 ? 1 : -1;
        for (const std::int8_t side : element.side) {
            EXPECT_TRUE(side == 0 || side == expected);
        }
    }
}

TEST(SplitFaultNodes, ElementInsideFoldIsOnBothSides) {
    // A scroll seen along y: (2,3) -> (2,2) -> (3,2) -> (3,4) -> (1,4) -> (1,1). The cell between
    // x = 1 and x = 2 is on the plus side of the inner sheet and on the minus side of the outer.
    const auto sheet = [](int axis, int index, std::array<int, 3> low, std::array<int, 3> high,
                          bool along) {
        return LatticeFault{axis, index, low, high, along};
    };
    const BoxMesh box = {
        .cells = {5, 3, 6},
        .high = {5.0, 3.0, 6.0},
        .faults = {sheet(0, 2, {0, 0, 2}, {0, 3, 3}, false),
                   sheet(2, 2, {2, 0, 0}, {3, 3, 0}, false),
                   sheet(0, 3, {0, 0, 2}, {0, 3, 4}, true), sheet(2, 4, {1, 0, 0}, {3, 3, 0}, true),
                   sheet(0, 1, {0, 0, 1}, {0, 3, 4}, false)}};

    const Split split(box);

    const auto on_both_sides = std::count_if(
        split.nodes.elements.begin(), split.nodes.elements.end(), [](const SplitElement& element) {
            return std::count(element.side.begin(), element.side.end(), 1) > 0 &&
                   std::count(element.side.begin(), element.side.end(), -1) > 0;
        });
    EXPECT_GT(on_both_sides, 0);
}

TEST(SplitFaultNodes, FlippedFaceIsRefusedWithItsPlace) {
    const mesh::TetMesh mesh = [] {
        mesh::TetMesh flipped = wall(3).build();
        std::swap(flipped.fault_faces[3].vertices[0], flipped.fault_faces[3].vertices[1]);
        return flipped;
    }();
    const p2::DofMap dofs(mesh);

    try {
        (void)split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("(2.000, "), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("orientation"), std::string::npos);
    }
}

TEST(SplitFaultNodes, BranchIsRefused) {
    BoxMesh box = wall(4);
    box.faults.push_back({.axis = 1, .index = 2, .low = {2, 0, 1}, .high = {4, 0, 4}});

    EXPECT_NE(error_of(box).find("into 3 parts"), std::string::npos) << error_of(box);
    EXPECT_NE(error_of(box).find("make each branch a fault (physical surface) of its own"),
              std::string::npos)
        << "it says what to do";
}

/// Faces whose vertices all satisfy `in` become fault 1.
mesh::TetMesh second_fault(const BoxMesh& box, const std::function<bool(const Vec3&)>& in) {
    mesh::TetMesh mesh = box.build();
    mesh.faults = {"first", "second"};
    for (mesh::FaultFace& face : mesh.fault_faces) {
        face.fault =
            std::ranges::all_of(face.vertices, [&](std::int32_t v) { return in(mesh.xyz[v]); });
    }
    return mesh;
}

TEST(SplitFaultNodes, FaultsThatCrossEachSplitTheirOwn) {
    // x = 2 and y = 2, both from the surface down to z = 1.
    BoxMesh box = wall(4);
    box.faults[0].low = {0, 0, 1};
    box.faults[0].high = {0, 4, 4};
    box.faults.push_back({.axis = 1, .index = 2, .low = {1, 0, 1}, .high = {3, 0, 4}});
    const mesh::TetMesh mesh = second_fault(box, [](const Vec3& x) { return x.y == 2.0; });
    const p2::DofMap dofs(mesh);

    const SplitNodes nodes = split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);

    EXPECT_TRUE(nodes.shared.empty());
    int twice = 0;
    for (const FaultNode& at : nodes.split) {
        const Vec3& x = dofs.node_xyz[at.node];
        EXPECT_EQ(at.fault == 0 ? x.x : x.y, 2.0);
        twice += at.fault == 1 && nodes.index({at.node, 0}) >= 0;
    }
    EXPECT_EQ(twice, 6) << "nodes on x = y = 2 above z = 1";
    for (const SplitElement& element : nodes.elements) {
        Vec3 centre;
        for (const std::int32_t v : mesh.tets[element.tet]) {
            centre += 0.25 * mesh.xyz[v];
        }
        const int expected = (element.fault == 0 ? centre.x : centre.y) > 2.0 ? 1 : -1;
        for (const std::int8_t side : element.side) {
            EXPECT_TRUE(side == 0 || side == expected);
        }
    }
}

TEST(SplitFaultNodes, AFaultThatEndsOnAnotherHasItsRimThere) {
    BoxMesh box = wall(4);
    box.faults.push_back({.axis = 1, .index = 2, .low = {2, 0, 1}, .high = {4, 0, 4}});
    const mesh::TetMesh mesh = second_fault(box, [](const Vec3& x) { return x.y == 2.0; });
    const p2::DofMap dofs(mesh);

    const SplitNodes nodes = split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);

    // On x = y = 2, z = 1 .. 4: the first splits what is above its lower rim, the second nothing.
    int on_line = 0;
    for (const FaultNode& at : nodes.split) {
        const Vec3& x = dofs.node_xyz[at.node];
        on_line += x.x == 2.0 && x.y == 2.0;
        EXPECT_TRUE(at.fault == 0 || x.x > 2.0);
    }
    EXPECT_EQ(on_line, 6);
}

TEST(SplitFaultNodes, OneFaultThatGoesOnAsAnotherSplitsAsOne) {
    const Split whole(wall(4));
    const mesh::TetMesh mesh = second_fault(wall(4), [](const Vec3& x) { return x.y >= 2.0; });
    const p2::DofMap dofs(mesh);

    const SplitNodes nodes = split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);

    ASSERT_EQ(nodes.split.size(), whole.nodes.split.size());
    EXPECT_EQ(nodes.shared.size(), 6u) << "on y = 2 above the rim";
    for (std::size_t k = 0; k < nodes.split.size(); ++k) {
        EXPECT_EQ(nodes.split[k].node, whole.nodes.split[k].node);
        EXPECT_EQ(nodes.normal[k], (Vec3{1.0, 0.0, 0.0}));
    }
    for (const auto& [other, owner] : nodes.shared) {
        EXPECT_EQ(other.fault, 1);
        EXPECT_EQ(nodes.index(other), nodes.index(owner));
        EXPECT_GE(nodes.index(other), 0);
    }
}

TEST(SplitFaultNodes, FaultOnTheBoxsSideIsRefused) {
    BoxMesh box = wall(4);
    box.faults[0].index = 4;

    EXPECT_NE(error_of(box).find("between two elements"), std::string::npos) << error_of(box);
}

TEST(SplitFaultNodes, FaceListedTwiceIsRefused) {
    BoxMesh box = wall(3);
    box.faults.push_back(box.faults[0]);

    EXPECT_NE(error_of(box).find("listed twice"), std::string::npos) << error_of(box);
}

TEST(SplitFaultNodes, NoFaultGivesNothing) {
    const Split split(BoxMesh{.cells = {2, 2, 2}});

    EXPECT_TRUE(split.nodes.elements.empty());
    EXPECT_TRUE(split.nodes.split.empty());
    EXPECT_TRUE(split.nodes.rim.empty());
}

TEST(NodalSlip, FollowsTheSplitNodes) {
    const Split split(wall(3));
    const auto hat = [&](const FaultNode& at) {
        const Vec3& x = split.dofs.node_xyz[at.node];
        return Vec3{0.0, (1.0 - std::abs(x.y - 2.0)) * (1.0 - std::abs(x.z - 2.0)), 0.0};
    };

    const std::vector<Vec3> slip = nodal_slip(split.nodes, split.dofs.node_xyz, hat);

    ASSERT_EQ(slip.size(), split.nodes.split.size());
    for (std::size_t i = 0; i < slip.size(); ++i) {
        EXPECT_EQ(slip[i], hat(split.nodes.split[i]));
    }
}

TEST(NodalSlip, SlipOnTheRimIsRefusedWithItsPlace) {
    const Split split(wall(3));

    try {
        (void)nodal_slip(split.nodes, split.dofs.node_xyz, [](const FaultNode&) {
            return Vec3{0.0, 1.0, 0.0};
        });
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("(2.000, 1.000, 1.000)"), std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace kaname::fault::split_nodes_test
