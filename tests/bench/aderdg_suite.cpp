// SPDX-License-Identifier: BSD-3-Clause
// Elastic waves on tetrahedra (ADER-DG): whole updates of one core by order, precision and sources,
// and what local time stepping keeps of the updates it saves.
#include <cmath>
#include <cstdio>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "tests/bench/aderdg_rupture.hpp"
#include "tests/bench/aderdg_work.hpp"
#include "tests/bench/aderdg_yield.hpp"
#include "tests/bench/in_turns.hpp"
#include "tests/bench/suites.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::bench {
namespace {

using aderdg::Precision;
using aderdg::WaveModel;

/// A cube of 2 km with free sides.
WaveModel cube(int cubes) {
    return aderdg::box_of_cubes({cubes, cubes, cubes}, {-1000, -1000, -2000}, {1000, 1000, 0},
                                aderdg::solid_of(2700.0, 6000.0, 3464.0));
}

/// Returns the cube with layers of elements that become thin towards the top: several clusters.
WaveModel graded(int cubes) {
    WaveModel model = cube(cubes);
    for (Vec3& v : model.mesh.xyz) {
        const double depth = -v.z / 2000.0;
        v.z = -2000.0 * depth * (0.004 + 0.996 * depth * depth);
    }
    return model;
}

/// Anything that is not zero nor denormal.
std::array<double, 9> some_waves(const Vec3& x) {
    const double s = std::sin(0.01 * x.x + 0.02 * x.y + 0.013 * x.z), v = 1e-3 * s;
    return {1e4 * s, 2e4 * s, 1e4 * s, 3e3 * s, 4e3 * s, 5e3 * s, v, 2 * v, 3 * v};
}

std::unique_ptr<aderdg::WaveSolver> started(const WaveModel& model,
                                            const aderdg::WaveParams& params, comm::Comm& comm,
                                            const device::Queue& queue) {
    auto solver = aderdg::make_wave_solver(model, params, {}, comm, queue);
    solver->start_from(some_waves);
    return solver;
}

aderdg::WaveParams params_of(int order, bool single, int sources) {
    aderdg::WaveParams params;
    params.order = order;
    params.precision = single ? Precision::Single : Precision::Double;
    params.lanes = sources;
    params.end_s = 1e6;
    params.interval_s = 1e6;
    params.local_time_steps = false;
    return params;
}

/// Updates of elements, of one source each, per second.
void measure_updates(int cubes, int order, bool single, int sources, int mechanisms,
                     device::Queue& queue, Report& report) {
    comm::SerialComm comm;
    WaveModel model = cube(cubes);
    for (int l = 0; l < mechanisms; ++l) {
        aderdg::Solid& solid = model.solids[0];
        solid.mechanisms.push_back({10.0 * (l + 1), 0.02 * solid.lambda_pa, 0.02 * solid.mu_pa});
    }
    const auto solver = started(model, params_of(order, single, sources), comm, queue);
    const int steps = steps_at_once(queue);
    const Samples seconds = summarize(time_repeated([&] { solver->advance(steps); }));
    const double updates =
        static_cast<double>(model.mesh.tets.size()) * sources * steps / seconds.median;
    const bool gpu = queue.backend() != device::Backend::Cpu;
    const double peak =
        (single ? report.machine.fma_gflop_s_fp32 : report.machine.fma_gflop_s_fp64) /
        (gpu ? 1 : report.machine.cores);
    Row row;
    row.model =
        "o" + std::to_string(order) + (mechanisms == 0 ? "" : "_q" + std::to_string(mechanisms));
    row.method = single ? "fp32" : "fp64";
    row.vectors = sources;
    row.threads = gpu ? 0 : 1;
    row.dof = 9 * order * (order + 1) * (order + 2) / 6 * std::ssize(model.mesh.tets);
    const auto add = [&](const char* metric, const char* unit, double value) {
        report.add(row, metric, unit, {value, seconds.spread, seconds.count});
    };
    add("element_updates_per_s", "1/s", updates);
    add("updates_per_gflop_s", "1/GFLOP", updates / peak);
    if (mechanisms > 0) {
        save(report);
        return;  // operations are counted of elastic updates
    }
    const double gflop_s = 1e-9 * flops_of_update(order) * updates;
    add("nonzero_gflop_s", "GFLOP/s", gflop_s);
    add("fraction_of_fma_peak", "1", gflop_s / peak);
    save(report);
}

/// Time of local steps over global ones, as part of the ratio of their updates.
void measure_clusters(int cubes, int order, device::Queue& queue, Report& report) {
    comm::SerialComm comm;
    const WaveModel model = graded(cubes);
    aderdg::WaveParams params = params_of(order, true, 1);
    const auto global = started(model, params, comm, queue);
    params.local_time_steps = true;
    params.end_s = 100.0 * aderdg::find_clusters(model, params).macro_step_s();
    const auto local = started(model, params, comm, queue);
    params.separate_clusters = true;
    const auto separate = started(model, params, comm, queue);
    const int steps = steps_at_once(queue);
    const auto seconds = [&](aderdg::WaveSolver& solver) {
        return summarize(time_repeated([&] { solver.advance(steps); }));
    };
    const double global_s = seconds(*global).median;
    const Samples local_s = seconds(*local);
    const double separate_s = seconds(*separate).median;
    const double per_update = global_s / static_cast<double>(model.mesh.tets.size());
    const double predicted_s = per_update * static_cast<double>(local->clusters().updates());
    Row row;
    row.model = "graded_o" + std::to_string(order);
    row.method = "fp32";
    row.vectors = 1;
    row.threads = device::max_threads();
    row.dof = std::ssize(local->clusters().elements);
    const auto add = [&](const char* metric, double value) {
        report.add(row, metric, "1", {value, local_s.spread, local_s.count});
    };
    add("clusters", static_cast<double>(local->clusters().elements.size()));
    const double macro_updates =
        std::ldexp(static_cast<double>(model.mesh.tets.size()),
                   static_cast<int>(local->clusters().elements.size()) - 1);
    add("updates_saved", macro_updates / static_cast<double>(local->clusters().updates()));
    add("lts_over_predicted", predicted_s / local_s.median);
    add("merged_over_separate", separate_s / local_s.median);
    save(report);
}

}  // namespace

void run_aderdg(const Options& options, device::Queue& queue, Report& report) {
    const int cubes = options.size == Size::Small ? 12 : options.size == Size::Medium ? 20 : 30;
    const int threads = device::max_threads();
    if (queue.backend() == device::Backend::Cpu) {
        device::set_threads(1);
    }
    // A run that is cut off has one precision whole.
    for (const bool single : {true, false}) {
        for (int order = aderdg::kLeastOrder; order <= aderdg::kMostOrder; ++order) {
            for (const int sources : {1, 4}) {
                std::fprintf(stderr, "order %d, %s, %d source%s\n", order, single ? "fp32" : "fp64",
                             sources, sources == 1 ? "" : "s");
                measure_updates(cubes, order, single, sources, 0, queue, report);
            }
        }
        for (const int order : {4, 5, 6}) {
            measure_rupture(cubes, order, single, queue, report);
            measure_yield(cubes, order, single, queue, report);
        }
        if (single) {
            for (const int order : {4, 5, 6}) {
                measure_updates(cubes, order, true, 1, 3, queue, report);
            }
            for (const int order : {4, 6}) {
                measure_clusters(cubes, order, queue, report);
            }
        }
    }
    device::set_threads(threads);
}

}  // namespace kaname::bench
