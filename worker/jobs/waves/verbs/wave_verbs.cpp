// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/waves/verbs/wave_verbs.hpp"

#include <map>

#include "proto/report/report.hpp"
#include "proto/request/form/rules.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/device/threads.hpp"
#include "worker/jobs/frame/build_report.hpp"
#include "worker/jobs/frame/from_request.hpp"
#include "worker/jobs/frame/probe.hpp"
#include "worker/jobs/frame/serve_packs.hpp"
#include "worker/jobs/geometry/available_memory.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

using report::count;

std::string text_of(const jobs::SolveProgress& progress) {
    return "step " + std::to_string(progress.step) + "/" + std::to_string(progress.steps);
}

std::vector<std::string> facts_of(const jobs::SolveSession& session, int ranks) {
    return {program_text() + ", " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") +
                " x " + std::to_string(device::max_threads()) + " threads, device " +
                session.device(),
            std::to_string(session.dof()) + " unknowns, element " + session.element() + ", " +
                session.time_text() + ", set up in " + formatted("%.1f s", session.setup_s())};
}

/// Lines of a pack's log, about a hundred.
PackObserver observer_of(const jobs::SolveSession& session, const PackNote& note, int ranks,
                         Reporter& reporter) {
    PackObserver observer;
    observer.begin = [&session, ranks, &reporter](const std::vector<std::string>&) {
        for (const std::string& fact : facts_of(session, ranks)) {
            reporter.log(fact);
        }
    };
    observer.step = [&reporter, told = 0.0](const jobs::SolveProgress& progress) mutable {
        report_step(progress, text_of(progress), reporter);
        told = progress.fraction < told ? 0.0 : told;
        if (progress.fraction >= told + 0.01 || progress.step == progress.steps) {
            told = progress.fraction;
            reporter.log(text_of(progress));
        }
    };
    observer.end = [&session, note, &reporter](const jobs::PackOutcome& outcome, double peak_bytes,
                                               bool whole) {
        for (const jobs::SourceOutcome& source : outcome.sources) {
            reporter.log(source.id + (source.failed ? ": failed: " + source.failure : ": done"));
        }
        reporter.log((outcome.cancelled ? "cancelled" : "solved") +
                     formatted(" after %.1f s; memory ", outcome.solve_s) + gib(peak_bytes) +
                     " at most");
        if (whole && !outcome.cancelled && session.device() == "cpu") {
            note(outcome);
        }
    };
    return observer;
}

}  // namespace

jobs::Placement placement_of(const Call& call, Runtime& runtime) {
    const jobs::Placement placement{choice_from<jobs::DeviceChoice>(call.device, "device"),
                                    runtime.local_rank};
    probe_rank(placement, runtime.gpu);
    return placement;
}

v1::Estimate timed_estimate(const jobs::Preflight& found, const WaveTimes& times,
                            const CalibrationCache::Past& past) {
    v1::Estimate estimate = estimate_of(found);
    estimate.set_mesh_s(times.mesh_s);
    estimate.set_setup_s(times.setup_s);
    estimate.set_each_pack_s(times.pack_s * past.factor);
    estimate.set_package_s(times.package_s);
    estimate.set_solve_s(estimate.setup_s() +
                         static_cast<double>(found.packs) * estimate.each_pack_s());
    estimate.set_total_s(estimate.mesh_s() + estimate.solve_s() + estimate.package_s());
    estimate.set_spread(past.spread);
    estimate.set_low_s(estimate.total_s() / past.spread);
    estimate.set_high_s(estimate.total_s() * past.spread);
    estimate.set_threads(count(device::max_threads()));
    return estimate;
}

int solve_packs(const jobs::WaveRequest& job, jobs::SolveSession& session, const PackNote& note,
                const Call& call, Runtime& runtime) {
    comm::Comm& comm = runtime.comm;
    Reporter& reporter = runtime.reporter;
    const bool first = comm.rank() == 0;
    const PackObserver observer = observer_of(session, note, comm.size(), reporter);
    if (call.serve) {
        if (first) {
            reporter.result("ready", report_of(session));
        }
        serve_packs(session, observer, comm, runtime.commands, reporter, [] { return true; });
        return run::kExitOk;
    }
    const jobs::SolveSummary summary =
        jobs::solve_waves(job, session, call.work, comm,
                          {[&](const std::vector<std::string>& ids) { observer.begin(ids); },
                           [&](const jobs::SolveProgress& progress) { observer.step(progress); },
                           [&](const jobs::PackOutcome& outcome) {
                               observer.end(outcome, jobs::peak_bytes(), true);
                           }});
    if (first) {
        reporter.log(std::to_string(summary.sources_done) + " sources solved, " +
                     std::to_string(summary.sources_failed) + " failed, " +
                     std::to_string(summary.sources_reused) + " were there; memory " +
                     gib(summary.peak_bytes) + " at most");
        reporter.progress("solve", 1.0, "done");
        reporter.result("solve", report_of(summary, comm.size()));
    }
    return summary.sources_failed > 0 ? run::kExitSomeFailed : run::kExitOk;
}

jobs::SourceFiles sources_of(const jobs::WaveRequest& job, const Call& call,
                             const std::vector<std::string>& others) {
    jobs::SourceFiles files = call.inputs;
    for (const std::string& other : others) {
        files.erase(other);
    }
    if (call.work.empty() == files.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "package takes sources from --work or as inputs, one of them");
    }
    return call.work.empty() ? files : jobs::find_waves(job, call.work);
}

int report_package(const jobs::PackageSummary& summary, const Call& call, Reporter& reporter) {
    reporter.log("seismograms: " + std::to_string(summary.sources_done) + " sources done, " +
                 std::to_string(summary.sources_failed) + " failed, " +
                 std::to_string(summary.sources_missing) + " missing; " +
                 std::to_string(summary.stations) + " receivers, " +
                 std::to_string(summary.epochs) + " samples");
    for (const std::string& lack : summary.lacks) {
        reporter.log("lacks " + lack);
    }
    for (const std::string& warning : summary.warnings) {
        reporter.log("warning: " + warning);
    }
    reporter.progress("package", 1.0, "done");
    reporter.result("package", report_of(summary, call.out));
    const bool complete = summary.sources_failed == 0 && summary.sources_missing == 0;
    return complete ? run::kExitOk : run::kExitSomeFailed;
}

jobs::WavePlace place_of(const v1::WavePlace& place) {
    jobs::WavePlace result;
    result.xyz_m = {place.x_m(), place.y_m(), place.z_m()};
    result.on_the_ground = !place.has_z_m();
    if (place.has_lon_deg()) {
        result.globe = earth::LonLat{place.lon_deg(), place.lat_deg()};
        if (place.has_depth_m()) {
            result.depth_m = place.depth_m();
        }
    }
    return result;
}

std::array<double, 3> force_of(const v1::PointForce& force) {
    return {force.x_n(), force.y_n(), force.z_n()};
}

std::array<double, 6> moment_of(const v1::MomentTensor& m) {
    return {m.xx_n_m(), m.yy_n_m(), m.zz_n_m(), m.yz_n_m(), m.xz_n_m(), m.xy_n_m()};
}

std::vector<jobs::WaveReceiver> receivers_of(
    const google::protobuf::RepeatedPtrField<v1::WaveReceiver>& receivers) {
    std::vector<jobs::WaveReceiver> made;
    for (int k = 0; k < receivers.size(); ++k) {
        made.push_back(
            {receivers[k].id(), request::element("receivers", k), place_of(receivers[k].at())});
    }
    return made;
}

earth::LayeredStructure layers_of(const v1::Structure& structure) {
    earth::LayeredStructure layers;
    std::map<std::string, int> names;
    for (int k = 0; k < structure.materials_size(); ++k) {
        names.emplace(structure.materials(k).name(), k);
        layers.materials.push_back(
            material_of(structure.materials(k), request::element("structure.materials", k)));
    }
    for (const v1::Layer& layer : structure.layers()) {
        auto& made = layers.layers.emplace_back();
        made.material = names.at(layer.material());
        if (layer.has_bottom_depth_m()) {
            made.bottom_depth_m = layer.bottom_depth_m();
        }
    }
    return layers;
}

}  // namespace kaname::compute
