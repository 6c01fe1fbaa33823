// SPDX-License-Identifier: BSD-3-Clause
// Explicit waves on voxels: Tables 2 to 4 of ichimura2024, section 3, with more methods.
#include <cmath>
#include <cstdio>
#include <map>

#include "solvers/device/threads.hpp"
#include "tests/bench/gpu_speeds.hpp"
#include "tests/bench/suites.hpp"
#include "tests/bench/voxel_block.hpp"
#include "tests/bench/voxel_product.hpp"
#include "tests/bench/voxel_stepping.hpp"
#include "tests/bench/voxel_waveforms.hpp"

namespace kaname::bench {
namespace {

using voxelwave::NodeField;
using voxelwave::StepTerms;
using voxelwave::Variant;
using voxelwave::VoxelModel;

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

/// Seconds per step.
template <class T>
double measure_step(const Method& method, const VoxelModel& model, int lanes,
                    const device::Queue& queue, Row row, Report& report) {
    const StepTerms terms =
        voxelwave::step_terms(model, kDt_s, voxelwave::damping_of_band(kDampingRatio, 1e5, 1.25e5),
                              {}, {}, voxelwave::is_orthogonal(method.variant));
    const NodeField<T> u = random_field<T>(model, lanes);
    VoxelStepping<T> stepping(method.variant, method.stages, model, terms, u, u, queue);
    const Samples seconds =
        summarize(time_repeated([&] { stepping.step(); }, [&] { stepping.wait(); }));
    const auto per = [&](double of) {
        return Samples{of / seconds.median, seconds.spread, seconds.count};
    };
    report.add(row, "seconds_per_step", "s", seconds);
    report.add(row, "seconds_per_16384_steps", "s",
               {16384.0 * seconds.median, seconds.spread, seconds.count});
    report.add(row, "voxel_updates_per_s", "1/s",
               per(static_cast<double>(model.n_voxels()) * lanes));
    // One pass must move u and u- in, u+ out, and mass and solid once for all sources.
    const double bytes = static_cast<double>(model.n_nodes()) *
                         (9.0 * lanes * sizeof(T) + sizeof(T) + sizeof(std::uint16_t));
    report.add(row, "gb_per_s", "GB/s", per(1e-9 * bytes));
    return seconds.median;
}

}  // namespace

void run_voxelwave(const Options& options, device::Queue& queue, Report& report) {
    const double ds_m = options.size == Size::Small    ? 0.004
                        : options.size == Size::Medium ? 0.002
                                                       : 0.001;
    const VoxelModel model = rebar_block().model(ds_m);
    Row row;
    row.model = "rebar_" + std::to_string(static_cast<int>(std::lround(1e3 * ds_m))) + "mm";
    row.threads = device::max_threads();
    row.vectors = 1;
    row.dof = 3 * model.n_nodes();
    measure_products(queue, row, report);
    save(report);
    std::map<std::string, double> seconds;  // of one source
    for (const Method& method : kMethods) {
        row.method = method.name;
        std::fprintf(stderr, "%s\n", method.name);
        for (const int lanes : {4, 1}) {
            if (lanes > 1 && method.variant != Variant::OvfemWalsh) {
                continue;
            }
            row.vectors = lanes;
            seconds[method.name] =
                method.single ? measure_step<float>(method, model, lanes, queue, row, report)
                              : measure_step<double>(method, model, lanes, queue, row, report);
        }
        save(report);
    }
    if (queue.backend() == device::Backend::Cuda) {
        row.method = "copy";
        row.vectors = 1;
        report.add(row, "gb_per_s", "GB/s", summarize({copy_gb_s(queue)}));
        save(report);
    }
    row.vectors = 1;
    measure_waveforms(options.size, queue, seconds["vfem"] / seconds["ovfem_walsh_fp64"], row,
                      report);
}

}  // namespace kaname::bench
