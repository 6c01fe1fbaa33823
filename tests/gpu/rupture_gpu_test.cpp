// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/support/fault_box.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::rupture_gpu_test {
namespace {

using rupture::FrictionLaw;
using rupture::Kept;

struct Case {
    int order = 3;
    Precision precision = Precision::Double;
    FrictionLaw law = FrictionLaw::LinearSlipWeakening;
    int mechanisms = 0;
    bool yields = false;
    double macro_steps = 4.9;
};

/// Cubes that grow along the fault, so that its faces step differently; waves leave at one side;
/// three receivers on the fault. The nucleation is as strong as rate and state needs it.
WaveModel model_of(const Case& c) {
    WaveModel model = box_of_cubes({4, 4, 4}, {-1, -1, -1}, {1, 1, 1}, solid_of(2.0, 1.9, 1.1));
    add_fault(model, 0.0, [](const Vec3& x) { return x.z > -0.51; });
    for (Vec3& v : model.mesh.xyz) {
        v.x = 0.1 * v.x + 0.25 * (v.x + 1.0) * (v.x + 1.0) * (v.x + 1.0);
    }
    for (int l = 0; l < c.mechanisms; ++l) {
        Solid& solid = model.solids.front();
        solid.mechanisms.push_back({3.0 * (l + 1), 0.05 * solid.lambda_pa, 0.1 * solid.mu_pa});
    }
    model.surfaces[static_cast<int>(mesh::Side::West)] = Boundary::Absorbing;
    make_rupture(model, c.law);
    model.fault.at = [law = c.law, at = model.fault.at](const rupture::FaultPlace& place) {
        rupture::FaultPoint p = at(place);
        p.nucleation_pa = {law == FrictionLaw::LinearSlipWeakening ? 0.5 : 2.5, 0.0, 0.1};
        return p;
    };
    if (c.yields) {
        model.plasticity.at = [](std::int64_t, const Vec3& x) {
            return YieldPoint{0.1 + 0.4 * x.x, 0.3 + 0.2 * x.y, {-0.4, -0.6, -0.5, 0.1, 0.0, 0.05}};
        };
        model.plasticity.relaxation_s = 0.02;
    }
    const auto last = std::ssize(model.mesh.fault_faces) - 1;
    for (const std::int64_t face : {last, std::int64_t{0}, last / 2}) {
        model.fault.receivers.push_back(
            {face, model.mesh.xyz[model.mesh.fault_faces[face].vertices[1]]});
    }
    model.fault.nucleation_s = 0.02;
    model.fault.interval_s = 0.004;
    return model;
}

WaveParams params_of(const WaveModel& model, const Case& c) {
    WaveParams params;
    params.order = c.order;
    params.precision = c.precision;
    params.end_s = params.interval_s = 1e3;  // steps as long as they may be
    params.end_s = c.macro_steps * find_clusters(model, params).macro_step_s();
    params.interval_s = params.end_s / 7.0;
    return params;
}

WavePoints points_of(const WaveModel& model) {
    WavePoints points;
    for (const Vec3& x : {Vec3{0.4, 0.03, 0.2}, Vec3{0.15, -0.2, -0.4}}) {
        points.receivers.push_back(tet_at(model, x));
    }
    return points;
}

/// Waves that are under way everywhere.
std::array<double, 9> first_unknowns(const Vec3& x) {
    std::array<double, 9> q{};
    for (int c = 0; c < 9; ++c) {
        q[c] = 0.2 * std::sin(2.0 * x.x + (c + 1) * x.y + 3.0 * x.z + c);
    }
    return q;
}

struct Found {
    std::vector<double> unknowns, fault, energy;
    std::vector<float> record, fault_record, plastic_strain;
    std::vector<std::byte> state;
    std::size_t clusters = 0;
};

std::vector<double> numbers_of(const WaveEnergy& e) {
    return {e.kinetic_j, e.elastic_j,        e.friction_j, e.released_j,    e.outflow_j,
            e.moment_nm, e.moment_rate_nm_s, e.plastic_j,  e.plastic_heat_j};
}

void take(WaveSolver& solver, Found& found) {
    found.clusters = solver.clusters().elements.size();
    const std::vector<float> record = solver.take_record();
    const std::vector<float> fault_record = solver.take_fault_record();
    found.record.insert(found.record.end(), record.begin(), record.end());
    found.fault_record.insert(found.fault_record.end(), fault_record.begin(), fault_record.end());
    found.fault = solver.fault().values;
    found.energy = numbers_of(solver.energy());
    found.plastic_strain = solver.plastic_strain();
    found.state = solver.state();
}

Found solved(const WaveModel& model, const Case& c, const device::Queue& queue) {
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params_of(model, c), points_of(model), comm, queue);
    solver->start_from(first_unknowns);
    Found found;
    for (const int steps : {2, 100}) {
        solver->advance(steps);
        take(*solver, found);
    }
    solver->visit(0, 2, [&](const Vec3&, double, std::span<const double> q) {
        found.unknowns.insert(found.unknowns.end(), q.begin(), q.end());
    });
    return found;
}

class RuptureGpu : public GpuTest {
protected:
    void expect_as_on_cpu(const Case& c, const WaveModel& model) {
        const double rounding = c.precision == Precision::Single ? 1e-5 : 1e-12;
        const double of_record = std::max(rounding, 1e-6);  // which is in FP32
        SCOPED_TRACE(testing::Message()
                     << "order " << c.order << ", law " << static_cast<int>(c.law)
                     << ", mechanisms " << c.mechanisms);
        const Found wanted = solved(model, c, cpu), found = solved(model, c, gpu);
        EXPECT_GE(found.clusters, 3U);
        EXPECT_EQ(found.clusters, wanted.clusters);
        EXPECT_EQ(found.state.size(), wanted.state.size());
        EXPECT_LT(apart(found.unknowns, wanted.unknowns), rounding);
        EXPECT_LT(apart(found.record, wanted.record), of_record);
        EXPECT_LT(apart(found.fault_record, wanted.fault_record), of_record);
        EXPECT_LT(apart(found.energy, wanted.energy), rounding);
        const std::size_t points =
            wanted.fault.size() / Kept::kFields / model.mesh.fault_faces.size();
        for (int field = 0; field < Kept::kFields; ++field) {
            std::vector<double> a, b;
            for (std::size_t k = 0; k < wanted.fault.size(); ++k) {
                if (static_cast<int>(k / points % Kept::kFields) == field) {
                    a.push_back(found.fault[k]);
                    b.push_back(wanted.fault[k]);
                }
            }
            // Slip weakening has no psi.
            EXPECT_TRUE(a == b || apart(a, b) < rounding)
                << "field " << field << ": " << apart(a, b);
        }
        if (c.yields) {
            EXPECT_LT(apart(found.plastic_strain, wanted.plastic_strain), of_record);
            const auto still = std::ranges::count(wanted.plastic_strain, 0.0F);
            EXPECT_GT(still, 0);
            EXPECT_LT(still, std::ssize(wanted.plastic_strain) / 2);
        }
        EXPECT_GT(wanted.energy[2], 0.0);
        EXPECT_GT(wanted.energy[4], 0.0);
    }
    void expect_as_on_cpu(const Case& c) { expect_as_on_cpu(c, model_of(c)); }
};

TEST_F(RuptureGpu, AllLaws) {
    for (const FrictionLaw law : {FrictionLaw::LinearSlipWeakening, FrictionLaw::Ageing,
                                  FrictionLaw::Slip, FrictionLaw::FastVelocityWeakening}) {
        expect_as_on_cpu({.law = law});
        expect_as_on_cpu({.precision = Precision::Single, .law = law});
    }
}

/// From eight faces of a thread block to one.
TEST_F(RuptureGpu, AllOrders) {
    for (const int order : {2, 4, 5, 6, 7}) {
        expect_as_on_cpu({.order = order, .macro_steps = 1.9});
    }
}

TEST_F(RuptureGpu, Attenuation) {
    for (const FrictionLaw law : {FrictionLaw::LinearSlipWeakening, FrictionLaw::Ageing}) {
        for (const Precision precision : {Precision::Double, Precision::Single}) {
            expect_as_on_cpu({.order = 4,
                              .precision = precision,
                              .law = law,
                              .mechanisms = 2,
                              .macro_steps = 1.9});
        }
    }
}

TEST_F(RuptureGpu, Plasticity) {
    for (const Precision precision : {Precision::Double, Precision::Single}) {
        for (const int order : {2, 4, 7}) {
            expect_as_on_cpu({.order = order, .precision = precision, .yields = true});
        }
    }
    expect_as_on_cpu({.law = FrictionLaw::Ageing, .mechanisms = 1, .yields = true});
}

/// Two faults that meet, each with its own law.
TEST_F(RuptureGpu, TwoLawsAtATime) {
    const Case c;
    WaveModel model = model_of(c);
    model.mesh.faults.push_back(model.mesh.faults.front());
    model.fault.laws.push_back(FrictionLaw::Ageing);
    for (std::size_t k = 0; k < model.mesh.fault_faces.size(); k += 3) {
        model.mesh.fault_faces[k].fault = 1;
    }
    expect_as_on_cpu(c, model);
}

// A state of one is gone on with by the other, receivers of the fault in the middle of a window.
TEST_F(RuptureGpu, GoesOnFromAStateOfTheCpuAndBack) {
    const Case c{.law = FrictionLaw::Ageing, .yields = true};
    const WaveModel model = model_of(c);
    const WaveParams params = params_of(model, c);
    const Found whole = solved(model, c, cpu);
    comm::SerialComm comm;
    Found found;
    std::unique_ptr<WaveSolver> solver;
    for (const device::Queue& queue : {cpu, gpu, cpu, gpu}) {
        solver = make_wave_solver(model, params, points_of(model), comm, queue);
        if (found.state.empty()) {
            solver->start_from(first_unknowns);
        } else {
            solver->resume(found.state);
        }
        solver->advance(1);
        take(*solver, found);
    }
    solver->advance(100);
    take(*solver, found);
    EXPECT_LT(apart(found.fault, whole.fault), 1e-12);
    EXPECT_LT(apart(found.record, whole.record), 1e-6);
    EXPECT_LT(apart(found.fault_record, whole.fault_record), 1e-6);
    EXPECT_LT(apart(found.energy, whole.energy), 1e-12);
    EXPECT_LT(apart(found.plastic_strain, whole.plastic_strain), 1e-6);
}

TEST_F(RuptureGpu, RanksSeeTheSame) {
    for (const FrictionLaw law : {FrictionLaw::LinearSlipWeakening, FrictionLaw::Ageing}) {
        const Case c{.law = law, .yields = true, .macro_steps = 2.9};
        const WaveModel model = model_of(c);
        const Found whole = solved(model, c, gpu);
        Found found;
        comm::run_as_threads(3, [&](comm::Comm& comm) {
            const auto solver = make_wave_solver(model, params_of(model, c), points_of(model), comm,
                                                 device::Queue(device::Backend::Cuda));
            solver->start_from(first_unknowns);
            Found mine;
            for (const int steps : {2, 100}) {
                solver->advance(steps);
                take(*solver, mine);
            }
            if (comm.rank() == 0) {
                found = mine;
            }
        });
        EXPECT_EQ(found.fault, whole.fault);
        EXPECT_EQ(found.record, whole.record);
        EXPECT_EQ(found.fault_record, whole.fault_record);
        EXPECT_EQ(found.plastic_strain, whole.plastic_strain);
        EXPECT_TRUE(found.state == whole.state);
    }
}

// Between the beginnings of windows (gpu_window.hpp) the host only launches.
TEST_F(RuptureGpu, MacroStepsWaitOnceAndAllocateNothing) {
    const Case c{.order = 2, .yields = true, .macro_steps = 12.0};
    const WaveModel model = model_of(c);
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params_of(model, c), points_of(model), comm, gpu);
    solver->advance(3);  // as it is, recorded, replayed
    const std::size_t waits = device::cuda::synchronisation_count();
    const std::size_t allocations = device::allocation_count();
    solver->advance(8);
    EXPECT_EQ(device::cuda::synchronisation_count() - waits, 1U);
    EXPECT_EQ(device::allocation_count(), allocations);
}

}  // namespace
}  // namespace kaname::aderdg::rupture_gpu_test
