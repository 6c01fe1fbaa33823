// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/volume_fields.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/fault/fault_report.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::volume_fields_test {
namespace {

using lanes::kLanes;

double largest(const std::vector<double>& values) {
    double most = 0.0;
    for (const double value : values) {
        most = std::max(most, std::abs(value));
    }
    return most;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 double relative) {
    ASSERT_EQ(found.size(), expected.size());
    ASSERT_GT(largest(expected), 0.0);
    for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_NEAR(found[i], expected[i], relative * largest(expected)) << i;
    }
}

TEST(VolumeFieldsOfAPatch, StrainAndStressOfALinearDisplacementAreExactInTheirOrder) {
    comm::SerialComm comm;
    device::Queue queue;
    const BoxModel box(distorted_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm);
    const p2::LocalMesh& mesh = box.model.mesh();
    // Gradients d u_i / d x_j, lane by lane (1 + lane) times this.
    constexpr double grad[3][3] = {{4e-6, 1e-6, -2e-6}, {3e-6, -5e-6, 6e-6}, {8e-6, 2e-6, 7e-6}};
    device::Buffer<double> u(box.model.vector_size());
    for (std::size_t k = 0; k < u.size(); ++k) {
        const Vec3& x = mesh.node_xyz[k / (3 * kLanes)];
        const double* row = grad[k / kLanes % 3];
        u[k] = double(1 + k % kLanes) * (row[0] * x.x + row[1] * x.y + row[2] * x.z);
    }
    const ElementModuli moduli = box.model.step_moduli(0.0, 0.5).moduli;
    const ElementData data(mesh, box.model.geometry(), moduli);
    const std::vector<Parts> no_relaxation(mesh.n_tets());
    device::Buffer<double> stress(std::size_t(mesh.n_tets()) * kStressPerElement);
    stress_update({data, no_relaxation, {}, u, stress}, queue);
    const auto cut = fault::split_vertices(
        box.mesh, fault::split_fault_nodes(box.mesh, box.dofs.conn, box.dofs.node_xyz));
    VolumeFields fields(box.model, cut);
    fields.start(1, {{0.0}, {0.0}, {2.0}});

    fields.add(0, {u.view(), {}, stress.view()});
    const io::VolumeSnapshots found = fields.collect(2, comm);

    const double exy = 0.5 * (grad[0][1] + grad[1][0]), eyz = 0.5 * (grad[1][2] + grad[2][1]),
                 exz = 0.5 * (grad[0][2] + grad[2][0]);
    const double strain[6] = {grad[0][0], grad[1][1], grad[2][2], exy, eyz, exz};
    const double trace = grad[0][0] + grad[1][1] + grad[2][2];
    constexpr double factor = 2.0 * 3.0;  // weight, lane
    ASSERT_EQ(found.n_snapshots, 1u);
    ASSERT_EQ(found.strain.size(), box.mesh.tets.size() * 6);
    ASSERT_EQ(found.stress_pa.size(), box.mesh.tets.size() * 6);
    for (std::size_t tet = 0; tet < box.mesh.tets.size(); ++tet) {
        const earth::Material rock = two_rocks()[box.mesh.material[tet]];
        for (std::size_t k = 0; k < 6; ++k) {
            const double pressure = k < 3 ? rock.lambda_pa * trace : 0.0;
            EXPECT_NEAR(found.strain[6 * tet + k], factor * strain[k], 1e-17 * factor);
            EXPECT_NEAR(found.stress_pa[6 * tet + k],
                        factor * (pressure + 2.0 * rock.mu_pa * strain[k]), 1e-5);
        }
    }
    ASSERT_EQ(found.displacement_m.size(), box.mesh.xyz.size() * 3);
    for (std::size_t k = 0; k < found.displacement_m.size(); ++k) {
        const Vec3& x = box.mesh.xyz[k / 3];
        const double* row = grad[k % 3];
        EXPECT_NEAR(found.displacement_m[k], factor * (row[0] * x.x + row[1] * x.y + row[2] * x.z),
                    1e-14);
    }
}

/// Slip of two sources, different in size and direction.
PackSlip two_slips(const FaultModel& fault) {
    PackSlip slip = fault.unit_slip({0, 1});
    for (Vec3& at : slip[1]) {
        at = {0.5, 2.0, 0.0};
    }
    return slip;
}

struct Solve {
    explicit Solve(comm::Comm& ranks)
        : comm(ranks), fault(ranks), cut(fault::split_vertices(fault.mesh, fault.split)) {
        solver.start(fault.offsets(two_slips(fault)));
    }
    void step(int count) {
        for (int k = 0; k < count; ++k) {
            const int step = solver.advance().step;
            if (fields.wants(step)) {
                const auto u = solver.displacement();
                fields.add(step, {u, solver.offsets(), solver.stress()});
            }
        }
    }

    comm::Comm& comm;
    device::Queue queue;
    FaultModel fault;
    fault::SplitVertices cut;
    PackSolver solver{fault.model,  {0.2 * kMaxwellTime_s, 3, 0.5},
                      tight(1e-12), predictors::Polynomial::Cubic,
                      comm,         queue};
    VolumeFields fields{fault.model, cut};
};

TEST(VolumeFieldsOnFault, PointsOfTheTwoSidesDifferByTheSlip) {
    comm::SerialComm comm;
    Solve run(comm);
    run.fields.start(1, {{0, 0, 1, 0}, {0, 0, 1, 0}});

    run.step(4);

    const std::size_t n_vertices = run.fault.mesh.xyz.size();
    ASSERT_EQ(run.cut.vertex.size(), n_vertices + 9);  // 3 x 3 vertices inside of the fault's edge
    const auto first = run.fields.collect(0, comm).displacement_m;
    const auto second = run.fields.collect(1, comm).displacement_m;
    for (std::size_t plus = n_vertices; plus < run.cut.vertex.size(); ++plus) {
        const auto minus = static_cast<std::size_t>(run.cut.vertex[plus]);
        EXPECT_NEAR(first[3 * plus] - first[3 * minus], 1.0, 1e-12);
        EXPECT_NEAR(first[3 * plus + 1] - first[3 * minus + 1], 0.0, 1e-12);
        EXPECT_NEAR(second[3 * plus] - second[3 * minus], 0.5, 1e-12);
        EXPECT_NEAR(second[3 * plus + 1] - second[3 * minus + 1], 2.0, 1e-12);
    }
}

TEST(VolumeFieldsOnFault, ASnapshotIsTheSolversOwnStateAtItsStep) {
    comm::SerialComm comm;
    Solve run(comm);
    run.fields.start(1, {{0, 0, 1, 0}});

    run.step(3);

    EXPECT_FALSE(run.fields.wants(0));
    EXPECT_TRUE(run.fields.wants(2));
    const io::VolumeSnapshots found = run.fields.collect(0, comm);
    const std::vector<double> stress = run.solver.stress();
    const Scales& scales = run.fault.model.scales();
    const double pa = scales.modulus_pa / scales.length_m;
    const p2::LocalMesh& mesh = run.fault.model.mesh();
    constexpr std::size_t component[6] = {0, 1, 2, 5, 3, 4};
    std::vector<double> expected(found.stress_pa.size());
    for (std::size_t elem = 0; elem < mesh.tet.size(); ++elem) {
        for (std::size_t k = 0; k < 6; ++k) {
            for (std::size_t v = 0; v < 4; ++v) {
                expected[std::size_t(mesh.tet[elem]) * 6 + k] +=
                    0.25 * pa * stress[((elem * 4 + v) * 6 + component[k]) * kLanes];
            }
        }
    }
    expect_near(found.stress_pa, expected, 1e-15);
    const auto u = run.fault.whole(run.solver.displacement(), comm);
    const std::size_t n_vertices = run.fault.mesh.xyz.size();
    for (std::size_t vertex = 0; vertex < n_vertices; ++vertex) {
        // At a split vertex the mean of its sides: minus side plus half the slip to the east.
        const bool split = run.fault.split.index({static_cast<std::int32_t>(vertex), 0}) >= 0;
        EXPECT_NEAR(found.displacement_m[3 * vertex], u[vertex * 3 * kLanes] - (split ? 0.5 : 0.0),
                    1e-15);
    }
}

TEST(VolumeFieldsOnFault, ElasticStressFollowsFromStrainByHookesLawNextToTheSlipToo) {
    comm::SerialComm comm;
    Solve run(comm);
    run.fields.start(1, {{1, 0, 0, 0}});

    run.step(1);

    const io::VolumeSnapshots found = run.fields.collect(0, comm);
    std::vector<double> expected;
    for (std::size_t k = 0; k < found.strain.size(); ++k) {
        const double* e = found.strain.data() + k / 6 * 6;
        expected.push_back(3e10 * (k % 6 < 3 ? e[0] + e[1] + e[2] : 0.0) +
                           2.0 * 3e10 * found.strain[k]);
    }
    expect_near(found.stress_pa, expected, 1e-12);
}

TEST(VolumeFieldsOnFault, SnapshotsAreWeightedSumsOfStepsLaneByLane) {
    comm::SerialComm comm;
    Solve run(comm);
    // Snapshots of lane 0: step 1 alone, step 3 alone, and both weighted.
    run.fields.start(
        3, {{0, 1, 0, 0, 0, 0, 0, 1, 0, 0.25, 0, -3}, {0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0}});

    run.step(4);

    const io::VolumeSnapshots found = run.fields.collect(0, comm);
    const auto check = [](const std::vector<double>& all) {
        const std::size_t n = all.size() / 3;
        std::vector<double> expected;
        for (std::size_t i = 0; i < n; ++i) {
            expected.push_back(0.25 * all[i] - 3.0 * all[n + i]);
        }
        expect_near({all.begin() + std::ptrdiff_t(2 * n), all.end()}, expected, 1e-14);
    };
    check(found.displacement_m);
    check(found.strain);
    check(found.stress_pa);
    const io::VolumeSnapshots other = run.fields.collect(1, comm);
    const std::size_t n = other.strain.size() / 3;
    EXPECT_EQ(largest({other.strain.begin() + std::ptrdiff_t(n),
                       other.strain.begin() + std::ptrdiff_t(2 * n)}),
              0.0);
}

TEST(VolumeFieldsNextToAStrikeSlipFault, ShearStressDropsBesideTheSlipAndRisesBeyondItsEnds) {
    // Vertical fault along north, slip 1 m left-lateral: the east side goes north.
    comm::SerialComm comm;
    device::Queue queue;
    const BoxModel box({.cells = {8, 12, 6},
                        .low = {-8e3, -12e3, -6e3},
                        .high = {8e3, 12e3, 0.0},
                        .faults = {{.axis = 0, .index = 4, .low = {0, 3, 3}, .high = {0, 9, 6}}}},
                       {rock(3e10, 3e10)}, clamped({mesh::Side::Bottom}), comm);
    const auto split = fault::split_fault_nodes(box.mesh, box.dofs.conn, box.dofs.node_xyz);
    const auto cut = fault::split_vertices(box.mesh, split);
    PackSlip slip;
    slip[0].assign(split.split.size(), {0.0, 1.0, 0.0});
    PackSolver solver(box.model, {}, tight(1e-10), predictors::Polynomial::Cubic, comm, queue);
    solver.start(element_offsets(box.model, box.dofs, split, slip));
    VolumeFields fields(box.model, cut);
    fields.start(1, {{1.0}});

    (void)solver.advance();
    fields.add(0, {solver.displacement(), solver.offsets(), solver.stress()});

    const io::VolumeSnapshots found = fields.collect(0, comm);
    const fault::Receiver like_the_fault{0.0, 90.0 * kDegree, 0.0, 0.4, 0.0};
    int beside = 0, beyond = 0;
    for (std::size_t tet = 0; tet < box.mesh.tets.size(); ++tet) {
        Vec3 centre{};
        for (const std::int32_t vertex : box.mesh.tets[tet]) {
            centre = centre + 0.25 * box.mesh.xyz[vertex];
        }
        if (std::abs(centre.x) > 2e3 || centre.z < -2e3) {
            continue;
        }
        fault::StressChange stress;
        std::copy_n(found.stress_pa.begin() + std::ptrdiff_t(6 * tet), 6, stress.begin());
        const double shear = fault::coulomb_change(stress, like_the_fault).shear_pa;
        if (std::abs(centre.y) < 3e3) {
            EXPECT_LT(shear, -1e5) << centre.x << " " << centre.y << " " << centre.z;
            ++beside;
        }
        const bool along_strike = std::abs(centre.x) < 1e3;  // farther aside lies a shadow again
        if (along_strike && std::abs(centre.y) > 7e3 && std::abs(centre.y) < 10e3) {
            EXPECT_GT(shear, 1e4) << centre.x << " " << centre.y << " " << centre.z;
            ++beyond;
        }
    }
    EXPECT_GT(beside, 10);
    EXPECT_GT(beyond, 10);
}

io::VolumeSnapshots on_ranks(int n_ranks, int steps, const io::VolumeSnapshots* from) {
    io::VolumeSnapshots result;
    comm::run_as_threads(n_ranks, [&](comm::Comm& comm) {
        Solve run(comm);
        run.fields.start(2, {{0, 0, 0, 0, 0, 0, 0, 0}, {1, 0.5, 0.25, 2, 0, 0, 1, 1}});
        int begin = 0;
        if (from != nullptr) {  // the two first steps are in it
            while (begin < 2) {
                begin = run.solver.advance().step + 1;
            }
            run.fields.resume(1, comm.rank() == 0 ? *from : io::VolumeSnapshots{}, comm);
        }
        run.step(steps - begin);
        auto all = run.fields.collect(1, comm);
        if (comm.rank() == 0) {
            result = std::move(all);
        } else {
            EXPECT_TRUE(all.empty());
        }
    });
    return result;
}

TEST(VolumeFieldsOnRanks, AreThoseOfOneRankInTheOrderOfTheMesh) {
    const io::VolumeSnapshots one = on_ranks(1, 4, nullptr);

    for (const int n_ranks : {2, 3}) {
        const io::VolumeSnapshots several = on_ranks(n_ranks, 4, nullptr);

        expect_near(several.displacement_m, one.displacement_m, 1e-9);
        expect_near(several.strain, one.strain, 1e-9);
        expect_near(several.stress_pa, one.stress_pa, 1e-9);
    }
}

TEST(VolumeFieldsOnRanks, GoOnFromSumsThatOtherRanksLeft) {
    const io::VolumeSnapshots whole = on_ranks(1, 4, nullptr);
    const io::VolumeSnapshots half = on_ranks(3, 2, nullptr);

    const io::VolumeSnapshots resumed = on_ranks(2, 4, &half);

    expect_near(resumed.displacement_m, whole.displacement_m, 1e-9);
    expect_near(resumed.strain, whole.strain, 1e-9);
    expect_near(resumed.stress_pa, whole.stress_pa, 1e-9);
}

TEST(VolumeFieldsOnRanks, RefuseSumsOfAnotherShape) {
    io::VolumeSnapshots other = on_ranks(1, 2, nullptr);
    other.strain.pop_back();

    EXPECT_THROW(on_ranks(2, 4, &other), Error);
}

}  // namespace
}  // namespace kaname::viscoelastic::volume_fields_test
