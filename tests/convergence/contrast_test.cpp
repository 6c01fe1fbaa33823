// SPDX-License-Identifier: BSD-3-Clause
// Strong contrasts converge with the default settings.
#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/viscoelastic/model/observer.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::convergence::contrast_test {
namespace {

using namespace viscoelastic;

/// A stiff lid over a soft sheet and two viscous layers; layers by depth.
class Contrast : public testing::Test {
protected:
    void set_up(std::vector<earth::Material> materials) {
        test::BoxMesh box{.cells = {10, 10, 8},
                          .low = {0.0, 0.0, -40e3},
                          .high = {60e3, 60e3, 0.0},
                          .faults = {{.axis = 0, .index = 5, .low = {0, 3, 6}, .high = {0, 7, 8}}}};
        box.material = [](const Vec3& x) {
            return x.z > -10e3 ? 0 : x.z > -15e3 ? 1 : x.z > -25e3 ? 2 : 3;
        };
        mesh = box.build();
        dofs.emplace(mesh);
        split = fault::split_fault_nodes(mesh, dofs->conn, dofs->node_xyz);
        std::vector<BoundaryCondition> fixed;
        for (const mesh::Side side : {mesh::Side::West, mesh::Side::East, mesh::Side::South,
                                      mesh::Side::North, mesh::Side::Bottom}) {
            for (int comp = 0; comp < 3; ++comp) {
                fixed.push_back({side, comp});
            }
        }
        model.emplace(mesh, *dofs, std::move(materials), fixed, comm);
        for (int lane = 0; lane < 2; ++lane) {
            slip[lane].assign(split.split.size(),
                              lane == 0 ? Vec3{0.0, 1.0, 0.0} : Vec3{0.0, 0.0, 1.0});
        }
    }
    static earth::Material layer(double mu_pa, std::optional<double> viscosity_pa_s = {}) {
        return {"layer", mu_pa, mu_pa, 0.0, viscosity_pa_s};
    }
    /// Most iterations of the coseismic solve, and of the steps.
    std::pair<int, int> iterations(double step_s) {
        PackSolver solver(*model, {step_s, kSteps, 0.5}, {},
                          predictor_params(PredictorKind::Projection, 1e-8), comm, queue);
        solver.start(element_offsets(*model, *dofs, split, slip));
        std::pair<int, int> most{0, 0};
        while (!solver.finished()) {
            const StepResult step = solver.advance();
            for (int lane = 0; lane < 2; ++lane) {
                EXPECT_TRUE(step.lanes[lane].ok()) << failure_text(step.lanes[lane], step.step);
                int& of = step.step == 0 ? most.first : most.second;
                of = std::max(of, step.lanes[lane].iterations);
            }
        }
        return most;
    }

    static constexpr int kSteps = 6;  ///< enough for the predictor to have its history

    comm::SerialComm comm;
    device::Queue queue;
    mesh::TetMesh mesh;
    std::optional<p2::DofMap> dofs;
    fault::SplitNodes split;
    std::optional<Model> model;
    PackSlip slip;
};

TEST_F(Contrast, ThousandInModulus) {
    set_up({layer(5e10), layer(5e7), layer(5e10, 1e19), layer(5e10, 1e20)});

    const auto [coseismic, step] = iterations(0.1 * 1e19 / 5e10);

    RecordProperty("coseismic", coseismic);
    RecordProperty("step", step);
    EXPECT_LE(coseismic, 17);
    EXPECT_LE(step, 16);
}

TEST_F(Contrast, TenThousandInViscosity) {
    set_up({layer(3e10), layer(5e10), layer(6e10, 1e17), layer(7e10, 1e21)});

    // A fifth of the shorter Maxwell time, and one after which the soft layer has nothing left.
    for (const auto& [share, most] : {std::pair{0.2, 13}, std::pair{1000.0, 65}}) {
        const auto [coseismic, step] = iterations(share * 1e17 / 6e10);
        RecordProperty("step_" + std::to_string(share), step);
        EXPECT_LE(coseismic, 17) << share;
        EXPECT_LE(step, most) << share;
    }
}

TEST_F(Contrast, SpectrumOverFourDecadesOfViscosity) {
    set_up({layer(3e10), layer(5e10), layer(6e10, 1e17), layer(7e10, 1e21)});
    SpectrumParams params;
    params.end_s = 2.0 * 1e21 / 7e10;
    std::vector<Vec3> surface;
    std::copy_if(mesh.xyz.begin(), mesh.xyz.end(), std::back_inserter(surface),
                 [](const Vec3& x) { return x.z > -1.0; });
    Observer observer(*model, p2::locate_points(mesh, surface), queue);
    SpectrumSolver solver(*model, relaxation_groups(model->materials()), params, {}, observer, comm,
                          queue);

    (void)solver.start(element_offsets(*model, *dofs, split, slip));
    int shifts = 0;
    while (const auto shift = solver.advance()) {
        ++shifts;
        EXPECT_TRUE(shift->lanes[0].ok());
    }

    EXPECT_TRUE(solver.reached());
    RecordProperty("shifts", shifts);
    EXPECT_LE(shifts, 25);
}

}  // namespace
}  // namespace kaname::convergence::contrast_test
