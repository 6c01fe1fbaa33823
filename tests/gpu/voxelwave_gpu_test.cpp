// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/voxelwave/element_matrices.hpp"
#include "solvers/voxelwave/gpu_step.hpp"
#include "solvers/voxelwave/wave_solver.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/unit/solvers/voxelwave/voxel_box.hpp"

namespace kaname::voxelwave::voxelwave_gpu_test {
namespace {

using device::Buffer;
using Size = std::array<int, 3>;

constexpr double kDs_m = 2e-3, kDt_s = 1e-7;

/// Damping of both kinds, a layer at some sides and a fixed node.
StepTerms terms_of(const VoxelModel& model, Variant variant) {
    const Size& n = model.voxels;
    const DampingLayer layer{{n[0] / 2, 0, n[1] / 3, n[1] / 3, 0, n[2] / 2}, 1e5};
    return step_terms(model, kDt_s, {1e3, 1e-9}, layer, std::vector<std::int64_t>{4},
                      is_orthogonal(variant));
}

class VoxelwaveGpu : public GpuTest {
protected:
    template <class T>
    Buffer<T> on_gpu(const NodeField<T>& field) {
        return {std::span<const T>(field.row(0, 0, 0), field.bytes() / sizeof(T)), gpu};
    }
    /// The largest difference of a step of random fields, over the largest number.
    template <class T>
    double apart_after_a_step(Variant variant, const Size& voxels, int lanes, int stages = 8) {
        const VoxelModel model = mixed_box(voxels, kDs_m);
        const StepTerms terms = terms_of(model, variant);
        const auto u = random_field<T>(model, lanes, 1), before = random_field<T>(model, lanes, 2);
        NodeField<T> wanted(model.nodes(), lanes), found = wanted;
        make_step<T>(variant, model, terms, lanes, stages)->step(u, before, wanted);
        GpuStep<T> step(variant, model, terms, lanes, stages, gpu);
        Buffer<T> next = on_gpu(random_field<T>(model, lanes, 3));
        step.step(on_gpu(u), on_gpu(before), next);
        device::copy_to_host(found.row(0, 0, 0), next.data(), found.bytes(), gpu);
        return apart(found, wanted);
    }
};

// Sizes that no tile divides, one voxel thick, too; the last of several tiles along x and y.
constexpr Size kSizes[] = {{5, 3, 4}, {1, 1, 1}, {4, 1, 9}, {1, 6, 2}, {37, 30, 3}};

TEST_F(VoxelwaveGpu, WalshTiles) {
    for (const Size& voxels : kSizes) {
        for (const int lanes : {1, 2, 4}) {
            EXPECT_LT(apart_after_a_step<double>(Variant::OvfemWalsh, voxels, lanes), 1e-13);
            EXPECT_LT(apart_after_a_step<float>(Variant::OvfemWalsh, voxels, lanes), 1e-5);
        }
    }
}

TEST_F(VoxelwaveGpu, Matrices) {
    for (const Variant variant : {Variant::Vfem, Variant::OvfemDense}) {
        for (const int lanes : {1, 2, 4}) {
            EXPECT_LT(apart_after_a_step<double>(variant, {5, 3, 4}, lanes), 1e-13);
            EXPECT_LT(apart_after_a_step<float>(variant, {5, 3, 4}, lanes), 1e-5);
        }
    }
}

TEST_F(VoxelwaveGpu, IntegersHaveTheBitsOfTheCpu) {
    const VoxelModel model = mixed_box({5, 3, 3}, kDs_m);
    const StepTerms terms = step_terms(model, kDt_s, {}, {}, {}, true);
    for (const int stages : {1, 3, 4, 5, 8}) {
        const int lanes = stages == 8 ? 2 : stages == 5 ? 4 : 1;
        NodeField<double> u = random_field<double>(model, lanes, 1);
        const double size = stages == 3 ? 1e-170 : stages == 5 ? 1e170 : 1.0;
        for (std::size_t k = 0; k < u.bytes() / sizeof(double); ++k) {
            u.row(0, 0, 0)[k] *= size;
        }
        for (int node = 0; node < 8; ++node) {  // a voxel that does not move
            for (int c = 0; c < 3; ++c) {
                u.of(c, node & 1, node >> 1 & 1, node >> 2, 0) = 0.0;
            }
        }
        GpuStep<double> step(Variant::OvfemInteger, model, terms, lanes, stages, gpu);
        Buffer<double> now = on_gpu(u), next = on_gpu(u);
        step.step(now, now, next);
        // [3 (corner / 2) + component][row of voxels][node and lane]: two voxels meet at a node.
        const std::size_t length = 6 * static_cast<std::size_t>(lanes), n = 9 * length;
        std::vector<double> force(12 * n), wanted(12 * n);
        device::download<double>(step.voxel_forces(), force, gpu);
        const IntegerElement element(stages);
        for (int voxel = 0; voxel < model.n_voxels(); ++voxel) {
            const int x = voxel % 5, y = voxel / 5 % 3, z = voxel / 15;
            const Solid& solid = model.solids[model.solid_of[voxel]];
            for (int lane = 0; lane < lanes; ++lane) {
                IntegerElement::Vector of{};
                for (int k = 0; k < 24; ++k) {
                    const int node = k / 3;
                    of[k] = u.of(k % 3, x + (node & 1), y + (node >> 1 & 1), z + (node >> 2), lane);
                }
                const auto by = element.apply(of, solid.bulk_modulus_pa * kDs_m,
                                              solid.shear_modulus_pa * kDs_m, 1.0);
                for (int k = 0; k < 24; ++k) {
                    const std::size_t row = (k / 6 * 3 + k % 3) * n + (3 * z + y) * length;
                    wanted[row + (x + k / 3 % 2) * lanes + lane] += by[k];
                }
            }
        }
        for (std::size_t k = 0; k < force.size(); ++k) {
            ASSERT_EQ(force[k], wanted[k]) << stages << ' ' << k;
        }
    }
    EXPECT_LT(apart_after_a_step<double>(Variant::OvfemInteger, {37, 2, 2}, 1), 1e-13);
    EXPECT_LT(apart_after_a_step<double>(Variant::OvfemInteger, {5, 3, 4}, 1), 1e-13);
    EXPECT_LT(apart_after_a_step<double>(Variant::OvfemInteger, {1, 1, 2}, 4, 5), 1e-13);
    EXPECT_THROW((apart_after_a_step<double>(Variant::OvfemInteger, {1, 1, 1}, 1, 9)), Error);
    EXPECT_THROW((apart_after_a_step<float>(Variant::OvfemInteger, {1, 1, 1}, 1)), Error);
}

template <class T>
WaveSolver<T> solver_of(int n_sources, const device::Queue& queue) {
    WaveParams params;
    params.dt_s = kDt_s;
    params.damping = {1e3, 1e-9};
    params.layer = {{1, 0, 0, 1, 0, 0}, 1e5};
    params.fixed = {0, 7};
    std::vector<PointSource> sources(n_sources);
    for (int k = 0; k < n_sources; ++k) {
        sources[k].position_m = {0.0031, 0.0052 - 0.001 * k, 0.0048};
        sources[k].force_n = {1.0, 0.5 * k, -1.0};
        sources[k].moment_nm = {0.0, 1e-3, 0.0, 0.0, 2e-3 * k, 0.0};
        sources[k].time = source_time::TimeFunction::table({0.0, 5e-7, 1e-6}, {0.0, 1.0, 0.0});
    }
    if (n_sources > 1) {  // has a part with a time of its own, which ends within the run
        sources[1].further = {{{0.0052, 0.0041, 0.0055},
                               {1e-3, 0.0, -1e-3, 5e-4, 0.0, 0.0},
                               source_time::TimeFunction::triangle(10 * kDt_s, 2 * kDt_s)}};
    }
    return WaveSolver<T>(mixed_box({6, 4, 5}, kDs_m), params, sources,
                         std::vector<std::array<double, 3>>{{0.009, 0.002, 0.003}, {}}, queue);
}

template <class T>
double apart(const std::vector<T>& a, const std::vector<T>& b) {
    double difference = a.size() == b.size() && !a.empty() ? 0.0 : 1.0, largest = 0.0;
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
        difference = std::max(difference, std::abs(double(a[k]) - double(b[k])));
        largest = std::max(largest, std::abs(double(b[k])));
    }
    return difference / largest;
}

TEST_F(VoxelwaveGpu, RunsAndRecordsAsTheCpu) {
    for (const int n_sources : {1, 2, 3}) {
        auto on_cpu = solver_of<double>(n_sources, cpu), on_gpu = solver_of<double>(n_sources, gpu);
        auto single = solver_of<float>(n_sources, gpu);
        for (auto* solver : {&on_cpu, &on_gpu}) {
            solver->step();
            solver->run(14, 4);
            solver->run(9, 4);
        }
        single.run(24, 4);
        const std::vector<float> wanted = on_cpu.take_record(), found = on_gpu.take_record();
        ASSERT_EQ(wanted.size(), std::size_t(6 * n_sources * 2 * 3));
        EXPECT_LT(apart(found, wanted), 1e-6);
        EXPECT_LT(apart(single.take_record(), wanted), 1e-4);
        EXPECT_TRUE(on_gpu.take_record().empty());
        EXPECT_LT(apart(on_gpu.displacement(), on_cpu.displacement()), 1e-13);
        EXPECT_LT(apart(on_gpu.before(), on_cpu.before()), 1e-13);
        EXPECT_EQ(found.back(), static_cast<float>(on_gpu.at_receivers(n_sources - 1)[5]));
        EXPECT_NEAR(on_gpu.energy_j(0) / on_cpu.energy_j(0), 1.0, 1e-10);
    }
}

TEST_F(VoxelwaveGpu, ARecordGrowsBeyondItsPlaceOnTheGpu) {
    constexpr std::size_t kReceivers = 40000;  // eight samples in the GPU's 4 MiB
    std::vector<std::array<double, 3>> receivers(kReceivers, {0.003, 0.002, 0.003});
    receivers.back() = {0.004, 0.004, 0.004};
    WaveParams params;
    params.dt_s = kDt_s;
    std::vector<PointSource> sources(1);
    sources[0].force_n = {1.0, 2.0, 3.0};
    WaveSolver<double> on_cpu(mixed_box({2, 2, 2}, kDs_m), params, sources, receivers, cpu),
        on_gpu(mixed_box({2, 2, 2}, kDs_m), params, sources, receivers, gpu);
    on_cpu.run(10, 1);
    on_gpu.run(10, 1);
    const std::vector<float> found = on_gpu.take_record();
    ASSERT_EQ(found.size(), 10 * 3 * kReceivers);
    EXPECT_LT(apart(found, on_cpu.take_record()), 1e-6);
}

TEST_F(VoxelwaveGpu, GoesOnFromAStateOfTheCpu) {
    auto whole = solver_of<double>(2, cpu), first = solver_of<double>(2, cpu),
         second = solver_of<double>(2, gpu);
    whole.run(20, 20);
    first.run(8, 20);
    second.resume(first.displacement(), first.before(), first.n_steps());
    second.run(12, 20);
    EXPECT_LT(apart(second.displacement(), whole.displacement()), 1e-13);
    EXPECT_LT(apart(second.take_record(), whole.take_record()), 1e-6);
    EXPECT_THROW(second.run(1, 0), Error);
}

}  // namespace
}  // namespace kaname::voxelwave::voxelwave_gpu_test
