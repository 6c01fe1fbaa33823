// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/slip_files.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>

namespace kaname::spec {
namespace {

constexpr const char* kPoints = "points";
constexpr std::size_t kMostPatches = 2000;  // that sizes and boxes are chosen by

/// Where a patch's centre is; files in a local frame count from `origin`.
LonLat centre_of(const slip_model::SlipModel& model, const slip_model::SlipPatch& patch,
                 const v1::SlipOrigin& origin) {
    return model.geographic
               ? LonLat{patch.lon_deg, patch.lat_deg}
               : moved({origin.lon_deg(), origin.lat_deg()}, patch.east_m, patch.north_m);
}

void add_model(const slip_model::SlipModel& model, const v1::SlipOrigin& origin, SlipPlaces& slip) {
    const std::size_t step = (model.patches.size() + kMostPatches - 1) / kMostPatches;
    for (std::size_t k = 0; k < model.patches.size(); ++k) {
        const slip_model::SlipPatch& patch = model.patches[k];
        slip.deepest_m = std::max(slip.deepest_m, patch.depth_m);
        if (k % step == 0) {
            slip.add_patch(
                centre_of(model, patch, origin),
                {{}, patch.depth_m, patch.strike_deg, patch.dip_deg, patch.length_m, patch.width_m},
                static_cast<int>(model.patches.size()));
        }
    }
}

}  // namespace

slip_model::ReadOptions read_options(const v1::SlipEvent& event) {
    slip_model::ReadOptions options;
    if (!event.format().empty() && event.format() != kPoints) {
        options.format = slip_model::slip_format(event.format());
    }
    if (event.has_rake_deg()) {
        options.rake_deg = event.rake_deg();
    }
    if (!event.length_unit().empty()) {
        options.length_unit = event.length_unit() == "km" ? slip_model::LengthUnit::Kilometre
                                                          : slip_model::LengthUnit::Metre;
    }
    if (!event.slip_unit().empty()) {
        options.slip_unit = event.slip_unit() == "cm" ? slip_model::SlipUnit::Centimetre
                                                      : slip_model::SlipUnit::Metre;
    }
    if (event.position() == "centre") {
        options.flt_point = slip_model::PatchPoint::Centre;
    }
    return options;
}

std::vector<Violation> add_slip_of_files(const v1::GreensBatch& batch, SlipPlaces& slip) {
    std::vector<Violation> broken;
    for (int k = 0; k < batch.events_size(); ++k) {
        const v1::SlipEvent& event = batch.events(k);
        if (event.slip_model().sha256().empty() || event.format() == kPoints) {
            continue;
        }
        const std::string field = "events[" + std::to_string(k) + "].slip_model";
        try {
            const slip_model::SlipModel model =
                slip_model::read_slip_model(event.slip_model().path(), read_options(event));
            if (model.geographic ||
                (event.origin().has_lon_deg() && event.origin().has_lat_deg())) {
                add_model(model, event.origin(), slip);
            }
        } catch (const std::exception& error) {
            broken.push_back({field, error.what()});
        }
    }
    return broken;
}

}  // namespace kaname::spec
