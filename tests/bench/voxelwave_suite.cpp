// SPDX-License-Identifier: BSD-3-Clause
// Steps of explicit waves on voxels: the block with a rebar of ichimura2024, section 3.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "solvers/device/cuda/measure.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/voxelwave/element_matrices.hpp"
#include "solvers/voxelwave/shapes.hpp"
#include "tests/bench/suites.hpp"
#include "tests/bench/voxel_stepping.hpp"

namespace kaname::bench {
namespace {

using namespace voxelwave;

constexpr double kDt_s = 5e-8;

/// 324 x 128 x 384 mm of concrete with a steel bar of radius 15 mm along y. The paper prints no
/// properties: these are common ones.
VoxelModel rebar_block(double ds_m) {
    Shapes shapes({0.324, 0.128, 0.384}, ds_m, Solid::of_speeds(4300.0, 2600.0, 2400.0));
    shapes.cylinder(1, {0.160, 0.0, 0.100}, 0.015, Solid::of_speeds(5900.0, 3200.0, 7850.0));
    return shapes.model();
}

template <class T>
NodeField<T> random_field(const VoxelModel& model, int lanes) {
    NodeField<T> field(model.nodes(), lanes);
    std::mt19937 draw(3);
    std::uniform_real_distribution<double> number(-1e-9, 1e-9);
    const auto nodes = model.nodes();
    for (int c = 0; c < 3; ++c) {
        for (int z = 0; z < nodes[2]; ++z) {
            for (int y = 0; y < nodes[1]; ++y) {
                std::generate_n(field.row(c, z, y), field.row_length(),
                                [&] { return static_cast<T>(number(draw)); });
            }
        }
    }
    return field;
}

/// Root mean square of K u's error over that of K u, against 80-bit arithmetic with the element's
/// matrices, on a small block of random numbers.
template <class T>
double error_of(Variant variant, int stages, const device::Queue& queue) {
    VoxelModel model = rebar_block(0.004);
    model.voxels = {12, 10, 14};
    std::mt19937 draw(5);
    model.solid_of.resize(static_cast<std::size_t>(model.n_voxels()));
    std::ranges::generate(model.solid_of, [&] { return static_cast<std::uint16_t>(draw() % 2); });
    StepTerms terms = step_terms(model, kDt_s, {}, {}, {}, is_orthogonal(variant));
    std::ranges::fill(terms.keep[0], -1.0);  // from rest at 0 before: u - u - dt^2/m K u
    const std::vector<double> mass = model.masses();
    const NodeField<T> u = random_field<T>(model, 1);
    const NodeField<T> zero(model.nodes(), 1);
    VoxelStepping<T> stepping(variant, stages, model, terms, u, zero, queue);
    stepping.step();
    const NodeField<T>& next = stepping.displacement();
    const ElementMatrices matrices = is_orthogonal(variant) ? ovfem_matrices() : vfem_matrices();
    std::vector<long double> exact(static_cast<std::size_t>(3 * model.n_nodes()), 0.0L);
    for (int z = 0; z < model.voxels[2]; ++z) {
        for (int y = 0; y < model.voxels[1]; ++y) {
            for (int x = 0; x < model.voxels[0]; ++x) {
                const Solid& solid =
                    model.solids[model.solid_of[(z * model.voxels[1] + y) * model.voxels[0] + x]];
                for (int row = 0; row < ElementMatrices::kSize; ++row) {
                    long double sum = 0.0L;
                    for (int column = 0; column < ElementMatrices::kSize; ++column) {
                        const int at = row * ElementMatrices::kSize + column, node = column / 3;
                        sum += (static_cast<long double>(solid.bulk_modulus_pa) *
                                    matrices.per_kappa[at] +
                                static_cast<long double>(solid.shear_modulus_pa) *
                                    matrices.per_shear[at]) *
                               u.of(column % 3, x + (node & 1), y + (node >> 1 & 1),
                                    z + (node >> 2), 0);
                    }
                    const int node = row / 3;
                    exact[3 * model.node(x + (node & 1), y + (node >> 1 & 1), z + (node >> 2)) +
                          row % 3] += sum * model.ds_m;
                }
            }
        }
    }
    double error = 0.0, size = 0.0;
    const auto nodes = model.nodes();
    for (int z = 0; z < nodes[2]; ++z) {
        for (int y = 0; y < nodes[1]; ++y) {
            for (int x = 0; x < nodes[0]; ++x) {
                const std::int64_t node = model.node(x, y, z);
                for (int c = 0; c < 3; ++c) {
                    const long double wanted = exact[3 * node + c];
                    const long double found = -static_cast<long double>(next.of(c, x, y, z, 0)) *
                                              mass[node] / (kDt_s * kDt_s);
                    error += static_cast<double>((found - wanted) * (found - wanted));
                    size += static_cast<double>(wanted * wanted);
                }
            }
        }
    }
    return std::sqrt(error / size);
}

struct Method {
    const char* name;
    Variant variant;
    bool single;
    int stages = 8;
};
constexpr Method kMethods[] = {
    {"vfem", Variant::Vfem, false},
    {"ovfem_dense_fp64", Variant::OvfemDense, false},
    {"ovfem_dense_fp32", Variant::OvfemDense, true},
    {"ovfem_walsh_fp64", Variant::OvfemWalsh, false},
    {"ovfem_walsh_fp32", Variant::OvfemWalsh, true},
    {"tcovfem_int8_m4", Variant::OvfemInteger, false, 4},
    {"tcovfem_int8_m8", Variant::OvfemInteger, false, 8},
};

template <class T>
void measure(const Method& method, const VoxelModel& model, int lanes, const device::Queue& queue,
             Row row, Report& report) {
    const StepTerms terms = step_terms(model, kDt_s, damping_of_band(0.01, 1e5, 1.25e5), {}, {},
                                       is_orthogonal(method.variant));
    const NodeField<T> u = random_field<T>(model, lanes);
    VoxelStepping<T> stepping(method.variant, method.stages, model, terms, u, u, queue);
    const Samples seconds =
        summarize(time_repeated([&] { stepping.step(); }, [&] { stepping.wait(); }));
    const auto per = [&](double of) {
        return Samples{of / seconds.median, seconds.spread, seconds.count};
    };
    report.add(row, "seconds_per_step", "s", seconds);
    report.add(row, "voxel_updates_per_s", "1/s",
               per(static_cast<double>(model.n_voxels()) * lanes));
    // What one pass must move: u and u- in, u+ out, mass and solid once for all sources.
    const double bytes = static_cast<double>(model.n_nodes()) *
                         (9.0 * lanes * sizeof(T) + sizeof(T) + sizeof(std::uint16_t));
    report.add(row, "gb_per_s", "GB/s", per(1e-9 * bytes));
}

}  // namespace

void run_voxelwave(const Options& options, device::Queue& queue, Report& report) {
    const double ds_m = options.size == Size::Small    ? 0.004
                        : options.size == Size::Medium ? 0.002
                                                       : 0.001;
    const VoxelModel model = rebar_block(ds_m);
    Row row;
    row.model = "rebar_" + std::to_string(static_cast<int>(std::lround(1e3 * ds_m))) + "mm";
    row.threads = device::max_threads();
    row.dof = 3 * model.n_nodes();
    for (const Method& method : kMethods) {
        row.method = method.name;
        row.vectors = 1;
        std::fprintf(stderr, "%s\n", method.name);
        report.add(
            row, "relative_error", "1",
            summarize({method.single ? error_of<float>(method.variant, method.stages, queue)
                                     : error_of<double>(method.variant, method.stages, queue)}));
        for (const int lanes : {1, 4}) {
            if (lanes > 1 && method.variant != Variant::OvfemWalsh) {
                continue;
            }
            row.vectors = lanes;
            method.single ? measure<float>(method, model, lanes, queue, row, report)
                          : measure<double>(method, model, lanes, queue, row, report);
        }
        save(report);
    }
    if (queue.backend() == device::Backend::Cuda) {
        row.method = "copy";
        row.vectors = 1;
        report.add(row, "gb_per_s", "GB/s", summarize({device::cuda::copy_gb_s(queue)}));
        save(report);
    }
}

}  // namespace kaname::bench
