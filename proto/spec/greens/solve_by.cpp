// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/solve_by.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "proto/spec/form/text.hpp"
#include "proto/spec/greens/boundary_sources.hpp"
#include "proto/spec/greens/plan.hpp"
#include "proto/spec/greens/ranges.hpp"
#include "proto/spec/greens/scenario.hpp"
#include "solvers/base/directions.hpp"
#include "solvers/base/error.hpp"

namespace kaname::spec {
namespace {

constexpr std::array<std::array<double, 3>, 3> kAxes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

std::string force_place(const SpecStation& station, const std::array<double, 3>& along) {
    char text[240];
    std::snprintf(text, sizeof text, "%.12g %.12g %s%.12g along %.12g %.12g %.12g",
                  station.plain ? station.x_m : station.lon_deg,
                  station.plain ? station.y_m : station.lat_deg, station.depth_m ? "" : "surface ",
                  station.depth_m.value_or(0.0), along[0], along[1], along[2]);
    return text;
}

/// Ids of forces are made of it, which name files.
bool is_plain(const std::string& id) {
    return std::ranges::all_of(id, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
    });
}

void check_look(const v1::Station& station, const std::string& path, Rules& rules) {
    const int given = static_cast<int>(station.has_look_east()) +
                      static_cast<int>(station.has_look_north()) +
                      static_cast<int>(station.has_look_up());
    if (given != 0 && given != 3) {
        rules.fail(path, "must have all of look_east, look_north and look_up, or none of them");
    } else if (given == 3 &&
               !(std::hypot(station.look_east(), station.look_north(), station.look_up()) > 0.0)) {
        rules.fail(path + ".look_up", "must be a part of a direction: all three are 0");
    }
}

}  // namespace

bool by_receivers(const v1::GreensBatch& batch) {
    return batch.solve_by() == kSolveByReceivers;
}

std::vector<StationForce> station_forces(const std::vector<SpecStation>& stations) {
    std::vector<StationForce> forces;
    for (const SpecStation& station : stations) {
        if (station.look) {
            forces.push_back({station.id + "/look", force_place(station, *station.look)});
            continue;
        }
        for (std::size_t comp = 0; comp < kAxes.size(); ++comp) {
            forces.push_back(
                {station.id + "/" + kDirections[comp], force_place(station, kAxes[comp])});
        }
    }
    return forces;
}

std::string choose_solve_by(v1::GreensBatch& batch, const std::vector<SpecStation>& stations,
                            bool surface_open) {
    if (batch.solve_by() != kSolveByAuto) {
        return {};
    }
    std::size_t sources = 0;
    try {
        sources = source_ids(batch).size();
    } catch (const Error&) {
        return {};  // its rules are told by validate()
    }
    const std::size_t forces = station_forces(stations).size();
    const bool possible =
        surface_open && !is_scenario(batch) && boundary_sources(batch).empty() &&
        batch.solver().method() != "multistep2018" && ranges_of(batch).empty() &&
        std::ranges::all_of(stations, [](const SpecStation& s) { return is_plain(s.id); });
    const std::string counts =
        std::to_string(forces) + " forces at the stations, " + std::to_string(sources) + " sources";
    if (!possible || forces >= sources) {
        batch.clear_solve_by();
        return "solve_by: sources, of " + counts;
    }
    batch.set_solve_by(kSolveByReceivers);
    batch.mutable_output()->set_surface(kSurfaceNone);
    return "solve_by: receivers, of " + counts + "; output.surface is none";
}

void check_solve_by(const v1::GreensBatch& batch, const std::vector<SpecStation>& stations,
                    Rules& rules) {
    for (int k = 0; k < batch.stations().list_size(); ++k) {
        check_look(batch.stations().list(k), element("stations.list", k), rules);
    }
    if (!batch.solve_by().empty()) {
        rules.one_of("solve_by", batch.solve_by(),
                     {kSolveByAuto, kSolveBySources, kSolveByReceivers});
    }
    if (!by_receivers(batch)) {
        return;
    }
    if (is_scenario(batch)) {
        rules.fail("solve_by", "must be sources in a scenario, got " + quote(batch.solve_by()));
    }
    if (!boundary_sources(batch).empty()) {
        rules.fail("solve_by", "must be sources where sides are moved or loaded, got " +
                                   quote(batch.solve_by()) +
                                   ": forces at "
                                   "stations say nothing of them");
    }
    // One solution is to answer many viscosities, which takes the reduced models of sources.
    if (!ranges_of(batch).empty()) {
        rules.fail("solve_by",
                   "must be sources where a viscosity is a range, got " + quote(batch.solve_by()));
    }
    if (batch.solver().method() == "multistep2018") {
        rules.fail("solver.method", "must not be multistep2018 with solve_by receivers");
    }
    if (!batch.output().surface().empty() && batch.output().surface() != kSurfaceNone) {
        rules.fail("output.surface",
                   "must be none or left out with solve_by receivers, which has the motion of the "
                   "stations alone; got " +
                       quote(batch.output().surface()));
    }
    for (const SpecStation& station : stations) {
        if (!is_plain(station.id)) {
            rules.fail(station.field,
                       "must have an id of letters, digits, '_', '.' and '-' with solve_by "
                       "receivers, got " +
                           quote(station.id));
        }
    }
}

}  // namespace kaname::spec
