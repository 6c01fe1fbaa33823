// SPDX-License-Identifier: BSD-3-Clause
// Whole solves on a GPU against the same on the CPU; ranks are threads that share the device.
#include "solvers/comm/thread/thread_comm.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"
#include "solvers/viscoelastic/stepping/multistep_solver.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic {
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
        Scatter preconditioner_scatter = Scatter::Coloured;
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

    /// What one rank of a run has.
    struct Rank {
        Rank(const Run& run, comm::Comm& ranks, device::Backend backend)
            : comm(ranks),
              queue(backend),
              fault(ranks, run.element, run.layers),
              model(fault.mesh, fault.dofs, run.layers, conditions(run), ranks, run.element) {
            params.method = run.method;
            params.preconditioner_scatter = run.preconditioner_scatter;
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
            Rank rank({}, comm, device::Backend::Cuda);
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

TEST_F(SolveGpu, StepsWithAtomicsInThePreconditioner) {
    for (const int ranks : {1, 3}) {
        expect_same_steps({.ranks = ranks, .preconditioner_scatter = Scatter::BlockAtomics});
    }
    expect_same_steps(
        {.element = Element::NodalDilatation, .preconditioner_scatter = Scatter::BlockAtomics});
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
}  // namespace kaname::viscoelastic
