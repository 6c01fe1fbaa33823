// SPDX-License-Identifier: BSD-3-Clause
#include <string_view>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/device/memory.hpp"
#include "solvers/p2/dof_map.hpp"
#include "solvers/viscoelastic/model/observer.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"
#include "tests/support/built_job.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"
#include "worker/jobs/greens/method_choice.hpp"

namespace kaname::jobs::device_memory_test {
namespace {

struct Variant {
    SolverMethod method;
    PredictorKind predictor;
    ElementChoice element;
    TimeMethod time_method;
};

GreensJob job_of(const Variant& variant) {
    GreensJob job = plane_job();
    job.solver.method = variant.method;
    job.solver.predictor = variant.predictor;
    job.solver.element = variant.element;
    job.time.method = variant.time_method;
    job.mesh.size_at_fault_m = 4e3;
    return test::built(job);
}

class DeviceMemory : public testing::TestWithParam<Variant> {
protected:
    GreensJob job = job_of(GetParam());
    Steps steps = time_steps(job);
    mesh::TetMesh mesh = jobs::JobGeometry(job).build_mesh([](double, const char*) {});
    p2::DofMap dofs{mesh};
    comm::SerialComm comm;
    device::Queue queue;
    std::vector<viscoelastic::BoundaryCondition> fixed = {
        {mesh::Side::Bottom, 0}, {mesh::Side::Bottom, 1}, {mesh::Side::Bottom, 2}};
    viscoelastic::Model model{mesh,  dofs, job.structure.materials,
                              fixed, comm, element_of(job, false)};
    viscoelastic::SolverParams params;

    void SetUp() override { params.method = method_of(job.solver.method); }
    [[nodiscard]] double expected_on_cpu() const {
        double bytes = 0.0;
        for (const MemoryPart& part : memory_parts(job, steps, counts_of(model))) {
            bytes += part.on_gpu_only ? 0.0 : part.bytes;
        }
        return bytes;
    }
    /// Memory of the second of two operators, with its hierarchy [bytes].
    [[nodiscard]] double shift_bytes() const {
        double bytes = 0.0;
        for (const MemoryPart& part : memory_parts(job, steps, counts_of(model))) {
            const std::string_view name = part.name;
            bytes += name == "operators" || name == "hierarchies" ? 0.5 * part.bytes : 0.0;
            bytes += name == "shift operator" ? part.bytes : 0.0;
        }
        return bytes;
    }
};

TEST_P(DeviceMemory, OfTimeStepsIsWhatTheSolverAllocates) {
    const std::size_t before = device::held_bytes(device::Backend::Cpu);

    const viscoelastic::PackSolver solver(
        model, steps.grid, params,
        viscoelastic::predictor_params(job.solver.predictor, job.solver.tolerance), comm, queue);

    const auto held = static_cast<double>(device::held_bytes(device::Backend::Cpu) - before);
    EXPECT_NEAR(expected_on_cpu() / held, 1.0, 0.06);
}

INSTANTIATE_TEST_SUITE_P(Variants, DeviceMemory,
                         testing::Values(Variant{SolverMethod::Default, PredictorKind::Projection,
                                                 ElementChoice::P2, TimeMethod::Stepping},
                                         Variant{SolverMethod::Default, PredictorKind::Cubic,
                                                 ElementChoice::P2, TimeMethod::Stepping},
                                         Variant{SolverMethod::Default, PredictorKind::Projection,
                                                 ElementChoice::NodalDilatation,
                                                 TimeMethod::Stepping},
                                         Variant{SolverMethod::Pcge, PredictorKind::Ab2,
                                                 ElementChoice::P2, TimeMethod::Stepping},
                                         Variant{SolverMethod::Seed, PredictorKind::DataDriven,
                                                 ElementChoice::P2, TimeMethod::Stepping}));

using DeviceMemoryOfASpectrum = DeviceMemory;

TEST_P(DeviceMemoryOfASpectrum, IsWhatAPackAllocates) {
    const std::size_t before = device::held_bytes(device::Backend::Cpu);
    const auto split = fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
    viscoelastic::PackSlip slip;
    slip[0].assign(split.split.size(), {1.0, 0.0, 0.0});

    viscoelastic::Observer observer(model, p2::locate_points(mesh, mesh.xyz), queue);
    viscoelastic::SpectrumSolver solver(
        model, viscoelastic::relaxation_groups(job.structure.materials, model.element()),
        {.end_s = job.time.end_s, .max_shifts = 3}, params, observer, comm, queue);
    (void)solver.start(viscoelastic::element_offsets(model, dofs, split, slip));
    while (solver.advance()) {
    }

    const auto held = static_cast<double>(device::held_bytes(device::Backend::Cpu) - before);
    const double vector = 96.0 * model.mesh().n_nodes();
    const double shifts_not_needed = kExpectedShifts - static_cast<double>(solver.basis().size());
    // The last shift's matrices are gone by now.
    const double gone = shift_bytes();
    EXPECT_NEAR((expected_on_cpu() - vector * shifts_not_needed - gone) / held, 1.0, 0.06);
}

INSTANTIATE_TEST_SUITE_P(Variants, DeviceMemoryOfASpectrum,
                         testing::Values(Variant{SolverMethod::Default, PredictorKind::Projection,
                                                 ElementChoice::P2, TimeMethod::Spectrum}));

TEST(DeviceMemoryText, NamesUnknownsNeedAndWhatIsFree) {
    const std::string text = device_memory_text({1000000, 700000, 130000}, 2.5e9, 2e9);

    EXPECT_EQ(text,
              "device cuda: 3000000 unknowns of a rank need about 2.33 GiB of GPU memory, free are "
              "1.86 GiB for it; use more GPUs, device cpu, or enlarge mesh.size_at_fault or "
              "mesh.size_far");
}

TEST(DeviceMemoryCheck, LetsTheCpuPass) {
    comm::SerialComm comm;
    const device::Queue queue;
    const GreensJob job = plane_job();

    EXPECT_NO_THROW(require_device_memory(job, time_steps(job), {1LL << 40, 1LL << 40, 1LL << 37},
                                          queue, comm));
}

}  // namespace
}  // namespace kaname::jobs::device_memory_test
