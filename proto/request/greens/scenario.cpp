// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/scenario.hpp"

#include <map>

#include "proto/request/form/rules.hpp"
#include "proto/request/greens/boundary.hpp"
#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/slip_size.hpp"
#include "proto/request/greens/validate.hpp"

namespace kaname::request {

SlipModels slip_models(const v1::GreensBatch& batch) {
    SlipModels found;
    std::map<std::string, int> known;
    for (int index = 0; index < batch.events_size(); ++index) {
        v1::SlipEvent model = batch.events(index);
        for (const auto clear : {&v1::SlipEvent::clear_name, &v1::SlipEvent::clear_time_s,
                                 &v1::SlipEvent::clear_scale, &v1::SlipEvent::clear_history,
                                 &v1::SlipEvent::clear_repeats, &v1::SlipEvent::clear_interval_s}) {
            (model.*clear)();
        }
        v1::GreensBatch alone;
        *alone.add_events() = model;
        const auto [at, fresh] =
            known.try_emplace(canonical_json(alone), static_cast<int>(found.model.size()));
        if (fresh) {
            found.model.push_back(std::move(model));
            found.name.push_back(batch.events(index).name());
            found.first_event.push_back(index);
        }
        found.of_event.push_back(at->second);
    }
    return found;
}

namespace {

constexpr int kMaxEvents = 1000;
constexpr double kMaxRepeats = 10000;

/// Returns true if the fault's plane is that of the events' patches.
bool follows_from_patches(const v1::GreensBatch& batch) {
    return batch.fault().geometry_case() == v1::Fault::GEOMETRY_NOT_SET &&
           batch.fault().several().empty() && !batch.mesh().has_file();
}

}  // namespace

namespace {

constexpr double kDeepestSlip_m = 1e6;  // no earthquake lies below 700 km
constexpr double kLongestSlip_m = 3e6;  // of 2004 and 1960 some 1,300 and 1,000 km slipped

void check_extent(const std::string& field, double value, double most, Rules& rules) {
    if (value > most) {
        rules.fail(field, "must be at most " + rules.in_unit_of(field, most) + ", got " +
                              rules.in_unit_of(field, value) + "; is it in another unit?");
    }
}

}  // namespace

bool nothing_moves(const v1::GreensBatch& batch) {
    return is_scenario(batch) && batch.events_size() == 0 && boundary_sources(batch).empty();
}

void check_rectangle(const v1::SlipRectangle& given, const std::string& path,
                     const v1::Structure& structure, bool plane, Rules& rules) {
    v1::SlipRectangle patch = given;
    settle_point(patch);
    settle_size(patch, structure);
    const std::size_t n = rules.size();
    if (check_point(patch, path, rules)) {
        rules.place(path + ".", patch.has_lon_deg(), patch.lon_deg(), patch.has_lat_deg(),
                    patch.lat_deg());
        if (rules.given(path + ".depth_m", patch.has_depth_m())) {
            rules.not_negative(path + ".depth_m", patch.depth_m());
            check_extent(path + ".depth_m", patch.depth_m(), kDeepestSlip_m, rules);
        }
    }
    for (const auto& [field, value] : {std::pair{path + ".length_m", patch.length_m()},
                                       std::pair{path + ".width_m", patch.width_m()}}) {
        rules.positive(field, value);
        check_extent(field, value, kLongestSlip_m, rules);
    }
    if (rules.given(path + ".strike_deg", patch.has_strike_deg())) {
        rules.in_range(path + ".strike_deg", patch.strike_deg(), -360.0, 360.0);
    }
    if (rules.given(path + ".dip_deg", patch.has_dip_deg())) {
        rules.in_range(path + ".dip_deg", patch.dip_deg(), 0.0, 90.0);
        if (plane && patch.dip_deg() == 0.0) {
            rules.fail(path + ".dip_deg",
                       "must be > 0 where the fault follows from the patches, got 0; a plane that "
                       "dips by 0.05 degrees does");
        }
    }
    if (rules.given(path + ".rake_deg", patch.has_rake_deg())) {
        rules.in_range(path + ".rake_deg", patch.rake_deg(), -360.0, 360.0);
    }
    check_size(patch.has_slip_m(), patch.slip_m(), patch.has_magnitude(), patch.magnitude(),
               rules.size() == n, path, rules);
    rules.in_range(path + ".opening_m", patch.opening_m(), -kMostSlip_m, kMostSlip_m);
}

namespace {

/// Checks the fields that supply what a file of slip leaves out, and refuses them beside patches.
void check_unsaid(const v1::SlipEvent& event, const std::string& path, const v1::GreensBatch& batch,
                  Rules& rules) {
    if (event.slip_model().path().empty()) {
        for (const auto& [field, given] : {std::pair{".format", !event.format().empty()},
                                           std::pair{".rake_deg", event.has_rake_deg()},
                                           std::pair{".length_unit", !event.length_unit().empty()},
                                           std::pair{".slip_unit", !event.slip_unit().empty()},
                                           std::pair{".position", !event.position().empty()},
                                           std::pair{".origin", event.has_origin()}}) {
            if (given) {
                rules.fail(path + field, "must be left out without slip_model");
            }
        }
        return;
    }
    const auto word = [&](const char* field, const std::string& value,
                          const std::vector<std::string>& known) {
        if (!value.empty()) {
            rules.one_of(path + field, value, known);
        }
    };
    if (event.has_rake_deg()) {
        rules.in_range(path + ".rake_deg", event.rake_deg(), -360.0, 360.0);
    }
    word(".length_unit", event.length_unit(), {"m", "km"});
    word(".slip_unit", event.slip_unit(), {"m", "cm"});
    word(".position", event.position(), {"top_start", "centre"});
    if (!event.has_origin()) {
        return;
    }
    const v1::SlipOrigin& origin = event.origin();
    const bool plain = !batch.region().crs().empty();
    if (plain) {
        rules.given(path + ".origin.x_m", origin.has_x_m());
        rules.given(path + ".origin.y_m", origin.has_y_m());
    } else {
        rules.place(path + ".origin.", origin.has_lon_deg(), origin.lon_deg(), origin.has_lat_deg(),
                    origin.lat_deg());
    }
    if (plain ? origin.has_lon_deg() || origin.has_lat_deg()
              : origin.has_x_m() || origin.has_y_m()) {
        rules.fail(path + ".origin", plain ? "must have x and y alone: region.crs is none"
                                           : "must have longitude and latitude alone");
    }
}

void check_model(const v1::SlipEvent& event, const std::string& path, const v1::GreensBatch& batch,
                 Rules& rules) {
    const bool file = !event.slip_model().path().empty();
    if (file + (event.patches_size() > 0) + event.has_double_couple() + event.has_moment() != 1) {
        rules.fail(path, "must have exactly one of slip_model, patches, double_couple and moment");
    } else if (batch.region().crs() == "none" && batch.mesh().has_file() &&
               (event.has_moment() || event.has_double_couple())) {
        rules.fail(path + (event.has_moment() ? ".moment" : ".double_couple"),
                   "must be left out where region.crs is none: its place is a longitude and a "
                   "latitude; give region.centre_lon_deg and centre_lat_deg in place of crs");
    } else {
        v1::SlipEvent settled = event;
        settle_event(settled, batch.structure());
        check_event_point(settled, batch.structure(), path, rules);
    }
    for (int index = 0; index < event.patches_size(); ++index) {
        check_rectangle(event.patches(index), element(path + ".patches", index), batch.structure(),
                        follows_from_patches(batch), rules);
    }
    if (!event.format().empty()) {
        rules.one_of(path + ".format", event.format(),
                     {"srcmod_fsp", "usgs_param", "csi_gmt", "relax_flt", "mudpy_rupt", "patch_csv",
                      "corner_csv", "usgs_geojson", "srf", "points"});
    }
    check_unsaid(event, path, batch, rules);
    if (event.has_moment()) {
        for (const auto& [field, given] :
             {std::pair{".interpolation", !event.interpolation().empty()},
              std::pair{".max_distance_m", event.max_distance_m() != 0.0}}) {
            if (given) {
                rules.fail(path + field, "must be left out: a moment tensor is at a point");
            }
        }
    } else if (!event.interpolation().empty()) {
        rules.one_of(path + ".interpolation", event.interpolation(),
                     {"auto", "bilinear", "constant"});
    }
    rules.not_negative(path + ".max_distance_m", event.max_distance_m());
}

void check_times(const v1::SlipEvent& event, const std::string& path, double end_s, Rules& rules) {
    rules.in_range(path + ".time_s", event.time_s(), 0.0, end_s);
    rules.in_range(path + ".repeats", event.repeats(), 0.0, kMaxRepeats);
    rules.not_negative(path + ".interval_s", event.interval_s());
    if (event.repeats() > 1) {
        rules.positive(path + ".interval_s", event.interval_s());
        const double last_s = event.time_s() + (event.repeats() - 1.0) * event.interval_s();
        if (last_s > end_s) {
            const std::string interval = path + ".interval_s";
            rules.fail(path + ".repeats",
                       "must end by " + rules.beside(interval, "time.end_s", end_s) +
                           ", the last would be at " + rules.in_unit_of(interval, last_s));
        }
    } else if (event.interval_s() > 0.0) {
        rules.fail(path + ".interval_s", "must be left out without repeats");
    }
    check_history(event.history(), path + ".history", end_s - event.time_s(),
                  {"step", "ramp", "steady", "exponential", "logarithmic", "table"}, rules);
}

void check_receiver(const v1::Receiver& receiver, const std::string& path, Rules& rules) {
    rules.name(path + ".name", receiver.name());
    if (rules.given(path + ".strike_deg", receiver.has_strike_deg())) {
        rules.in_range(path + ".strike_deg", receiver.strike_deg(), -360.0, 360.0);
    }
    if (rules.given(path + ".dip_deg", receiver.has_dip_deg())) {
        rules.in_range(path + ".dip_deg", receiver.dip_deg(), 0.0, 90.0);
    }
    if (rules.given(path + ".rake_deg", receiver.has_rake_deg())) {
        rules.in_range(path + ".rake_deg", receiver.rake_deg(), -360.0, 360.0);
    }
    rules.in_range(path + ".friction", receiver.friction(), 0.0, 2.0);
    rules.in_range(path + ".skempton", receiver.skempton(), 0.0, 1.0);
    if (receiver.has_lon_deg() || receiver.has_lat_deg() || receiver.has_depth_m()) {
        rules.place(path + ".", receiver.has_lon_deg(), receiver.lon_deg(), receiver.has_lat_deg(),
                    receiver.lat_deg());
        if (rules.given(path + ".depth_m", receiver.has_depth_m())) {
            rules.not_negative(path + ".depth_m", receiver.depth_m());
        }
    }
}

void check_volume(const v1::GreensBatch& batch, Rules& rules) {
    const v1::Volume& volume = batch.output().volume();
    for (int index = 0; index < volume.epochs_s_size(); ++index) {
        const std::string path = element("output.volume.epochs_s", index);
        rules.in_range(path, volume.epochs_s(index), 0.0, batch.time().end_s());
        if (index > 0 && volume.epochs_s(index) <= volume.epochs_s(index - 1)) {
            rules.fail(path, "must be later than the epoch before it, " +
                                 rules.in_unit_of(path, volume.epochs_s(index - 1)) + ", got " +
                                 rules.in_unit_of(path, volume.epochs_s(index)));
        }
    }
    std::map<std::string, int> first;
    for (int index = 0; index < volume.receivers_size(); ++index) {
        const std::string path = element("output.volume.receivers", index);
        check_receiver(volume.receivers(index), path, rules);
        if (!first.try_emplace(volume.receivers(index).name(), index).second) {
            rules.fail(path + ".name",
                       "must be unique, got " + quote(volume.receivers(index).name()));
        }
    }
    if (volume.receivers_size() > 0 && volume.epochs_s().empty()) {
        rules.fail("output.volume.epochs_s", "must be given with receivers");
    }
    if (!volume.epochs_s().empty() && ranges_of(batch).empty() &&
        (batch.time().method() == "spectrum" || batch.solver().method() == "multistep2018")) {
        rules.fail("output.volume",
                   "needs time steps: time.method auto or stepping, and a solver.method other than "
                   "multistep2018");
    }
}

}  // namespace

void check_scenario(const v1::GreensBatch& batch, Rules& rules) {
    if (!is_scenario(batch)) {
        if (batch.events_size() > 0) {
            rules.fail("events",
                       std::string("must be left out: they belong to schema ") + kScenarioSchema);
        }
        if (batch.output().has_volume()) {
            rules.fail("output.volume",
                       std::string("must be left out: it belongs to schema ") + kScenarioSchema);
        }
        return;
    }
    // Sides that move or bear a load happen by themselves.
    if (nothing_moves(batch) || batch.events_size() > kMaxEvents) {
        rules.fail("events",
                   "must have 1 to 1000 events, or none with moved or loaded sides "
                   "(boundaries), got " +
                       std::to_string(batch.events_size()));
    }
    std::map<std::string, int> first;
    for (int index = 0; index < batch.events_size(); ++index) {
        const v1::SlipEvent& event = batch.events(index);
        const std::string path = element("events", index);
        if (event.name() == kTotal) {
            rules.fail(path + ".name", "must not be " + quote(kTotal) + ", the sum of all events");
        } else if (rules.name(path + ".name", event.name()) &&
                   !first.try_emplace(event.name(), index).second) {
            rules.fail(path + ".name", "must be unique, got " + quote(event.name()));
        }
        check_model(event, path, batch, rules);
        check_times(event, path, batch.time().end_s(), rules);
    }
    check_volume(batch, rules);
}

}  // namespace kaname::request
