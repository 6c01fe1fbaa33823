// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/model.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"

namespace kaname::viscoelastic::model_test {
namespace {

TEST(Model, ElasticStepKeepsTheModuliAndRelaxesNothing) {
    comm::SerialComm comm;
    const BoxModel box(distorted_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm);

    const StepModuli step = box.model.step_moduli(0.0, 0.5);

    const double unit = box.model.scales().modulus_pa;
    const auto materials = two_rocks();
    for (std::int32_t elem = 0; elem < box.model.mesh().n_tets(); ++elem) {
        const auto& material = materials[box.model.mesh().material[elem]];
        EXPECT_NEAR(unit * step.moduli.lam[elem], material.lambda_pa, 1e-4);
        EXPECT_NEAR(unit * step.moduli.mu[elem], material.mu_pa, 1e-4);
        EXPECT_EQ(step.relax[elem].deviator, 0.0);
    }
}

TEST(Model, ViscousStepSoftensShearKeepsBulkAndRelaxesByTheFormula) {
    comm::SerialComm comm;
    const BoxModel box(distorted_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm);
    const double dt_s = 5e7;
    const double alpha = 0.7;

    const StepModuli step = box.model.step_moduli(dt_s, alpha);

    const double unit = box.model.scales().modulus_pa;
    const double mu = 4e10;
    const double eta = 1e19;
    const double mu_v = mu / (1.0 + alpha * dt_s * mu / eta);
    const double kappa = 9e10 + 2.0 * mu / 3.0;
    int viscous = 0;
    for (std::int32_t elem = 0; elem < box.model.mesh().n_tets(); ++elem) {
        const double lam_step = unit * step.moduli.lam[elem];
        const double mu_step = unit * step.moduli.mu[elem];
        if (box.model.mesh().material[elem] == 0) {
            EXPECT_EQ(step.relax[elem].deviator, 0.0);
            EXPECT_NEAR(mu_step, 3e10, 1e-4);
            continue;
        }
        ++viscous;
        EXPECT_NEAR(mu_step, mu_v, 1e-4);
        EXPECT_NEAR(lam_step + 2.0 * mu_step / 3.0, kappa, 1e-3);
        EXPECT_NEAR(step.relax[elem].deviator, dt_s * mu_v / eta, 1e-15);
        EXPECT_EQ(step.relax[elem].mean, 0.0);
    }
    EXPECT_GT(viscous, 0);
}

TEST(Model, ScalesAreTheStiffestMaterialInUseAndTheMeanTet) {
    comm::SerialComm comm;
    auto materials = two_rocks();
    materials.push_back(rock(1e12, 1e12));  // no tet has it
    test::BoxMesh box{.cells = {2, 2, 2}, .high = {2.0, 2.0, 2.0}};
    box.material = [](const Vec3& x) { return x.z > 1.0 ? 1 : 0; };
    const BoxModel made(box, materials, clamped({mesh::Side::Bottom}), comm);

    EXPECT_EQ(made.model.scales().modulus_pa, 4e10);
    EXPECT_NEAR(made.model.scales().length_m, std::cbrt(8.0 / 48.0), 1e-12);
    EXPECT_EQ(made.model.n_dof(), 3 * 125);
}

TEST(Model, EveryTetIsLocalToOneRank) {
    comm::run_as_threads(3, [](comm::Comm& comm) {
        const BoxModel box(distorted_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm);

        std::vector<double> count(box.mesh.tets.size(), 0.0);
        for (std::size_t tet = 0; tet < count.size(); ++tet) {
            const auto elem = box.model.local_element(static_cast<std::int32_t>(tet));
            if (elem >= 0) {
                count[tet] = 1.0;
                EXPECT_EQ(box.model.mesh().tet[elem], static_cast<std::int32_t>(tet));
            }
        }
        comm.sum(std::span<double>(count));
        EXPECT_EQ(count, std::vector<double>(count.size(), 1.0));
    });
}

TEST(Model, RefusesABodyThatCanMoveFreely) {
    comm::SerialComm comm;

    EXPECT_THROW(BoxModel(distorted_box(), two_rocks(), {}, comm), Error);
}

TEST(ElementGeometry, GradientsAndVolumeAreThoseOfTheScaledTet) {
    comm::SerialComm comm;
    const BoxModel box(distorted_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm);
    const p2::LocalMesh& mesh = box.model.mesh();
    const double length = box.model.scales().length_m;

    const auto geometry = element_geometry(mesh, box.model.scales());

    double volume = 0.0;
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        volume += geometry[elem].volume;
        for (int m = 0; m < 3; ++m) {
            for (int v = 0; v < 4; ++v) {
                // L_(m+1) rises by one from vertex 0 to vertex m + 1, by none to the others.
                const Vec3 d = (1.0 / length) * (mesh.node_xyz[mesh.conn[elem][v]] -
                                                 mesh.node_xyz[mesh.conn[elem][0]]);
                const double rise = geometry[elem].grad[m][0] * d.x +
                                    geometry[elem].grad[m][1] * d.y +
                                    geometry[elem].grad[m][2] * d.z;
                EXPECT_NEAR(rise, v == m + 1 ? 1.0 : 0.0, 1e-12);
            }
        }
    }
    // The scale is the cube root of the mean volume.
    EXPECT_NEAR(volume, static_cast<double>(mesh.n_tets()), 1e-9);
}

}  // namespace
}  // namespace kaname::viscoelastic::model_test
