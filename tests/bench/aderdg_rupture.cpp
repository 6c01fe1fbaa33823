// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/aderdg_rupture.hpp"

#include <cmath>
#include <map>

#include "solvers/comm/comm.hpp"
#include "tests/bench/in_turns.hpp"
#include "tests/support/fault_box.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::bench {
namespace {

using aderdg::Precision;
using aderdg::WaveModel;
using rupture::FrictionLaw;

constexpr double kShare = 0.05;  ///< of all faces

/// A cube of 2 km, planes across it whose faces are that share of all.
WaveModel faulted(int cubes) {
    WaveModel model =
        aderdg::box_of_cubes({cubes, cubes, cubes}, {-1000, -1000, -2000}, {1000, 1000, 0},
                             aderdg::solid_of(2670.0, 6000.0, 3464.0));
    const double planes = kShare * 2.0 * 5.0 * cubes * cubes * cubes / (2.0 * cubes * cubes);
    const int n = static_cast<int>(std::lround(planes));
    for (int k = 0; k < n; ++k) {
        aderdg::add_fault(model, -1000.0 + 2000.0 / cubes * std::lround((k + 0.5) * cubes / n));
    }
    return model;
}

/// All points slip, with the stress drop of an earthquake.
void rupture_all(WaveModel& model, FrictionLaw law) {
    model.fault.laws = {law};
    model.fault.at = [](const rupture::FaultPlace& place) {
        rupture::FaultPoint p =
            aderdg::weakening(-120e6, 82e6 + 1e3 * place.at_m.x, 0.677, 0.525, 40.0);
        p.a = 0.008;
        p.b = 0.012;
        p.state_slip_m = 0.2;
        p.initial_rate_m_per_s = 0.1;
        return p;
    };
}

}  // namespace

void measure_rupture(int cubes, int order, bool single, device::Queue& queue, Report& report) {
    comm::SerialComm comm;
    aderdg::WaveParams params;
    params.order = order;
    params.precision = single ? Precision::Single : Precision::Double;
    params.end_s = params.interval_s = 1e6;
    params.local_time_steps = false;
    const WaveModel base = faulted(cubes);
    Solvers solvers;
    solvers["welded"] = aderdg::make_wave_solver(base, params, {}, comm, queue);
    for (const auto& [name, law] :
         std::map<std::string, FrictionLaw>{{"slip_weakening", FrictionLaw::LinearSlipWeakening},
                                            {"ageing", FrictionLaw::Ageing},
                                            {"slip_law", FrictionLaw::Slip}}) {
        WaveModel model = base;
        rupture_all(model, law);
        solvers[name] = aderdg::make_wave_solver(model, params, {}, comm, queue);
    }
    const std::map<std::string, Samples> seconds = step_in_turns(solvers, queue);
    const double welded_s = seconds.at("welded").median;
    for (const auto& [name, s] : seconds) {
        Row row;
        row.model = "rupture_o" + std::to_string(order);
        row.method = name + (single ? "_fp32" : "_fp64");
        row.vectors = 1;
        row.threads = 1;
        row.dof = std::ssize(base.mesh.fault_faces);
        report.add(row, "time_over_welded", "1", {s.median / welded_s, s.spread, s.count});
        report.add(row, "ns_per_face_and_step", "ns",
                   {1e9 * (s.median - welded_s) / static_cast<double>(row.dof), s.spread, s.count});
    }
    save(report);
}

}  // namespace kaname::bench
