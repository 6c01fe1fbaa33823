// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/slab.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/voxelwave/wave_solver.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/voxelwave/voxel_box.hpp"

namespace kaname::voxelwave::slab_test {
namespace {

using Place = std::array<double, 3>;
using source_time::TimeFunction;

constexpr int kSteps = 40;
const std::array<int, 3> kVoxels = {7, 5, 9};
const std::vector<Place> kReceivers = {
    {1.0, 2.0, 9.0}, {3.3, 2.2, 4.5}, {6.0, 1.0, 0.0}, {2.0, 2.0, 5.0}};

WaveParams params_of(Variant variant, const VoxelModel& model) {
    WaveParams params;
    params.variant = variant;
    params.dt_s = 5e-5;
    params.damping = {20.0, 1e-6};
    params.layer = {{0, 0, 0, 2, 3, 0}, 300.0};
    params.fixed = {model.node(0, 0, 0), model.node(3, 2, 4)};
    return params;
}

/// Three sources: on a plane between slabs, at a side, inside.
std::vector<PointSource> sources() {
    std::vector<PointSource> made;
    for (const Place& at : {Place{3.0, 2.0, 5.0}, Place{1.0, 4.0, 9.0}, Place{5.5, 1.5, 1.2}}) {
        PointSource source;
        source.position_m = at;
        source.force_n = {1.0, -2.0, 3.0};
        source.moment_nm = {0.0, 1.0, 0.0, 2.0, 0.0, -1.0};
        source.time = TimeFunction::gaussian(2e-4, 6e-4);
        made.push_back(source);
    }
    return made;
}

struct Waves {
    std::vector<float> record;
    NodeField<double> field;
    double energy_j = 0.0;
};

Waves run(Variant variant, comm::Comm* comm) {
    const VoxelModel model = mixed_box(kVoxels, 1.0);
    WaveSolver<double> solver(model, params_of(variant, model), sources(), kReceivers,
                              device::Queue(), comm);
    solver.run(kSteps, 3);
    Waves result{solver.take_record(), solver.displacement(), solver.energy_j(1)};
    if (comm != nullptr) {
        result.field = gather_planes(solver.displacement(), solver.slab(), model, *comm);
    }
    return result;
}

class Slabs : public testing::TestWithParam<std::pair<Variant, int>> {};

TEST_P(Slabs, RanksMakeTheBitsOfOne) {
    const auto [variant, ranks] = GetParam();
    const Waves alone = run(variant, nullptr);
    ASSERT_GT(*std::ranges::max_element(alone.record), 0.0F);
    comm::run_as_threads(ranks, [&, variant = variant](comm::Comm& comm) {
        const Waves together = run(variant, &comm);
        EXPECT_EQ(together.record, alone.record) << "on every rank";
        EXPECT_NEAR(together.energy_j, alone.energy_j, 1e-12 * alone.energy_j);
        if (comm.rank() == 0) {
            EXPECT_EQ(apart(together.field, alone.field), 0.0);
        } else {
            EXPECT_EQ(together.field.nodes()[0], 0);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(
    Ranks, Slabs,
    testing::Values(std::pair(Variant::OvfemWalsh, 2), std::pair(Variant::OvfemWalsh, 3),
                    std::pair(Variant::OvfemWalsh, 5),  // the last has one plane
                    std::pair(Variant::Vfem, 3), std::pair(Variant::OvfemInteger, 2)));

TEST(Slab, AStateGoesToAnotherNumberOfRanks) {
    const VoxelModel model = mixed_box(kVoxels, 1.0);
    const WaveParams params = params_of(Variant::OvfemWalsh, model);
    NodeField<double> now, before;
    comm::run_as_threads(2, [&](comm::Comm& comm) {
        WaveSolver<double> solver(model, params, sources(), kReceivers, device::Queue(), &comm);
        solver.run(kSteps / 2, 3);
        const auto all = [&](const NodeField<double>& field) {
            return gather_planes(field, solver.slab(), model, comm);
        };
        NodeField<double> u = all(solver.displacement()), old = all(solver.before());
        if (comm.rank() == 0) {
            now = std::move(u);
            before = std::move(old);
        }
    });
    const Waves alone = run(Variant::OvfemWalsh, nullptr);
    comm::run_as_threads(3, [&](comm::Comm& comm) {
        WaveSolver<double> solver(model, params, sources(), kReceivers, device::Queue(), &comm);
        solver.resume(scatter_planes(now, solver.slab(), model, now.lanes(), comm),
                      scatter_planes(before, solver.slab(), model, now.lanes(), comm), kSteps / 2);
        solver.run(kSteps - kSteps / 2, 3);
        const NodeField<double> all =
            gather_planes(solver.displacement(), solver.slab(), model, comm);
        if (comm.rank() == 0) {
            EXPECT_EQ(apart(all, alone.field), 0.0);
        }
    });
}

TEST(Slab, ThinnerSlabsThanTwoPlanesAreRefused) {
    EXPECT_THROW((void)slab_of(uniform_box({2, 2, 2}, 1.0, rock()), 0, 2), Error);
}

TEST(Void, WhatIsUnderAVoidMovesAsUnderAFreeSide) {
    const VoxelModel ground = mixed_box({6, 5, 4}, 1.0);
    VoxelModel covered = ground;
    covered.voxels[2] = 7;
    covered.solids.emplace_back();
    covered.solid_of.resize(static_cast<std::size_t>(covered.n_voxels()), 2);
    for (const Variant variant : {Variant::OvfemWalsh, Variant::Vfem}) {
        WaveParams params;
        params.variant = variant;
        params.dt_s = 5e-5;
        PointSource source = sources()[0];
        source.position_m = {3.0, 2.5, 4.0};
        const std::vector<Place> receiver = {{1.0, 1.0, 4.0}};
        WaveSolver<double> bare(ground, params, {{source}}, receiver);
        WaveSolver<double> with(covered, params, {{source}}, receiver);
        bare.run(kSteps, 1);
        with.run(kSteps, 1);
        const std::vector<float> motion = bare.take_record();
        EXPECT_GT(*std::ranges::max_element(motion), 0.0F);
        EXPECT_EQ(with.take_record(), motion);
    }
    EXPECT_THROW(Point(covered, {3.0, 2.5, 5.5}, "receivers[0]"), Error) << "in the air";
}

}  // namespace
}  // namespace kaname::voxelwave::slab_test
