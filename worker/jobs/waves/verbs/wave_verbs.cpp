// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/waves/verbs/wave_verbs.hpp"

#include <map>
#include <utility>

#include "proto/request/form/rules.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "worker/jobs/frame/from_request.hpp"

namespace kaname::compute {
namespace {

std::string text_of(const jobs::SolveProgress& progress) {
    return "step " + std::to_string(progress.step) + "/" + std::to_string(progress.steps);
}

std::vector<std::string> facts_of(const jobs::SolveSession& session, int ranks) {
    return {program_facts(ranks) + ", device " + session.device(),
            std::to_string(session.dof()) + " unknowns, element " + session.element() + ", " +
                session.time_text() + ", set up in " + formatted("%.1f s", session.setup_s())};
}

}  // namespace

jobs::PackObserver wave_observer(const jobs::SolveSession& session, const Call& call,
                                 Runtime& runtime,
                                 const std::function<void(const jobs::PackOutcome&)>& note) {
    Reporter& reporter = runtime.reporter;
    jobs::PackObserver observer;
    observer.begin = [&session, &call, &reporter,
                      ranks = runtime.comm.size()](const std::vector<std::string>& ids) {
        for (const std::string& fact : facts_of(session, ranks)) {
            reporter.log(fact);
        }
        if (!call.serve) {
            reporter.log(jobs::joined(ids) + ":");
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

jobs::SourceFiles sources_of(const jobs::WaveRequest& job, const Call& call, bool has_mesh) {
    jobs::SourceFiles files = call.inputs;
    if (has_mesh) {
        files.erase(kMeshInput);
    }
    if (call.work.empty() == files.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "package takes sources from --work or as inputs, one of them");
    }
    return call.work.empty() ? files : jobs::find_waves(job, call.work);
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

namespace {

slip_model::RateShape rate_shape_of(const std::string& rate) {
    return rate == "triangle" ? slip_model::RateShape::Triangle
           : rate == "cosine" ? slip_model::RateShape::Cosine
                              : slip_model::RateShape::Yoffe;
}

}  // namespace

jobs::RuptureRequest rupture_of(const v1::KinematicRupture& rupture) {
    jobs::RuptureRequest request;
    request.path = rupture.file().path();
    if (!rupture.format().empty()) {
        request.read.format = slip_model::slip_format(rupture.format());
    }
    request.options.spacing_m = rupture.spacing_m();
    request.options.shape = rate_shape_of(rupture.rate());
    if (rupture.rise_time_s() > 0.0) {
        request.options.rise_time_s = rupture.rise_time_s();
    }
    if (rupture.rupture_velocity_m_per_s() > 0.0) {
        request.options.rupture_velocity_m_per_s = rupture.rupture_velocity_m_per_s();
    }
    if (rupture.has_hypocentre()) {
        request.hypocentre = place_of(rupture.hypocentre());
    }
    if (rupture.has_origin()) {
        request.origin = earth::LonLat{rupture.origin().lon_deg(), rupture.origin().lat_deg()};
    }
    request.start_s = rupture.start_s();
    request.scale = rupture.scale();
    return request;
}

jobs::RuptureRequest patches_of(
    const google::protobuf::RepeatedPtrField<v1::SlipRectangle>& patches,
    const source_time::TimeFunction& time) {
    jobs::RuptureRequest request;
    for (const v1::SlipRectangle& from : patches) {
        jobs::PatchRequest patch;
        patch.place = {from.lon_deg(), from.lat_deg()};
        patch.depth_m = from.depth_m();
        patch.strike_deg = from.strike_deg();
        patch.dip_deg = from.dip_deg();
        patch.rake_deg = from.rake_deg();
        patch.length_m = from.length_m();
        patch.width_m = from.width_m();
        patch.slip_m = from.slip_m();
        patch.time = time;
        request.patches.push_back(std::move(patch));
    }
    return request;
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
