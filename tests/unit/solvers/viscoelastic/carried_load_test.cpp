// SPDX-License-Identifier: BSD-3-Clause
// Loads that go on from the residual of the step before are those of the whole stress.
#include <algorithm>
#include <cmath>
#include <mutex>

#include <gtest/gtest.h>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::carried_load_test {
namespace {

using lanes::kLanes;
using Kind = BoundaryCondition::Kind;

/// Keeps nothing: what is written makes the next load a whole one.
class Nowhere final : public StateArchive {
public:
    [[nodiscard]] bool reading() const override { return false; }
    void number(const std::string&, std::int64_t&) override {}
    void lanes(const std::string&, std::span<std::int64_t>) override {}
    void items(const std::string&, std::span<const std::int64_t>, int, device::View<double>,
               device::Queue&) override {}
    bool own(const std::string&, predictors::StateBytes&) override { return false; }
    [[nodiscard]] bool keeps_own() const override { return false; }
};

struct Case {
    const char* name;
    Element element;
    bool boundaries;  ///< the west side is pushed, and the east side pulled harder and harder
    Gravity gravity;
};

std::vector<BoundaryCondition> conditions(bool moving) {
    auto all = clamped({mesh::Side::Bottom});
    if (moving) {
        const auto grows = [](double factor) {
            return [factor](const Vec3& x, double t_s, int lane) {
                return factor * (1.0 + lane) * (1.0 + t_s / kMaxwellTime_s) * (1.0 - x.z / 4e3);
            };
        };
        all.push_back({mesh::Side::West, 0, Kind::Prescribed, grows(0.1)});
        all.push_back({mesh::Side::East, 0, Kind::Traction, grows(1e6)});
    }
    return all;
}

/// Displacements of the mesh's nodes and largest stress on this rank, after all steps.
struct End {
    std::vector<double> u;
    double largest_stress = 0.0;
};

End run(const Case& of, bool whole_loads, const TimeGrid& grid, double tolerance,
        comm::Comm& comm) {
    device::Queue queue;
    auto layers = four_rheologies();
    double density = 2600.0;
    for (auto& layer : layers) {
        layer.density_kg_m3 = density += 300.0;
    }
    const test::BoxMesh mesh{
        .cells = {6, 6, 4},
        .low = {0.0, 0.0, -4e3},
        .high = {6e3, 6e3, 0.0},
        .faults = {{.axis = 0, .index = 3, .low = {0, 1, 1}, .high = {0, 5, 4}}},
        .material = [](const Vec3& x) { return static_cast<int>(-x.z / 1e3); }};
    const BoxModel box(mesh, layers, conditions(of.boundaries), comm, of.element, of.gravity);
    const auto split = fault::split_fault_nodes(box.mesh, box.dofs.conn, box.dofs.node_xyz);
    PackSlip slip;
    slip[0].assign(split.split.size(), {0.0, 1.0, 0.0});
    slip[3].assign(split.split.size(), {0.0, 0.0, 0.5});
    PackSolver solver(box.model, grid, tight(tolerance), predictors::Polynomial::None, comm, queue);
    // It goes on growing in the first half of the steps.
    const double ramp_s = 0.5 * grid.times_s().back();
    solver.start(element_offsets(box.model, box.dofs, split, slip),
                 [ramp_s](double t_s) { return 0.5 + 0.5 * std::min(1.0, t_s / ramp_s); });
    Nowhere nowhere;
    while (!solver.finished()) {
        const StepResult step = solver.advance();
        EXPECT_TRUE(step.lanes[0].ok() && step.lanes[3].ok()) << step.step;
        if (whole_loads) {
            solver.exchange(nowhere);
        }
    }
    End end;
    end.u.assign(std::size_t(box.dofs.n_nodes()) * 3 * kLanes, 0.0);
    const auto u = solver.displacement();
    for (std::size_t i = 0; i < u.size(); ++i) {
        const std::size_t node = i / (3 * kLanes);
        if (box.model.mesh().node_halo.owned(static_cast<std::int32_t>(node))) {
            end.u[box.model.mesh().node_gid[node] * 3 * kLanes + i % (3 * kLanes)] = u[i];
        }
    }
    comm.sum(std::span<double>(end.u));
    for (const double stress : solver.stress()) {
        end.largest_stress = std::max(end.largest_stress, std::abs(stress));
    }
    return end;
}

void expect_same(const End& a, const End& b) {
    double size = 0.0;
    double apart = 0.0;
    for (std::size_t i = 0; i < b.u.size(); ++i) {
        size = std::max(size, std::abs(b.u[i]));
        apart = std::max(apart, std::abs(a.u[i] - b.u[i]));
    }
    EXPECT_GT(size, 0.1);
    EXPECT_LT(apart, 1e-9 * size);
}

class CarriedLoad : public testing::TestWithParam<Case> {};

TEST_P(CarriedLoad, IsThatOfTheWholeStress) {
    // Longer later, so that Kv changes on the way.
    const TimeGrid grid{0.2 * kMaxwellTime_s, 4, 0.5, {{0.4 * kMaxwellTime_s, 3}}};
    // Solved loosely: much is left to the next step, and the same iterations either way.
    for (const int ranks : {1, 3}) {
        const auto end = [&](bool whole_loads, double tolerance) {
            End result;
            std::mutex mutex;
            comm::run_as_threads(ranks, [&](comm::Comm& comm) {
                const End own = run(GetParam(), whole_loads, grid, tolerance, comm);
                const std::lock_guard lock(mutex);
                result.u = own.u;
                result.largest_stress = std::max(result.largest_stress, own.largest_stress);
            });
            return result;
        };
        const End carried = end(false, 1e-3);
        const End whole = end(true, 1e-3);
        expect_same(carried, whole);
        EXPECT_NEAR(carried.largest_stress, whole.largest_stress, 1e-9 * whole.largest_stress);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Models, CarriedLoad,
    testing::Values(Case{"P2", Element::P2, false, Gravity::None},
                    Case{"NodalBoundaries", Element::NodalDilatation, true, Gravity::None},
                    Case{"NodalGravity", Element::NodalDilatation, false, Gravity::Buoyancy}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kaname::viscoelastic::carried_load_test
