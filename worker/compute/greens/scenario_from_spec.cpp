// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/greens/scenario_from_spec.hpp"

#include "proto/spec/greens/scenario.hpp"
#include "proto/spec/greens/slip_files.hpp"
#include "worker/compute/from_spec.hpp"
#include "worker/compute/values_file.hpp"

namespace kaname::compute {
namespace {

slip_model::SlipPatch patch_of(const v1::SlipRectangle& rectangle, int index) {
    slip_model::SlipPatch patch;
    patch.id = std::to_string(index + 1);
    patch.lon_deg = rectangle.lon_deg();
    patch.lat_deg = rectangle.lat_deg();
    patch.depth_m = rectangle.depth_m();
    patch.length_m = rectangle.length_m();
    patch.width_m = rectangle.width_m();
    patch.strike_deg = rectangle.strike_deg();
    patch.dip_deg = rectangle.dip_deg();
    patch.rake_deg = rectangle.rake_deg();
    patch.slip_m = rectangle.slip_m();
    patch.opening_m = rectangle.opening_m();
    return patch;
}

jobs::SlipModelSpec model_of(const v1::SlipEvent& model) {
    jobs::SlipModelSpec result;
    result.path = model.slip_model().path();
    for (int k = 0; k < model.patches_size(); ++k) {
        result.patches.push_back(patch_of(model.patches(k), k));
    }
    result.format = model.format();
    if (model.interpolation() != "auto") {
        result.interpolation = model.interpolation() == "constant"
                                   ? slip_model::Interpolation::Constant
                                   : slip_model::Interpolation::Bilinear;
    }
    result.max_distance_m = model.max_distance_m();
    result.read = spec::read_options(model);
    result.read.format = {};  // named by the words, which know points too
    if (model.has_origin()) {
        const v1::SlipOrigin& origin = model.origin();
        result.origin = {origin.lon_deg(), origin.lat_deg(), origin.x_m(), origin.y_m()};
    }
    return result;
}

jobs::ReceiverSpec receiver_of(const v1::Receiver& receiver) {
    jobs::ReceiverSpec result;
    result.name = receiver.name();
    result.strike_deg = receiver.strike_deg();
    result.dip_deg = receiver.dip_deg();
    result.rake_deg = receiver.rake_deg();
    result.friction = receiver.friction();
    result.skempton = receiver.skempton();
    if (receiver.has_lon_deg()) {
        result.at = {receiver.lon_deg(), receiver.lat_deg(), receiver.depth_m()};
    }
    return result;
}

}  // namespace

jobs::Scenario scenario_of(const v1::GreensBatch& spec, const spec::Plan& plan) {
    jobs::Scenario result;
    result.total_id = spec::kTotal;
    const spec::SlipModels models = spec::slip_models(spec);
    for (std::size_t k = 0; k < models.model.size(); ++k) {
        jobs::SlipModelSpec model = model_of(models.model[k]);
        model.id = models.name[k];
        model.field = "events[" + std::to_string(models.first_event[k]) +
                      (model.path.empty() ? "].patches" : "].slip_model");
        model.key = plan.sources.at(k).slip_key;
        result.models.push_back(std::move(model));
    }
    for (int k = 0; k < spec.events_size(); ++k) {
        const v1::SlipEvent& event = spec.events(k);
        result.events.push_back(
            {event.name(), models.of_event[k], event.time_s(), event.scale(),
             history_of(event.history(), "events[" + std::to_string(k) + "].history"),
             static_cast<int>(event.repeats()), event.interval_s()});
    }
    const v1::Volume& volume = spec.output().volume();
    result.volume.epochs_s.assign(volume.epochs_s().begin(), volume.epochs_s().end());
    for (const v1::Receiver& receiver : volume.receivers()) {
        result.volume.receivers.push_back(receiver_of(receiver));
    }
    return result;
}

}  // namespace kaname::compute
