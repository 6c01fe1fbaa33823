// SPDX-License-Identifier: BSD-3-Clause
// Writes one system of the benchmark's mesh family for other solvers to be compared on.
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/bench/lattice.hpp"
#include "tests/bench/system/write.hpp"

namespace {

using namespace kaname;
using lanes::kLanes;

constexpr const char* kUsage =
    R"(Usage: kaname-bench-system small|medium|large FOLDER [petsc|matrix-market]

Writes the stiffness of a time step of the benchmark's lattice (dt a tenth of the Maxwell time) over
its free nodes, unknowns ordered node by node as x, y, z, and for each of four sources a right-hand
side K x of step 26, its exact solution x, and the start that the default predictor finds when the
steps before were solved to 1e-8:
  petsc          A.petsc, rigid_0..5.petsc, rhs_0..3, solution_0..3, start_0..3
  matrix-market  A.mtx (lower triangle), rigid.mtx, rhs.mtx, solution.mtx, start.mtx
Default: petsc. Exit codes: 0 done; 2 bad arguments; 1 any other failure.
)";

constexpr int kStep = 26;  // every predictor has its history by then

bench::Size size_from(const std::string& name) {
    for (const bench::Size size : {bench::Size::Small, bench::Size::Medium, bench::Size::Large}) {
        if (name == to_string(size)) {
            return size;
        }
    }
    throw Error(ErrorCode::InvalidArgument,
                "the size must be small, medium or large, got '" + name + "'");
}

/// A lane of a nodal vector at the free nodes.
void append(const bench::AssembledSystem& system, device::View<const double> x, int lane,
            std::vector<double>& values) {
    for (const std::int32_t node : system.nodes) {
        for (int comp = 0; comp < 3; ++comp) {
            values.push_back(x[(std::size_t(node) * 3 + comp) * kLanes + lane]);
        }
    }
}

/// Translations and rotations about the centre of the free nodes, columns one after the other.
std::vector<double> rigid_motions(const bench::AssembledSystem& system, const p2::LocalMesh& mesh,
                                  double length_m) {
    Vec3 centre;
    for (const std::int32_t node : system.nodes) {
        centre += mesh.node_xyz[node];
    }
    centre = (1.0 / static_cast<double>(system.nodes.size())) * centre;
    std::vector<double> values;
    for (int mode = 0; mode < 6; ++mode) {
        Vec3 axis;
        (mode % 3 == 0 ? axis.x : mode % 3 == 1 ? axis.y : axis.z) = 1.0;
        for (const std::int32_t node : system.nodes) {
            const Vec3 d = (1.0 / length_m) * (mesh.node_xyz[node] - centre);
            const Vec3 u = mode < 3 ? axis : cross(axis, d);
            values.insert(values.end(), {u.x, u.y, u.z});
        }
    }
    return values;
}

/// Columns of four lanes, one after the other: the load, solution and start of step kStep.
struct Vectors {
    std::vector<double> rhs, solution, start;
};

Vectors solve(viscoelastic::PackSolver& solver, viscoelastic::Stiffness& stiffness,
              const viscoelastic::Model& model, const bench::AssembledSystem& system,
              comm::Comm& comm, device::Queue& queue) {
    const auto predictor = viscoelastic::make_predictor(
        viscoelastic::predictor_params(viscoelastic::PredictorKind::Projection, 1e-8), model, comm,
        queue);
    device::Buffer<double> before(model.vector_size());
    device::Buffer<double> du(model.vector_size());
    device::Buffer<double> f(model.vector_size());
    const device::Buffer<double> zero(model.vector_size());
    while (!solver.finished()) {
        const auto u_before = solver.displacement();
        std::copy(u_before.begin(), u_before.end(), before.data());
        const viscoelastic::StepResult step = solver.advance();
        std::fprintf(stderr, "step %d of %d: %d iterations\n", step.step, kStep,
                     step.lanes[0].iterations);
        const auto u = solver.displacement();
        for (std::size_t i = 0; i < du.size(); ++i) {
            du[i] = u[i] - before[i];
        }
        // The load that this increment solves exactly.
        stiffness.K().apply(du, f, queue);
        if (step.step > 0 && step.step < kStep) {
            predictor->push(du, f, zero, queue);
        }
    }
    device::Buffer<double> start(model.vector_size());
    predictor->predict(start, f, queue);
    Vectors result;
    for (int lane = 0; lane < kLanes; ++lane) {
        append(system, f, lane, result.rhs);
        append(system, du, lane, result.solution);
        append(system, start, lane, result.start);
    }
    return result;
}

void write(const std::string& folder, bool petsc, const std::string& name,
           const std::vector<double>& values, std::size_t rows) {
    if (!petsc) {
        bench::write_matrix_market(folder + "/" + name + ".mtx", values, rows);
        return;
    }
    for (std::size_t column = 0; column * rows < values.size(); ++column) {
        bench::write_petsc(folder + "/" + name + "_" + std::to_string(column) + ".petsc",
                           {values.data() + column * rows, rows});
    }
}

void run(bench::Size size, const std::string& folder, bool petsc) {
    std::filesystem::create_directories(folder);
    const bench::Lattice lattice = bench::make_lattice(size);
    comm::SerialComm comm;
    device::Queue queue;
    const p2::DofMap dofs(lattice.mesh);
    const auto split = fault::split_fault_nodes(lattice.mesh, dofs.conn, dofs.node_xyz);
    const viscoelastic::Model model(lattice.mesh, dofs, lattice.structure.materials,
                                    bench::fixed_sides(), comm);
    const viscoelastic::SolverParams params;
    const viscoelastic::TimeGrid grid = {0.1 * lattice.maxwell_time_s, kStep, 0.5};
    viscoelastic::Stiffness stiffness(model, model.step_moduli(grid.dt_s, grid.alpha), params, comm,
                                      queue);
    const bench::AssembledSystem system = bench::assemble(model, stiffness.step().moduli);
    std::fprintf(stderr, "%s: %d unknowns, %zu non-zeros\n", lattice.name.c_str(), system.size(),
                 system.val.size());
    viscoelastic::PackSolver solver(
        model, grid, params,
        viscoelastic::predictor_params(viscoelastic::PredictorKind::Projection,
                                       params.cg.tolerance),
        comm, queue);
    solver.start(viscoelastic::element_offsets(model, dofs, split, bench::four_hats(dofs, split)));
    const Vectors vectors = solve(solver, stiffness, model, system, comm, queue);
    const std::size_t rows = system.size();
    if (petsc) {
        bench::write_petsc(folder + "/A.petsc", system);
    } else {
        bench::write_matrix_market(folder + "/A.mtx", system);
    }
    write(folder, petsc, "rigid", rigid_motions(system, model.mesh(), model.scales().length_m),
          rows);
    write(folder, petsc, "rhs", vectors.rhs, rows);
    write(folder, petsc, "solution", vectors.solution, rows);
    write(folder, petsc, "start", vectors.start, rows);
    std::printf("%s: %zu unknowns, %zu non-zeros, four right-hand sides\n", folder.c_str(), rows,
                system.val.size());
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
            std::fputs(kUsage, stdout);
            return 0;
        }
        const std::string format = argc == 4 ? argv[3] : "petsc";
        if (argc < 3 || argc > 4 || (format != "petsc" && format != "matrix-market")) {
            std::fputs(kUsage, stderr);
            return 2;
        }
        run(size_from(argv[1]), argv[2], format == "petsc");
        return 0;
    } catch (const Error& error) {
        std::fprintf(stderr, "kaname-bench-system: %s\n", error.what());
        return error.code() == ErrorCode::InvalidArgument ? 2 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "kaname-bench-system: %s\n", error.what());
        return 1;
    }
}
