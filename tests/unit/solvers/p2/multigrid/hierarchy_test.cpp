// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/hierarchy.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"

namespace kaname::multigrid::hierarchy_test {
namespace {

using lanes::kLanes;
using viscoelastic::Model;
using viscoelastic::Stiffness;

/// The elastic stiffness of a box of 6 x 6 x 5 cells that is fixed at its bottom.
class Box {
public:
    explicit Box(std::int64_t direct_size, double depth_m = 50e3, std::int64_t dense_limit = 6000)
        : depth_m_(depth_m) {
        params_.hierarchy.direct_size = direct_size;
        params_.hierarchy.dense_limit = dense_limit;
        params_.cg = {1e-8, 60};
    }
    void on_ranks(int ranks,
                  const std::function<void(const Model&, Stiffness&, comm::Comm&)>& check) const {
        const mesh::TetMesh mesh = test::BoxMesh{
            .cells = {6, 6, 5},
            .low = {-30e3, -30e3, -depth_m_},
            .high = {30e3, 30e3, 0.0}}.build();
        const p2::DofMap dofs(mesh);
        earth::Material rock;
        rock.lambda_pa = rock.mu_pa = 3e10;
        std::vector<viscoelastic::BoundaryCondition> conditions;
        for (int comp = 0; comp < 3; ++comp) {
            conditions.push_back({mesh::Side::Bottom, comp});
        }
        comm::run_as_threads(ranks, [&](comm::Comm& comm) {
            device::set_threads(1);
            device::Queue queue;
            const Model model(mesh, dofs, {rock}, conditions, comm);
            Stiffness K(model, model.step_moduli(0.0, 0.5), params_, comm, queue);
            check(model, K, comm);
        });
    }

private:
    double depth_m_;
    viscoelastic::SolverParams params_;
};

/// A vector that does not depend on the partition, zero at fixed degrees of freedom.
template <class T>
device::Buffer<T> field(const Model& model, double seed) {
    device::Buffer<T> x(model.vector_size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto gid = static_cast<double>(model.mesh().node_gid[i / (3 * kLanes)]);
        x[i] = static_cast<T>(std::sin(seed + 1.7 * gid * gid + 2.9 * double(i % (3 * kLanes))));
    }
    for (const std::int32_t dof : model.boundary().fixed()) {
        std::fill_n(x.data() + std::size_t(dof) * kLanes, kLanes, T{});
    }
    return x;
}

template <class T>
double inner(const Model& model, const device::Buffer<T>& x, const device::Buffer<T>& y, int lane,
             comm::Comm& comm) {
    double sum = 0.0;
    for (std::size_t i = lane; i < x.size(); i += kLanes) {
        if (model.mesh().node_halo.owned(static_cast<std::int32_t>(i / (3 * kLanes)))) {
            sum += double(x[i]) * y[i];
        }
    }
    return comm.sum(sum);
}

/// P1 inverted, an aggregated level inverted, and that level smoothed.
const Box kBoxes[] = {Box(600), Box(100), Box(100, 50e3, 0)};

class HierarchyOnRanks : public testing::TestWithParam<int> {};

TEST_P(HierarchyOnRanks, WellShapedBoxConvergesInFifteenIterations) {
    for (const Box& box : kBoxes) {
        box.on_ranks(GetParam(), [](const Model& model, Stiffness& K, comm::Comm&) {
            const auto b = field<double>(model, 0.3);
            device::Buffer<double> x(model.vector_size());
            device::Queue queue;
            linalg::PcgWorkspace work(model.vector_size(), queue);

            const auto lanes = K.solve(b, x, work);

            for (const auto& lane : lanes) {
                EXPECT_TRUE(lane.ok()) << to_string(lane.status);
                EXPECT_LE(lane.iterations, 15) << K.description();
            }
        });
    }
}

TEST_P(HierarchyOnRanks, ACoarsestLevelTooLargeForAnInverseIsSmoothed) {
    // Also P1 itself, whose fixed degrees of freedom have no equation.
    for (const std::int64_t direct_size : {100, 10000}) {
        Box(direct_size, 50e3, 5)
            .on_ranks(GetParam(), [](const Model& model, Stiffness& K, comm::Comm&) {
                EXPECT_NE(K.description().find("(smoothed)"), std::string::npos);
                const auto b = field<double>(model, 0.3);
                device::Buffer<double> x(model.vector_size());
                device::Queue queue;
                linalg::PcgWorkspace work(model.vector_size(), queue);
                for (const auto& lane : K.solve(b, x, work)) {
                    EXPECT_TRUE(lane.ok()) << to_string(lane.status);
                    EXPECT_LE(lane.iterations, 15) << K.description();
                }
            });
    }
}

TEST_P(HierarchyOnRanks, SolutionIsThatOfOneRank) {
    std::vector<double> expected;
    const auto solution = [](const Model& model, Stiffness& K, comm::Comm& comm) {
        const auto b = field<double>(model, 0.3);
        device::Buffer<double> x(model.vector_size());
        device::Queue queue;
        linalg::PcgWorkspace work(model.vector_size(), queue);
        (void)K.solve(b, x, work);
        std::vector<double> whole(std::size_t(model.n_dof()) * kLanes, 0.0);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto node = static_cast<std::int32_t>(i / (3 * kLanes));
            if (model.mesh().node_halo.owned(node)) {
                whole[std::size_t(model.mesh().node_gid[node]) * 3 * kLanes + i % (3 * kLanes)] =
                    x[i];
            }
        }
        comm.sum(std::span<double>(whole));
        return whole;
    };
    Box(600).on_ranks(1, [&](const Model& model, Stiffness& K, comm::Comm& comm) {
        expected = solution(model, K, comm);
    });

    Box(600).on_ranks(GetParam(), [&](const Model& model, Stiffness& K, comm::Comm& comm) {
        const auto whole = solution(model, K, comm);

        double largest = 0.0;
        double difference = 0.0;
        for (std::size_t i = 0; i < whole.size(); ++i) {
            largest = std::max(largest, std::abs(expected[i]));
            difference = std::max(difference, std::abs(whole[i] - expected[i]));
        }
        EXPECT_LT(difference, 1e-6 * largest);
        EXPECT_GT(largest, 0.0);
    });
}

TEST_P(HierarchyOnRanks, PreconditionerIsSymmetricAndPositive) {
    for (const Box& box : kBoxes) {
        box.on_ranks(GetParam(), [](const Model& model, Stiffness& K, comm::Comm& comm) {
            device::Queue queue;
            const auto x = field<float>(model, 0.1);
            const auto y = field<float>(model, 5.0);
            device::Buffer<float> Mx(x.size());
            device::Buffer<float> My(x.size());

            K.preconditioner().apply(x, Mx, queue);
            K.preconditioner().apply(y, My, queue);

            for (int lane = 0; lane < kLanes; ++lane) {
                const double xMx = inner(model, x, Mx, lane, comm);
                const double yMy = inner(model, y, My, lane, comm);
                EXPECT_GT(xMx, 0.0);
                EXPECT_GT(yMy, 0.0);
                EXPECT_NEAR(inner(model, Mx, y, lane, comm), inner(model, x, My, lane, comm),
                            2e-6 * std::sqrt(xMx * yMy));
            }
            for (const std::int32_t dof : model.boundary().fixed()) {
                EXPECT_EQ(Mx[std::size_t(dof) * kLanes], 0.0F);
            }
        });
    }
}

TEST_P(HierarchyOnRanks, CopiesOfSharedNodesStayEqual) {
    Box(100).on_ranks(GetParam(), [](const Model& model, Stiffness& K, comm::Comm& comm) {
        device::Queue queue;
        const auto x = field<float>(model, 0.7);
        device::Buffer<float> Mx(x.size());

        K.preconditioner().apply(x, Mx, queue);

        std::vector<double> whole(std::size_t(model.n_dof()) * kLanes, -1e30);
        std::vector<double> negative = whole;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::int64_t gid = model.mesh().node_gid[i / (3 * kLanes)];
            whole[gid * 3 * kLanes + i % (3 * kLanes)] = Mx[i];
            negative[gid * 3 * kLanes + i % (3 * kLanes)] = -double(Mx[i]);
        }
        comm.max(std::span<double>(whole));
        comm.max(std::span<double>(negative));
        for (std::size_t i = 0; i < whole.size(); ++i) {
            ASSERT_EQ(whole[i], -negative[i]) << i;
        }
    });
}

TEST_P(HierarchyOnRanks, TheFlatterElementsAreTheWiderIsTheSmoother) {
    const HierarchyParams given;
    for (const auto& [depth_m, expected] :
         {std::pair(50e3, given.p2), {23e3, given.p2_flat}, {5e3, given.p2_thin}}) {
        Box(600, depth_m).on_ranks(GetParam(), [&](const Model&, Stiffness& K, comm::Comm&) {
            const HierarchyParams& chosen = K.params().hierarchy;
            EXPECT_EQ(chosen.p2.degree, expected.degree) << depth_m;
            EXPECT_EQ(chosen.p2.range, expected.range) << depth_m;
            EXPECT_FALSE(chosen.kappa_thin) << "others of the mesh need not measure again";
        });
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, HierarchyOnRanks, testing::Values(1, 2, 3));

TEST(Hierarchy, DescriptionNamesTheLevels) {
    Box(100).on_ranks(1, [](const Model&, Stiffness& K, comm::Comm&) {
        EXPECT_EQ(K.description().rfind("P2 - P1 294 - ", 0), 0u) << K.description();
        EXPECT_NE(K.description().find("(dense)"), std::string::npos) << K.description();
    });
}

}  // namespace
}  // namespace kaname::multigrid::hierarchy_test
