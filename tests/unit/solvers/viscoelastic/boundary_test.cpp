// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/boundary.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/mesh/partition.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"

namespace kaname::viscoelastic::boundary_test {
namespace {

using lanes::kLanes;
using Kind = BoundaryCondition::Kind;

/// A box of 2 x 3 x 1 with 2 x 3 x 2 cells in parts, one per rank.
void on_ranks(
    int ranks, const std::vector<BoundaryCondition>& conditions,
    const std::function<void(const BoundaryData&, const p2::LocalMesh&, comm::Comm&)>& check) {
    const mesh::TetMesh mesh = test::BoxMesh{.cells = {2, 3, 2}, .high = {2.0, 3.0, 1.0}}.build();
    const p2::DofMap dofs(mesh);
    const auto part = mesh::partition_by_bisection(mesh.xyz, mesh.tets, ranks);
    comm::run_as_threads(ranks, [&](comm::Comm& comm) {
        const p2::LocalMesh local(mesh, dofs, part, comm);
        const BoundaryData boundary(mesh, dofs, local, conditions);
        check(boundary, local, comm);
    });
}

/// Packed values [dofs][4] as a vector [N][3][4].
std::vector<double> spread(const std::vector<std::int32_t>& dofs, const std::vector<double>& packed,
                           const p2::LocalMesh& local) {
    std::vector<double> x(std::size_t(local.n_nodes()) * 3 * kLanes, 0.0);
    for (std::size_t k = 0; k < packed.size(); ++k) {
        x[std::size_t(dofs[k / kLanes]) * kLanes + k % kLanes] = packed[k];
    }
    return x;
}

std::vector<double> prescribed(const BoundaryData& boundary, double t_s,
                               const p2::LocalMesh& local) {
    std::vector<double> packed(boundary.fixed().size() * kLanes, 7.0);
    boundary.prescribed(t_s, packed);
    return spread(boundary.fixed(), packed, local);
}

std::vector<double> traction(const BoundaryData& boundary, double t_s, double unit,
                             const p2::LocalMesh& local) {
    std::vector<double> packed(boundary.loaded().size() * kLanes, 7.0);
    boundary.traction(t_s, unit, packed);
    return spread(boundary.loaded(), packed, local);
}

class BoundaryOnRanks : public testing::TestWithParam<int> {};

TEST_P(BoundaryOnRanks, FixedHoldsTheComponentOfEveryNodeOnTheSide) {
    on_ranks(GetParam(), {{mesh::Side::West, 1}, {mesh::Side::Bottom, 2}},
             [](const BoundaryData& boundary, const p2::LocalMesh& local, comm::Comm&) {
                 std::vector<std::int32_t> expected;
                 std::vector<std::int32_t> expected_p1;
                 const auto is_fixed = [](const Vec3& x, int comp) {
                     return (x.x == 0.0 && comp == 1) || (x.z == 0.0 && comp == 2);
                 };
                 for (std::int32_t dof = 0; dof < 3 * local.n_nodes(); ++dof) {
                     if (is_fixed(local.node_xyz[dof / 3], dof % 3)) {
                         expected.push_back(dof);
                     }
                 }
                 for (std::int32_t dof = 0; dof < 3 * local.n_vertices(); ++dof) {
                     if (is_fixed(local.node_xyz[local.vertex_node[dof / 3]], dof % 3)) {
                         expected_p1.push_back(dof);
                     }
                 }

                 EXPECT_EQ(boundary.fixed(), expected);
                 EXPECT_EQ(boundary.fixed_p1(), expected_p1);
                 EXPECT_FALSE(boundary.has_values());
             });
}

TEST_P(BoundaryOnRanks, PrescribedSetsTheValueOfPlaceTimeAndLane) {
    const auto value = [](const Vec3& x, double t_s, int lane) {
        return x.y + 10.0 * x.z + 100.0 * t_s + 1000.0 * lane;
    };
    on_ranks(GetParam(), {{mesh::Side::East, 0, Kind::Prescribed, value}},
             [&](const BoundaryData& boundary, const p2::LocalMesh& local, comm::Comm&) {
                 const std::vector<double> u = prescribed(boundary, 2.0, local);

                 EXPECT_TRUE(boundary.has_values());
                 for (std::size_t i = 0; i < u.size(); ++i) {
                     const Vec3& x = local.node_xyz[i / (3 * kLanes)];
                     const bool set = x.x == 2.0 && i / kLanes % 3 == 0;
                     EXPECT_EQ(u[i], set ? value(x, 2.0, static_cast<int>(i % kLanes)) : 0.0);
                 }
             });
}

/// Sum over all ranks of f . g(x) for one lane and component.
double weighted(const p2::LocalMesh& local, const std::vector<double>& f, int comp, int lane,
                const std::function<double(const Vec3&)>& g, comm::Comm& comm) {
    double sum = 0.0;
    for (std::int32_t node = 0; node < local.n_nodes(); ++node) {
        sum += f[(std::size_t(node) * 3 + comp) * kLanes + lane] * g(local.node_xyz[node]);
    }
    return comm.sum(sum);
}

TEST_P(BoundaryOnRanks, ConstantTractionAddsUpToTractionTimesArea) {
    const auto value = [](const Vec3&, double t_s, int lane) { return 5.0 + t_s + lane; };
    on_ranks(GetParam(), {{mesh::Side::Top, 1, Kind::Traction, value}},
             [](const BoundaryData& boundary, const p2::LocalMesh& local, comm::Comm& comm) {
                 const std::vector<double> f = traction(boundary, 3.0, 4.0, local);

                 const auto one = [](const Vec3&) { return 1.0; };
                 for (int lane = 0; lane < kLanes; ++lane) {
                     EXPECT_NEAR(weighted(local, f, 1, lane, one, comm), (8.0 + lane) * 6.0 / 4.0,
                                 1e-12);
                     EXPECT_EQ(weighted(local, f, 0, lane, one, comm), 0.0);
                     EXPECT_EQ(weighted(local, f, 2, lane, one, comm), 0.0);
                 }
                 for (std::size_t i = 0; i < f.size(); ++i) {
                     EXPECT_TRUE(f[i] == 0.0 || local.node_xyz[i / (3 * kLanes)].z == 1.0);
                 }
             });
}

TEST_P(BoundaryOnRanks, QuadraticTractionIsIntegratedExactly) {
    const auto value = [](const Vec3& x, double, int) { return x.x * x.x - x.x * x.y; };
    on_ranks(GetParam(), {{mesh::Side::Top, 2, Kind::Traction, value}},
             [](const BoundaryData& boundary, const p2::LocalMesh& local, comm::Comm& comm) {
                 const std::vector<double> f = traction(boundary, 0.0, 1.0, local);

                 // Over [0, 2] x [0, 3]: int (x^2 - x y) = 8 - 9, and with the weight y^2.
                 EXPECT_NEAR(weighted(
                                 local, f, 2, 0, [](const Vec3&) { return 1.0; }, comm),
                             8.0 / 3.0 * 3.0 - 2.0 * 4.5, 1e-12);
                 EXPECT_NEAR(weighted(
                                 local, f, 2, 3, [](const Vec3& x) { return x.y * x.y; }, comm),
                             8.0 / 3.0 * 9.0 - 2.0 * 81.0 / 4.0, 1e-11);
             });
}

TEST_P(BoundaryOnRanks, TractionsOfTwoConditionsOnOneSideAddUp) {
    const auto value = [](const Vec3&, double, int) { return 1.0; };
    on_ranks(
        GetParam(),
        {{mesh::Side::Top, 2, Kind::Traction, value}, {mesh::Side::Top, 2, Kind::Traction, value}},
        [](const BoundaryData& boundary, const p2::LocalMesh& local, comm::Comm& comm) {
            const std::vector<double> f = traction(boundary, 0.0, 1.0, local);

            EXPECT_TRUE(std::is_sorted(boundary.loaded().begin(), boundary.loaded().end()));
            EXPECT_NEAR(weighted(
                            local, f, 2, 0, [](const Vec3&) { return 1.0; }, comm),
                        12.0, 1e-12);
        });
}

TEST_P(BoundaryOnRanks, LastNamedSideWinsOnACommonEdge) {
    const auto constant = [](double value) {
        return [value](const Vec3&, double, int) { return value; };
    };
    for (const auto& [first, second] : {std::pair{mesh::Side::West, mesh::Side::Bottom},
                                        std::pair{mesh::Side::Bottom, mesh::Side::West}}) {
        on_ranks(GetParam(),
                 {{first, 0, Kind::Prescribed, constant(1.0)},
                  {second, 0, Kind::Prescribed, constant(2.0)}},
                 [](const BoundaryData& boundary, const p2::LocalMesh& local, comm::Comm&) {
                     const std::vector<double> u = prescribed(boundary, 0.0, local);

                     for (std::int32_t node = 0; node < local.n_nodes(); ++node) {
                         if (local.node_xyz[node].x == 0.0 && local.node_xyz[node].z == 0.0) {
                             EXPECT_EQ(u[std::size_t(node) * 3 * kLanes], 2.0);
                         }
                     }
                 });
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, BoundaryOnRanks, testing::Values(1, 3));

/// Message for a box with these conditions; empty when they hold it.
std::string error_of(const std::vector<BoundaryCondition>& conditions) {
    std::string text;
    on_ranks(2, conditions,
             [&](const BoundaryData& boundary, const p2::LocalMesh& local, comm::Comm& comm) {
                 try {
                     require_no_rigid_motion(local, boundary.fixed(), comm);
                 } catch (const Error& error) {
                     EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
                     if (comm.rank() == 0) {
                         text = error.what();
                     }
                 }
             });
    return text;
}

TEST(RequireNoRigidMotion, NamesTheFreeMotion) {
    using mesh::Side;
    const auto says = [](const std::string& text, const char* motion) {
        return text.find(std::string("nothing resists ") + motion) != std::string::npos;
    };

    EXPECT_TRUE(says(error_of({}), "translation east"));
    EXPECT_TRUE(says(error_of({{Side::Bottom, 2}}), "translation east"));
    EXPECT_TRUE(says(error_of({{Side::West, 0}, {Side::Bottom, 2}}), "translation north"));
    EXPECT_TRUE(says(error_of({{Side::West, 0}, {Side::South, 1}}), "translation up"));
    EXPECT_TRUE(says(error_of({{Side::South, 0}, {Side::South, 2}}), "translation north"));
}

TEST(RequireNoRigidMotion, AcceptsAFixedSideOrThreeRollers) {
    using mesh::Side;

    EXPECT_EQ(error_of(clamped({Side::Top})), "");
    EXPECT_EQ(error_of({{Side::West, 0}, {Side::South, 1}, {Side::Bottom, 2}}), "");
}

TEST(RequireNoRigidMotion, NamesTheRotationThatAPinnedNodeOrEdgeLeaves) {
    const mesh::TetMesh mesh = test::BoxMesh{.cells = {2, 2, 2}}.build();
    const p2::DofMap dofs(mesh);
    comm::SerialComm comm;
    const std::vector<std::int32_t> part(mesh.tets.size(), 0);
    const p2::LocalMesh local(mesh, dofs, part, comm);
    const auto pinned = [&](const std::function<bool(const Vec3&)>& at) {
        std::vector<std::int32_t> fixed;
        for (std::int32_t dof = 0; dof < 3 * local.n_nodes(); ++dof) {
            if (at(local.node_xyz[dof / 3])) {
                fixed.push_back(dof);
            }
        }
        try {
            require_no_rigid_motion(local, fixed, comm);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };

    const auto node = pinned([](const Vec3& x) { return x == Vec3{1.0, 1.0, 1.0}; });
    const auto east_edge = pinned([](const Vec3& x) { return x.y == 1.0 && x.z == 1.0; });
    const auto north_edge = pinned([](const Vec3& x) { return x.x == 1.0 && x.z == 1.0; });
    const auto up_edge = pinned([](const Vec3& x) { return x.x == 1.0 && x.y == 1.0; });

    EXPECT_NE(node.find("rotation about"), std::string::npos) << node;
    EXPECT_NE(east_edge.find("rotation about the east axis"), std::string::npos) << east_edge;
    EXPECT_NE(north_edge.find("rotation about the north axis"), std::string::npos) << north_edge;
    EXPECT_NE(up_edge.find("rotation about the vertical axis"), std::string::npos) << up_edge;
}

}  // namespace
}  // namespace kaname::viscoelastic::boundary_test
