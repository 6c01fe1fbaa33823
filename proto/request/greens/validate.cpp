// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/validate.hpp"

#include <algorithm>
#include <map>

#include "proto/request/form/field_rules.hpp"
#include "proto/request/form/rules.hpp"
#include "proto/request/greens/boundary.hpp"
#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/load.hpp"
#include "proto/request/greens/scenario.hpp"
#include "proto/request/greens/volumes.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/vec3.hpp"

namespace kaname::request {
namespace {

constexpr double kHighestStation_m = 1e4;
constexpr double kMaxBoxSize_m = 1e7;       // a flat model is meaningless long before
constexpr double kEarthRadius_m = 6.371e6;  // mean
constexpr double kMaxSteps = 1e6;
constexpr std::size_t kMaxStationId = 64;

void check_labels(const v1::GreensBatch& batch, Rules& rules) {
    if (!is_scenario(batch) && batch.schema() != "kaname.v1.GreensBatch") {
        rules.fail("schema", std::string("must be kaname.v1.GreensBatch or ") + kScenarioSchema +
                                 ", got " + quote(batch.schema()));
    }
    rules.name("name", batch.name());
}

/// Box and sizes are chosen where the slip's place is known before the model: not for points, and
/// not for a local frame that is nowhere.
bool slip_is_in_a_file(const v1::GreensBatch& batch) {
    return is_scenario(batch) && !batch.fault().has_plane() &&
           std::ranges::any_of(batch.events(), [](const v1::SlipEvent& event) {
               return !event.slip_model().path().empty();
           });
}

void check_region(const v1::GreensBatch& batch, Rules& rules) {
    const v1::Region& region = batch.region();
    if (slip_is_in_a_file(batch) && !region.has_centre_lon_deg() && !region.has_centre_lat_deg() &&
        region.size_east_m() == 0.0 && region.size_north_m() == 0.0 && region.depth_m() == 0.0) {
        rules.fail("region",
                   "must be given with centre, sizes and depth: a box is chosen for patches "
                   "whose longitudes and latitudes are known, not for points");
        return;
    }
    rules.place("region.centre_", region.has_centre_lon_deg(), region.centre_lon_deg(),
                region.has_centre_lat_deg(), region.centre_lat_deg());
    const auto size = [&](const std::string& field, double value, double largest) {
        rules.positive(field, value);
        if (value > largest) {
            rules.fail(field, "must be at most " + rules.in_unit_of(field, largest) + ", got " +
                                  rules.in_unit_of(field, value));
        }
    };
    size("region.size_east_m", region.size_east_m(), kMaxBoxSize_m);
    size("region.size_north_m", region.size_north_m(), kMaxBoxSize_m);
    size("region.depth_m", region.depth_m(), kEarthRadius_m);
    rules.in_range("region.azimuth_deg", region.azimuth_deg(), -180.0, 180.0);
}

void check_station_place(const v1::Region& region, const v1::Station& station,
                         const std::string& path, Rules& rules) {
    const bool plain = !region.crs().empty();
    if (plain) {
        rules.given(path + ".x_m", station.has_x_m());
        rules.given(path + ".y_m", station.has_y_m());
    } else {
        rules.place(path + ".", station.has_lon_deg(), station.lon_deg(), station.has_lat_deg(),
                    station.lat_deg());
    }
    if (plain ? station.has_lon_deg() || station.has_lat_deg()
              : station.has_x_m() || station.has_y_m()) {
        rules.fail(path, plain ? "must have x_m and y_m alone: region.crs is none"
                               : "must have lon_deg and lat_deg alone: x_m and y_m are for "
                                 "region.crs none");
    }
}

void check_stations(const v1::GreensBatch& batch, Rules& rules) {
    const v1::StationSet& stations = batch.stations();
    if (stations.list_size() == 0 && stations.files_size() == 0) {
        rules.fail("stations", "must have at least one station: give list or files");
    }
    std::map<std::string, int> first;
    for (int index = 0; index < stations.list_size(); ++index) {
        const v1::Station& station = stations.list(index);
        const std::string path = element("stations.list", index);
        if (station.id().empty() || station.id().size() > kMaxStationId) {
            rules.fail(path + ".id", "must have 1 to 64 characters, got " + quote(station.id()));
        } else if (shown_on_a_line(station.id()) != station.id()) {
            rules.fail(path + ".id", "must have no control characters, got " +
                                         quote(shown_on_a_line(station.id())));
        } else if (const auto [at, fresh] = first.try_emplace(station.id(), index); !fresh) {
            rules.fail(path + ".id", "must be unique, got " + quote(station.id()) + " as in " +
                                         element("stations.list", at->second));
        }
        check_station_place(batch.region(), station, path, rules);
        if (station.has_depth_m()) {
            const std::string depth = path + ".depth_m";
            // Above sea level is allowed: output.snap_tolerance_m decides how far.
            if (station.depth_m() < -kHighestStation_m) {
                rules.fail(depth, "must be >= " + rules.in_unit_of(depth, -kHighestStation_m) +
                                      ", got " + rules.in_unit_of(depth, station.depth_m()));
            }
            if (batch.region().depth_m() > 0.0 && station.depth_m() > batch.region().depth_m()) {
                rules.fail(depth, "must not lie below the model's bottom at " +
                                      rules.in_unit_of(depth, batch.region().depth_m()) + ", got " +
                                      rules.in_unit_of(depth, station.depth_m()));
            }
        }
    }
    for (int index = 0; index < stations.files_size(); ++index) {
        if (stations.files(index).path().empty()) {
            rules.fail(element("stations.files", index) + ".path", "must be given");
        }
    }
}

void check_mesh(const v1::GreensBatch& batch, Rules& rules) {
    const v1::Mesh& mesh = batch.mesh();
    if (slip_is_in_a_file(batch) && mesh.size_at_fault_m() == 0.0 && mesh.size_far_m() == 0.0) {
        rules.fail("mesh",
                   "must be given with size_at_fault and size_far: sizes are chosen for patches "
                   "whose longitudes and latitudes are known, not for points");
    } else {
        rules.positive("mesh.size_at_fault_m", mesh.size_at_fault_m());
        rules.positive("mesh.size_far_m", mesh.size_far_m());
    }
    if (mesh.size_far_m() > 0.0 && mesh.size_at_fault_m() > mesh.size_far_m()) {
        const std::string field = "mesh.size_at_fault_m";
        rules.fail(field, "must not exceed " +
                              rules.beside(field, "size_far_m", mesh.size_far_m()) + ", got " +
                              rules.in_unit_of(field, mesh.size_at_fault_m()));
    }
    check_volume_sizes(mesh, rules);
}

void check_boundaries(const v1::Boundaries& sides, Rules& rules) {
    using Side = v1::BoundarySide;
    const Side::Kind pairs[3][2] = {{kind_of(sides.west(), false), kind_of(sides.east(), false)},
                                    {kind_of(sides.south(), false), kind_of(sides.north(), false)},
                                    {kind_of(sides.bottom(), false), kind_of(sides.top(), true)}};
    bool fixed = false;
    bool held_in_each_direction = true;
    std::set<std::string> held;  // components that some side prescribes
    for (const BoundaryData& place : boundary_data(sides)) {
        held.insert(place.fixed->begin(), place.fixed->end());
        if (place.displacement != nullptr) {
            const std::vector<std::string> moved = components_of(*place.displacement);
            held.insert(moved.begin(), moved.end());
        }
    }
    for (int direction = 0; direction < 3; ++direction) {
        const auto& pair = pairs[direction];
        fixed = fixed || pair[0] == Side::KIND_FIXED || pair[1] == Side::KIND_FIXED;
        held_in_each_direction = held_in_each_direction &&
                                 (pair[0] == Side::KIND_ROLLER || pair[1] == Side::KIND_ROLLER ||
                                  held.contains(kDirections[direction]));
    }
    if (!fixed && !held_in_each_direction) {
        rules.fail("boundaries",
                   "leave the model free to move: fix a side, or put rollers on one of west and "
                   "east, one of south and north and one of bottom and top");
    }
}

void check_time_method(const v1::GreensBatch& batch, Rules& rules) {
    const v1::Time& time = batch.time();
    if (time.spectrum_tolerance() != 0.0) {
        const double solver =
            batch.solver().tolerance() > 0.0 ? batch.solver().tolerance() : kDefaultTolerance;
        if (time.spectrum_tolerance() < kSpectrumOverSolver * solver * (1.0 - 1e-9)) {
            rules.fail("time.spectrum_tolerance",
                       "must be at least 100 times solver.tolerance = " + show(solver) + ", got " +
                           show(time.spectrum_tolerance()));
        }
    }
    const bool only_spectrum = time.method() == "spectrum";
    for (const auto& [field, value] : {std::pair{"time.step_s", time.step_s()},
                                       std::pair{"time.max_step_s", time.max_step_s()}}) {
        if (only_spectrum && value > 0.0) {
            rules.fail(field,
                       "must be left out with time.method spectrum, which has no steps; got " +
                           rules.in_unit_of(field, value));
        }
    }
    if (time.max_step_s() > 0.0 && time.max_step_s() < time.step_s()) {
        const std::string field = "time.max_step_s";
        rules.fail(field, "must be >= " + rules.beside(field, "step_s", time.step_s()) + ", got " +
                              rules.in_unit_of(field, time.max_step_s()));
    }
    const bool multistep = batch.solver().method() == "multistep2018";
    if (multistep && (only_spectrum || time.max_step_s() > 0.0)) {
        rules.fail(only_spectrum ? "time.method" : "time.max_step_s",
                   "must be left out with solver.method multistep2018, which takes equal steps");
    }
}

/// Refuses an end that would hold all epochs if its number were in their unit: one mistake, not one
/// for each epoch. Returns true if it did.
bool check_unit_of_end(const v1::Time& time, Rules& rules) {
    const auto number = [&](const std::string& field, double value) {
        return std::stod(rules.in_unit_of(field, value));
    };
    if (time.epochs_s().empty() || time.end_s() < 0.0) {
        return false;
    }
    const double last_s = *std::ranges::max_element(time.epochs_s());
    const std::string end = "time.end_s", epoch = "time.epochs_s[0]";
    if (time.end_s() == 0.0 && last_s > 0.0) {
        const std::string unit = rules.key_of(epoch).substr(6);
        rules.fail(end, "must not be before the last epoch, " + rules.key_of(epoch) + ": " +
                            rules.in_unit_of(epoch, last_s) + "; give end" + unit + ": " +
                            rules.in_unit_of(epoch, last_s));
        return true;
    }
    if (last_s <= time.end_s() || rules.key_of(end) == "end" + rules.key_of(epoch).substr(6) ||
        number(epoch, last_s) > number(end, time.end_s())) {
        return false;
    }
    rules.fail(end, "must not be before the last epoch, " + rules.key_of(epoch) + ": " +
                        rules.in_unit_of(epoch, last_s) + ", got " + rules.key_of(end) + ": " +
                        rules.in_unit_of(end, time.end_s()) + "; did you mean end" +
                        rules.key_of(epoch).substr(6) + ": " + rules.in_unit_of(end, time.end_s()) +
                        "?");
    return true;
}

void check_time(const v1::Time& time, Rules& rules) {
    if (time.step_s() > 0.0 && time.end_s() / time.step_s() > kMaxSteps) {
        rules.fail("time.step_s", "gives " + show(std::ceil(time.end_s() / time.step_s())) +
                                      " steps up to end_s; at most 1000000 are allowed");
    }
    if (time.end_s() > 0.0 && time.step_s() > time.end_s()) {
        rules.fail("time.step_s", "must not exceed " +
                                      rules.beside("time.step_s", "end_s", time.end_s()) +
                                      ", got " + rules.in_unit_of("time.step_s", time.step_s()));
    }
    const bool other_unit = check_unit_of_end(time, rules);
    for (int index = 0; index < time.epochs_s_size(); ++index) {
        const std::string path = element("time.epochs_s", index);
        const double epoch = time.epochs_s(index);
        if (epoch < 0.0 || (epoch > time.end_s() && !other_unit)) {
            rules.fail(path, "must be in 0.." + rules.beside(path, "end_s", time.end_s()) +
                                 ", got " + rules.in_unit_of(path, epoch));
        }
        if (index > 0 && epoch <= time.epochs_s(index - 1)) {
            rules.fail(path, "must be later than the epoch before it, " +
                                 rules.in_unit_of(path, time.epochs_s(index - 1)) + ", got " +
                                 rules.in_unit_of(path, epoch));
        }
    }
}

void check_slip_history(const v1::GreensBatch& batch, Rules& rules) {
    if (is_scenario(batch)) {
        if (!batch.slip_history().kind().empty() && batch.slip_history().kind() != "step") {
            rules.fail("slip_history", "must be left out of a scenario: events have histories");
        }
        return;
    }
    check_history(batch.slip_history(), "slip_history", batch.time().end_s(), kSlipHistories,
                  rules);
}

void check_solver(const v1::Solver& solver, Rules& rules) {
    if (solver.method() == "multistep2018" && solver.element() == "nodal_dilatation") {
        rules.fail("solver.element", "must be p2 or auto with solver.method multistep2018");
    }
}

void check_gravity(const v1::GreensBatch& batch, Rules& rules) {
    if (batch.gravity() != "buoyancy") {
        return;
    }
    if (batch.solver().method() == "multistep2018") {
        rules.fail("gravity", "must be none or auto with solver.method multistep2018");
    }
    for (int k = 0; k < batch.structure().materials_size(); ++k) {
        if (!batch.structure().materials(k).has_density_kg_per_m3()) {
            rules.fail(element("structure.materials", k) + ".density_kg_per_m3",
                       "must be given with gravity buoyancy");
        }
    }
}

}  // namespace

std::vector<Violation> validate(const v1::GreensBatch& batch, const UnitFactor& unit_factor,
                                const std::vector<RequestStation>& stations) {
    Rules rules(unit_factor);
    check_labels(batch, rules);
    if (batch.mesh().has_file()) {
        check_structure(batch, rules);
        check_mesh_file(batch, rules);
        check_stations(batch, rules);
    } else {
        // Box and sizes are chosen about the slip, which such a request has nowhere.
        const bool nowhere = !batch.region().crs().empty() || nothing_moves(batch);
        if (!nowhere) {
            check_region(batch, rules);
        }
        check_structure(batch, rules);
        check_fault(batch, rules);
        if (batch.region().crs().empty()) {
            check_stations(batch, rules);
        }
        if (!nowhere) {
            check_mesh(batch, rules);
        }
        check_boundaries(batch.boundaries(), rules);
        check_no_mesh_file(batch, rules);
        if (!has_volumes(batch)) {
            check_no_volumes(batch, rules);
        }
    }
    check_boundary_data(batch, rules);
    check_time(batch.time(), rules);
    check_time_method(batch, rules);
    check_slip_history(batch, rules);
    check_scenario(batch, rules);
    check_solver(batch.solver(), rules);
    check_gravity(batch, rules);
    check_ranges(batch, rules);
    check_solve_by(batch, stations, rules);
    every_number_finite(batch, "", rules);
    check_fields(batch, rules);
    return rules.take();
}

namespace {

void check_table(const v1::SlipHistory& history, const std::string& path, double end_s,
                 Rules& rules) {
    if (history.times_s().empty() || history.times_s_size() != history.slip_size()) {
        rules.fail(path + ".slip", "must have as many values as times_s, at least one; got " +
                                       std::to_string(history.slip_size()) + " and " +
                                       std::to_string(history.times_s_size()));
    }
    for (int index = 0; index < history.times_s_size(); ++index) {
        const std::string field = element(path + ".times_s", index);
        const double time = history.times_s(index);
        rules.in_range(field, time, 0.0, end_s);
        if (index > 0 && time < history.times_s(index - 1)) {
            rules.fail(field, "must not be before the time before it, " +
                                  rules.in_unit_of(field, history.times_s(index - 1)) + ", got " +
                                  rules.in_unit_of(field, time));
        }
    }
}

}  // namespace

void check_history(const v1::SlipHistory& history, const std::string& path, double end_s,
                   const std::vector<std::string>& kinds, Rules& rules) {
    const std::string& kind = history.kind();
    if (!kind.empty()) {
        rules.one_of(path + ".kind", kind, kinds);
    }
    const bool constant = kind == "exponential" || kind == "logarithmic";
    const std::string without = "must be left out with kind " + quote(kind.empty() ? "step" : kind);
    const auto needed = [&](const std::string& field, double value, bool by_this_kind) {
        if (by_this_kind) {
            rules.positive(field, value);
        } else if (value != 0.0) {
            rules.fail(field, without + ", got " + rules.in_unit_of(field, value));
        }
    };
    needed(path + ".duration_s", history.duration_s(), kind == "ramp" || kind == "steady");
    needed(path + ".time_constant_s", history.time_constant_s(), constant);
    if (kind == "table") {
        check_table(history, path, end_s, rules);
    } else if (!history.times_s().empty() || !history.slip().empty()) {
        rules.fail(path + ".times_s", without);
    }
    if (kind == "logarithmic" && end_s <= 0.0) {
        rules.fail("time.end_s", "must be later than the beginning of a logarithmic " + path +
                                     ", which reaches 1 there");
    }
}

}  // namespace kaname::request
