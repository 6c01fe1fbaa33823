// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/fault_sides.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/mesh/face_set.hpp"
#include "solvers/p2/dof_map.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::cleaving::fault_sides_test {
namespace {

constexpr int kCells = 13;
constexpr double kHeight = 3.0;  // height of the fault

/// A box of kCells x kCells x 6 cells, cut through at half its height.
class FaultSides : public testing::Test {
protected:
    FaultSides() {
        test::BoxMesh box;
        box.cells = {kCells, kCells, 6};
        box.high = {kCells, kCells, 6.0};
        mesh_ = box.build();
        complex_.xyz = mesh_.xyz;
        complex_.tets = mesh_.tets;
        complex_.labels.resize(mesh_.xyz.size());
        complex_.tet_labels.resize(mesh_.tets.size());
        for (std::size_t t = 0; t < mesh_.tets.size(); ++t) {
            set(t, centroid(t).z > kHeight ? Labels::plus(0) : Labels::minus(0));
        }
        before_ = complex_.tet_labels;
    }
    [[nodiscard]] Vec3 centroid(std::size_t t) const {
        Vec3 x;
        for (const std::int32_t v : mesh_.tets[t]) {
            x += 0.25 * mesh_.xyz[v];
        }
        return x;
    }
    void set(std::size_t t, std::uint64_t side) {
        constexpr std::uint64_t kBoth = Labels::plus(0) | Labels::minus(0);
        complex_.tet_labels[t].sides = (complex_.tet_labels[t].sides & ~kBoth) | side;
    }
    /// Tets under the fault that share so many corners with it.
    [[nodiscard]] std::vector<std::size_t> under_the_fault(int corners) const {
        std::vector<std::size_t> found;
        for (std::size_t t = 0; t < mesh_.tets.size(); ++t) {
            const Vec3 x = centroid(t);
            const bool inside =
                std::abs(x.x - 0.5 * kCells) < 2.0 && std::abs(x.y - 0.5 * kCells) < 2.0;
            if (inside && x.z < kHeight &&
                std::ranges::count_if(mesh_.tets[t], [&](std::int32_t v) {
                    return mesh_.xyz[v].z == kHeight;
                }) == corners) {
                found.push_back(t);
            }
        }
        return found;
    }
    [[nodiscard]] std::ptrdiff_t n_strays() const {
        const std::vector<Triangle> faces = faces_between_sides(complex_, 0);
        const std::vector<double> size(faces.size(), 1.0);
        return std::ranges::count(mesh::find_pieces(faces, size).stray, true);
    }
    /// Nodes that can slip. Throws where a node's elements are not parted in two.
    [[nodiscard]] std::size_t split_nodes() {
        mesh::TetMesh mesh = mesh_;
        mesh.faults = {"fault"};
        for (const Triangle& face : faces_between_sides(complex_, 0)) {
            mesh.fault_faces.push_back({face, 0});
        }
        const p2::DofMap dofs(mesh);
        return fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz).split.size();
    }

    mesh::TetMesh mesh_;
    Complex complex_;
    std::vector<Labels> before_;
};

TEST_F(FaultSides, ASoundFaultStaysAsItIs) {
    const RepairedSides mended = mend_fault_sides(complex_, 0);

    EXPECT_EQ(mended.turned, 0);
    EXPECT_EQ(mended.without, 0);
    EXPECT_TRUE(complex_.tet_labels == before_);
}

TEST_F(FaultSides, APartThatTouchesTheFaultInAnEdgeOrAVertexGoesBack) {
    const std::size_t sound = split_nodes();
    for (const int corners : {1, 2}) {
        const std::size_t t = under_the_fault(corners).at(0);
        set(t, Labels::plus(0));
        EXPECT_THROW((void)split_nodes(), Error) << corners;

        const RepairedSides mended = mend_fault_sides(complex_, 0);

        EXPECT_EQ(mended.turned, 1) << corners;
        EXPECT_TRUE(complex_.tet_labels == before_) << corners;
        EXPECT_EQ(split_nodes(), sound);
    }
}

TEST_F(FaultSides, ABulgeThatSharesAFaceWithTheFaultStays) {
    set(under_the_fault(3).at(0), Labels::plus(0));

    EXPECT_EQ(mend_fault_sides(complex_, 0).turned, 0);
    EXPECT_GT(split_nodes(), 0U);
}

TEST_F(FaultSides, RaggedSidesBecomeOneFaultThatCanSlip) {
    // Every other tet under the fault is on its upper side: it looks like that in a thin wedge.
    std::size_t n = 0;
    for (const int corners : {1, 2, 3}) {
        for (const std::size_t t : under_the_fault(corners)) {
            if (n++ % 2 == 0) {
                set(t, Labels::plus(0));
            }
        }
    }
    EXPECT_THROW((void)split_nodes(), Error);

    const RepairedSides mended = mend_fault_sides(complex_, 0);

    EXPECT_GT(mended.turned, 0);
    EXPECT_EQ(mended.without, 0);
    EXPECT_GT(split_nodes(), 0U);
    EXPECT_EQ(n_strays(), 0);
}

TEST_F(FaultSides, AnIslandIsForgotten) {
    // The island is one tet, which has no corner on the fault.
    for (std::size_t t = 0; t < mesh_.tets.size(); ++t) {
        const Vec3 x = centroid(t);
        if (std::abs(x.x - 0.5 * kCells) < 0.5 && std::abs(x.y - 0.5 * kCells) < 0.5 && x.z > 1.0 &&
            x.z < 2.0) {
            set(t, Labels::plus(0));
            break;
        }
    }
    EXPECT_EQ(n_strays(), 4);

    EXPECT_EQ(mend_fault_sides(complex_, 0).turned, 1);
    EXPECT_TRUE(complex_.tet_labels == before_);
}

}  // namespace
}  // namespace kaname::cleaving::fault_sides_test
