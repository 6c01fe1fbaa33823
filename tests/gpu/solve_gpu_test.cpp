// SPDX-License-Identifier: BSD-3-Clause
// Whole solves on a GPU against the same on the CPU; ranks are threads that share the device.
#include "solvers/viscoelastic/model/fault_traction.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"
#include "solvers/viscoelastic/stepping/multistep_solver.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::solve_gpu_test {
namespace {

using lanes::kLanes;

constexpr double kTau_s = 1e19 / 3e10;

class SolveGpu : public GpuTest {
protected:
    struct Run {
        int ranks = 1;
        Element element = Element::P2;
        Method method = Method::Default;
        PredictorKind predictor = PredictorKind::Projection;
        std::vector<earth::Material> layers = {rock(3e10, 3e10, 1e19)};
        bool moved_sides = false;  ///< prescribed motion and tractions, too
        Scatter scatter = Scatter::BlockAtomics;
        TimeGrid grid = {0.2 * kTau_s, 6, 0.5, {{0.4 * kTau_s, 4}}};
    };
    using History = std::vector<std::vector<double>>;

    static std::vector<BoundaryCondition> conditions(const Run& run) {
        using Kind = BoundaryCondition::Kind;
        std::vector<BoundaryCondition> sides = clamped({mesh::Side::Bottom});
        if (run.moved_sides) {
            sides.push_back(
                {mesh::Side::West, 0, Kind::Prescribed, [](const Vec3& x, double t_s, int lane) {
                     return (0.1 + 0.1 * lane) * t_s / kTau_s - 1e-5 * x.y;
                 }});
            sides.push_back(
                {mesh::Side::Top, 2, Kind::Traction, [](const Vec3& x, double t_s, int lane) {
                     return 1e5 * (1.0 + lane + t_s / kTau_s) + 10.0 * x.x;
                 }});
        }
        return sides;
    }

    /// Rank holds the objects of one rank of a run.
    struct Rank {
        Rank(const Run& run, comm::Comm& ranks, device::Backend backend)
            : comm(ranks),
              queue(backend),
              fault(ranks, run.element, run.layers),
              model(fault.mesh, fault.dofs, run.layers, conditions(run), ranks, run.element) {
            params.method = run.method;
            params.scatter = run.scatter;
            params.cg = {1e-10, 2000};
        }
        std::vector<ElementOffset> offsets() const {
            return element_offsets(model, fault.dofs, fault.split, fault.unit_slip({0, 1, 3}));
        }
        /// Steps to the end; rank 0 appends u after every step, of the whole mesh [node][3][4].
        template <class Solver>
        void run_to_end(Solver& solver, History& all) {
            while (!solver.finished()) {
                const StepResult step = solver.advance();
                EXPECT_TRUE(step.lanes[0].ok()) << step.step;
                std::vector<double> host(solver.displacement().size());
                device::download<double>(solver.displacement(), host, queue);
                std::vector<double> whole(std::size_t(fault.dofs.n_nodes()) * 3 * kLanes, 0.0);
                const auto& mesh = model.mesh();
                for (std::size_t i = 0; i < host.size(); ++i) {
                    const auto node = static_cast<std::int32_t>(i / (3 * kLanes));
                    if (mesh.node_halo.owned(node)) {
                        whole[mesh.node_gid[node] * 3 * kLanes + i % (3 * kLanes)] = host[i];
                    }
                }
                comm.sum(std::span<double>(whole));
                if (comm.rank() == 0) {
                    all.push_back(whole);
                }
            }
        }
        comm::Comm& comm;
        device::Queue queue;
        FaultModel fault;
        Model model;
        SolverParams params;
    };

    static History steps(const Run& run, device::Backend backend) {
        History all;
        comm::run_as_threads(run.ranks, [&](comm::Comm& comm) {
            Rank rank(run, comm, backend);
            PredictorParams predictor = predictor_params(run.predictor, 1e-10);
            predictor.nodes_per_subdomain = 300;
            PackSolver solver(rank.model, run.grid, rank.params, predictor, comm, rank.queue);
            for (int pack = 0; pack < 2; ++pack) {
                solver.start(rank.offsets());
                rank.run_to_end(solver, all);
            }
        });
        return all;
    }
    static History four_steps_at_once(const Run& run, device::Backend backend) {
        History all;
        comm::run_as_threads(run.ranks, [&](comm::Comm& comm) {
            Rank rank(run, comm, backend);
            MultistepSolver solver(rank.model, run.grid, rank.params, comm, rank.queue);
            for (const int source : {1, 3}) {
                solver.start(rank.offsets(), source);
                rank.run_to_end(solver, all);
            }
        });
        return all;
    }

    static void expect_same_steps(const Run& run) {
        expect_same(steps(run, device::Backend::Cpu), steps(run, device::Backend::Cuda));
    }
    static void expect_same(const History& on_cpu, const History& on_gpu) {
        ASSERT_EQ(on_cpu.size(), on_gpu.size());
        ASSERT_GT(on_cpu.size(), 10U);
        for (std::size_t step = 0; step < on_cpu.size(); ++step) {
            double apart = 0.0;
            double size = 0.0;
            for (std::size_t i = 0; i < on_cpu[step].size(); ++i) {
                apart = std::max(apart, std::abs(on_gpu[step][i] - on_cpu[step][i]));
                size = std::max(size, std::abs(on_cpu[step][i]));
            }
            EXPECT_GT(size, 0.1);
            EXPECT_LE(apart, 1e-7 * size) << step;
        }
    }
};

TEST_F(SolveGpu, StepsOfTheDefault) {
    expect_same_steps({});
}

TEST_F(SolveGpu, StepsOfEveryRheology) {
    for (const Element element : {Element::P2, Element::NodalDilatation}) {
        expect_same_steps({.ranks = 2, .element = element, .layers = four_rheologies()});
    }
}

// Bit for bit, since no kernel of this cycle has atomics; whole steps have (offset_force), so they
// are compared as sums.
TEST_F(SolveGpu, AReplayedCycleIsTheSameAsItsKernels) {
    std::vector<std::vector<float>> cycles;
    for (const bool recorded : {false, true}) {
        comm::run_as_threads(1, [&](comm::Comm& comm) {
            Rank rank({.scatter = Scatter::Coloured}, comm, device::Backend::Cuda);
            rank.params.hierarchy.recorded = recorded;
            Stiffness K(rank.model, rank.model.step_moduli(0.2 * kTau_s, 0.5), rank.params, comm,
                        rank.queue);
            std::vector<float> host(rank.model.vector_size());
            for (std::size_t i = 0; i < host.size(); ++i) {
                host[i] = std::sin(0.7F * static_cast<float>(i % 9973));
            }
            const device::Buffer<float> r(std::span<const float>(host), rank.queue);
            device::Buffer<float> z(host.size(), rank.queue);
            for (int run = 0; run < 3; ++run) {  // as kernels, recorded and replayed, replayed
                K.preconditioner().apply(r, z, rank.queue);
                cycles.emplace_back(host.size());
                device::download<float>(z, cycles.back(), rank.queue);
            }
        });
    }
    for (const auto& cycle : cycles) {
        EXPECT_EQ(cycle, cycles[0]);
    }
}

TEST_F(SolveGpu, StepsOfColouredOperators) {
    for (const int ranks : {1, 3}) {
        expect_same_steps({.ranks = ranks, .scatter = Scatter::Coloured});
    }
    expect_same_steps({.element = Element::NodalDilatation, .scatter = Scatter::Coloured});
}

TEST_F(SolveGpu, StepsOnThreeRanks) {
    expect_same_steps({.ranks = 3});
    expect_same_steps({.ranks = 3, .element = Element::NodalDilatation});
}

TEST_F(SolveGpu, StepsOfBlockJacobiWithAb2) {
    expect_same_steps({.method = Method::Pcge, .predictor = PredictorKind::Ab2});
}

TEST_F(SolveGpu, StepsOfTheSeed) {
    expect_same_steps({.method = Method::Seed, .predictor = PredictorKind::Ab2});
    expect_same_steps({.ranks = 3, .method = Method::Seed, .predictor = PredictorKind::Ab2});
}

TEST_F(SolveGpu, StepsWithDataDrivenPredictors) {
    for (const int ranks : {1, 3}) {
        expect_same_steps({.ranks = ranks, .predictor = PredictorKind::DataDriven});
    }
    // As published it waits for 16 columns: step 20.
    expect_same_steps({.method = Method::Seed,
                       .predictor = PredictorKind::DataDrivenPublished,
                       .grid = {0.2 * kTau_s, 24, 0.5}});
}

TEST_F(SolveGpu, FourStepsAtOnce) {
    for (const int ranks : {1, 3}) {
        const Run run{.ranks = ranks, .method = Method::Seed, .grid = {0.2 * kTau_s, 12, 0.5}};
        expect_same(four_steps_at_once(run, device::Backend::Cpu),
                    four_steps_at_once(run, device::Backend::Cuda));
    }
}

TEST_F(SolveGpu, StepsWithMotionAndTractionsOfSides) {
    for (const int ranks : {1, 3}) {
        expect_same_steps({.ranks = ranks, .moved_sides = true});
    }
}

TEST_F(SolveGpu, StepsWithNodalDilatation) {
    expect_same_steps({.element = Element::NodalDilatation});
}

TEST_F(SolveGpu, SpectrumHasTheSameModel) {
    std::vector<std::vector<double>> answers;
    for (const device::Backend backend : {device::Backend::Cpu, device::Backend::Cuda}) {
        comm::run_as_threads(1, [&](comm::Comm& comm) {
            device::Queue queue(backend);
            const FaultModel fault(comm);
            const auto groups = relaxation_groups(fault.model.materials(), fault.model.element());
            SpectrumParams params;
            params.end_s = 10.0 * kTau_s;
            params.tolerance = 1e-6;
            Observer surface = fault.surface(queue);
            SpectrumSolver solver(fault.model, groups, params, {}, surface, comm, queue);
            (void)solver.start(fault.offsets(fault.unit_slip({0, 2})));
            while (solver.advance()) {
            }
            const auto c = solver.reduced().modes(groups.relaxation).at(kTau_s);
            device::Buffer<double> u(fault.model.vector_size(), queue);
            for (std::size_t k = 0; k < solver.basis().size(); ++k) {
                lanes::LaneGram weight;
                std::copy_n(c.begin() + std::ptrdiff_t(k) * kLanes, kLanes, weight.begin());
                lanes::add_mixed(weight, solver.basis()[k], u, queue);
            }
            answers.emplace_back(u.size());
            device::download<double>(u, answers.back(), queue);
        });
    }
    double size = 0.0;
    for (const double value : answers[0]) {
        size = std::max(size, std::abs(value));
    }
    EXPECT_GT(size, 1e-3);
    for (std::size_t i = 0; i < answers[0].size(); ++i) {
        ASSERT_NEAR(answers[1][i], answers[0][i], 1e-5 * size);
    }
}

/// Largest difference over the largest number of the first.
double apart(const std::vector<double>& a, const std::vector<double>& b) {
    double difference = 0.0, size = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference = std::max(difference, std::abs(a[i] - b[i]));
        size = std::max(size, std::abs(a[i]));
    }
    EXPECT_GT(size, 0.0);
    EXPECT_EQ(a.size(), b.size());
    return difference / size;
}

TEST_F(SolveGpu, ForcesAtStationsHaveTheSameTractions) {
    std::vector<std::vector<double>> by_steps, by_spectrum;
    for (const device::Backend backend : {device::Backend::Cpu, device::Backend::Cuda}) {
        comm::run_as_threads(1, [&](comm::Comm& comm) {
            device::Queue queue(backend);
            const FaultModel fault(comm);
            const auto places = p2::locate_points(
                fault.mesh, std::vector<Vec3>{{2.2e3, 3.1e3, 0.0}, {4.4e3, 1.7e3, 0.0}});
            const std::vector<PointForce> forces = {{places[0], {1.0, 0.0, 0.0}},
                                                    {places[0], {0.0, 0.0, 1.0}},
                                                    {places[1], {0.0, 1.0, 0.0}},
                                                    {places[1], {0.6, 0.0, 0.8}}};
            FaultTraction traction(fault.model, fault.dofs, fault.split, queue);
            SolverParams solver_params;
            solver_params.cg = {1e-10, 2000};
            PackSolver steps(fault.model, {0.5 * kTau_s, 4, 0.5}, solver_params,
                             predictor_params(PredictorKind::Projection, 1e-10), comm, queue);
            steps.start({}, {}, point_load(fault.model, forces, queue));
            while (!steps.finished()) {
                (void)steps.advance();
            }
            by_steps.push_back(traction.of_stress(steps.stress_of(traction.elements()),
                                                  steps.displacement(), comm, queue));

            const auto groups = relaxation_groups(fault.model.materials(), fault.model.element());
            SpectrumParams params;
            params.end_s = 10.0 * kTau_s;
            params.tolerance = 1e-6;
            SpectrumSolver spectrum(fault.model, groups, params, {}, traction, comm, queue);
            const auto load = point_load(fault.model, forces, queue);
            (void)spectrum.start({}, load.view());
            while (spectrum.advance()) {
            }
            EXPECT_TRUE(spectrum.reached());
            const auto c = spectrum.reduced().modes(groups.relaxation).at(kTau_s);
            device::Buffer<double> u(fault.model.vector_size(), queue);
            for (std::size_t k = 0; k < spectrum.basis().size(); ++k) {
                lanes::LaneGram weight;
                std::copy_n(c.begin() + std::ptrdiff_t(k) * kLanes, kLanes, weight.begin());
                lanes::add_mixed(weight, spectrum.basis()[k], u, queue);
            }
            by_spectrum.push_back(traction.observe(u.view(), {}, comm, queue));
        });
    }
    EXPECT_LT(apart(by_steps[0], by_steps[1]), 1e-7);
    EXPECT_LT(apart(by_spectrum[0], by_spectrum[1]), 1e-5);
}

/// Returns the displacement of the surface by the basis with weights c.
std::vector<double> moved_by(const SpectrumSolver& solver, Observer& surface,
                             const ReducedModel::LaneRows& c, comm::Comm& comm,
                             device::Queue& queue) {
    std::vector<double> moved;
    for (std::size_t k = 0; k < solver.basis().size(); ++k) {
        const auto seen = surface.observe(solver.basis()[k].view(), {}, comm, queue);
        moved.resize(seen.size(), 0.0);
        for (std::size_t i = 0; i < seen.size(); ++i) {
            for (int lane = 0; lane < kLanes; ++lane) {
                moved[i / kLanes * kLanes + lane] += c[k * kLanes + i % kLanes][lane] * seen[i];
            }
        }
    }
    return moved;
}

TEST_F(SolveGpu, ARangeOfViscosityHasTheSameAnswers) {
    std::vector<std::vector<double>> answers, solves;
    for (const device::Backend backend : {device::Backend::Cpu, device::Backend::Cuda}) {
        comm::run_as_threads(1, [&](comm::Comm& comm) {
            device::Queue queue(backend);
            std::vector<earth::Material> layers = {rock(3e10, 3e10), rock(3e10, 3e10, 1e19)};
            layers[1].viscosity_range = {3e18, 3e19};
            const FaultModel fault(comm, Element::P2, layers);
            const auto groups = relaxation_groups(fault.model.materials(), fault.model.element());
            SpectrumParams params;
            params.end_s = 10.0 * kTau_s;
            params.tolerance = 1e-4;
            Observer surface = fault.surface(queue);
            SpectrumSolver solver(fault.model, groups, params, {}, surface, comm, queue);
            (void)solver.start(fault.offsets(fault.unit_slip({0, 2})));
            std::vector<double> shifts;
            while (const auto point = solver.advance()) {
                shifts.push_back(point->shift_per_s);
            }
            EXPECT_TRUE(solver.reached());
            solves.push_back(shifts);
            std::vector<double> moved;
            for (const auto& viscosities : {groups.range.softest(), groups.range.stiffest()}) {
                const auto c = solver.reduced().modes(groups.range.at(viscosities)).at(kTau_s);
                const auto u = moved_by(solver, surface, c, comm, queue);
                moved.insert(moved.end(), u.begin(), u.end());
            }
            answers.push_back(moved);
        });
    }
    EXPECT_EQ(solves[0], solves[1]);
    EXPECT_LT(apart(answers[0], answers[1]), 1e-5);
}

TEST_F(SolveGpu, AStepAllocatesNothing) {
    const auto expect_none = [](auto& solver) {
        for (int step = 0; step < 3; ++step) {
            (void)solver.advance();
        }
        const std::size_t before = device::allocation_count();
        for (int step = 3; step < 10; ++step) {
            (void)solver.advance();
        }
        EXPECT_EQ(device::allocation_count(), before);
    };
    const TimeGrid grid{0.2 * kTau_s, 20, 0.5};
    for (const Run& run :
         {Run{}, Run{.element = Element::NodalDilatation},
          Run{.method = Method::Seed, .predictor = PredictorKind::DataDriven},
          Run{.method = Method::Pcge, .predictor = PredictorKind::Ab2, .moved_sides = true}}) {
        comm::run_as_threads(1, [&](comm::Comm& comm) {
            Rank rank(run, comm, device::Backend::Cuda);
            PackSolver solver(rank.model, grid, rank.params, predictor_params(run.predictor, 1e-8),
                              comm, rank.queue);
            solver.start(rank.offsets());
            expect_none(solver);
        });
    }
    comm::run_as_threads(1, [&](comm::Comm& comm) {
        Rank rank({.method = Method::Seed}, comm, device::Backend::Cuda);
        MultistepSolver solver(rank.model, grid, rank.params, comm, rank.queue);
        solver.start(rank.offsets(), 0);
        expect_none(solver);
    });
}

}  // namespace
}  // namespace kaname::viscoelastic::solve_gpu_test
