// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/aderdg_yield.hpp"

#include <map>

#include "solvers/comm/comm.hpp"
#include "tests/bench/in_turns.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::bench {
namespace {

using aderdg::Precision;
using aderdg::WaveModel;

constexpr double kShear = 5e6;  ///< of the waves [Pa], uniform, so that nothing else changes

/// Cohesion and initial shear stress along that of the waves, in a part of the cube; far from them
/// elsewhere. It relaxes so slowly that it yields for ever.
aderdg::Plasticity plasticity(double cohesion_pa, double initial_pa, double part) {
    return {[=](std::int64_t, const Vec3& x) {
                const bool in = x.z <= 2000.0 * part - 1000.0 + 1e-6;
                return aderdg::YieldPoint{
                    in ? cohesion_pa : 1e12, 0.0, {0, 0, 0, in ? initial_pa : 0, 0, 0}};
            },
            1e9};
}

}  // namespace

void measure_yield(int cubes, int order, bool single, device::Queue& queue, Report& report) {
    comm::SerialComm comm;
    aderdg::WaveParams params;
    params.order = order;
    params.precision = single ? Precision::Single : Precision::Double;
    params.end_s = params.interval_s = 1e6;
    params.local_time_steps = false;
    WaveModel model =
        aderdg::box_of_cubes({cubes, cubes, cubes}, {-1000, -1000, -1000}, {1000, 1000, 1000},
                             aderdg::solid_of(2670.0, 6000.0, 3464.0));
    aderdg::make_periodic(model);
    Solvers solvers;
    for (const auto& [name, how] : std::map<std::string, aderdg::Plasticity>{
             {"elastic", {}},
             {"far", plasticity(10.0 * kShear, 0.0, 1.0)},
             // The initial shear is opposite, and nearly as much as the strength.
             {"near", plasticity(2.0 * kShear, -1.8 * kShear, 1.0)},
             {"tenth_yields", plasticity(0.5 * kShear, 0.0, 0.1)},
             {"all_yield", plasticity(0.5 * kShear, 0.0, 1.0)}}) {
        model.plasticity = how;
        solvers[name] = aderdg::make_wave_solver(model, params, {}, comm, queue);
        solvers[name]->start_from([](const Vec3&) {
            std::array<double, 9> q{};
            q[3] = kShear;
            return q;
        });
    }
    const std::map<std::string, Samples> seconds = step_in_turns(solvers, queue);
    const double elastic_s = seconds.at("elastic").median;
    for (const auto& [name, s] : seconds) {
        Row row;
        row.model = "plasticity_o" + std::to_string(order);
        row.method = name + (single ? "_fp32" : "_fp64");
        row.vectors = 1;
        row.threads = 1;
        row.dof = std::ssize(model.mesh.tets);
        report.add(row, "time_over_elastic", "1", {s.median / elastic_s, s.spread, s.count});
    }
    save(report);
}

}  // namespace kaname::bench
