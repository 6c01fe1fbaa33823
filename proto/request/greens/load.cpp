// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/load.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <string_view>

#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_document.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "proto/request/greens/boundary.hpp"
#include "proto/request/greens/box.hpp"
#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/plan.hpp"
#include "proto/request/greens/scenario.hpp"
#include "proto/request/greens/slip_places.hpp"
#include "proto/request/greens/slip_size.hpp"
#include "proto/request/greens/validate.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"

namespace kaname::request {
namespace {

void append(std::vector<Violation>& to, std::vector<Violation> from) {
    std::move(from.begin(), from.end(), std::back_inserter(to));
}

RequestStation from_message(const v1::Station& station, std::string field) {
    RequestStation result{station.id(), station.lon_deg(), station.lat_deg(), std::nullopt,
                          std::move(field)};
    if (station.has_depth_m()) {
        result.depth_m = station.depth_m();
    }
    result.plain = station.has_x_m() || station.has_y_m();
    result.x_m = station.x_m();
    result.y_m = station.y_m();
    result.look = unit_look(station.look_east(), station.look_north(), station.look_up());
    return result;
}

/// Rules that a file's stations must keep towards the rest of the request.
void check_against_all(const RequestStation& station, const v1::GreensBatch& batch,
                       std::map<std::string, std::string>& first, std::vector<Violation>& broken) {
    const v1::Region& region = batch.region();
    const double bottom_m = region.depth_m();
    const auto [at, fresh] = first.try_emplace(station.id, station.field);
    if (!fresh) {
        broken.push_back({station.field, "station must be unique, got " + quote(station.id) +
                                             " as in " + at->second});
    }
    // A region.crs without a mesh file is refused itself.
    const bool plain = batch.mesh().has_file() && !region.crs().empty();
    if (station.plain ? region.crs().empty() : plain) {
        broken.push_back({station.field, station.plain
                                             ? "must have lon_deg and lat_deg: x_m and y_m are for "
                                               "region.crs none"
                                             : "must have x_m and y_m: region.crs is none"});
    }
    if (bottom_m > 0.0 && station.depth_m.value_or(0.0) > bottom_m) {
        broken.push_back({station.field, "depth_m must not lie below the model's bottom at " +
                                             show(bottom_m) + ", got " + show(*station.depth_m)});
    }
}

std::vector<RequestStation> expand_stations(const v1::GreensBatch& batch,
                                            std::vector<Violation>& broken) {
    std::vector<RequestStation> all;
    std::map<std::string, std::string> first;
    for (int index = 0; index < batch.stations().list_size(); ++index) {
        all.push_back(from_message(batch.stations().list(index),
                                   "stations.list[" + std::to_string(index) + "]"));
        first.try_emplace(all.back().id, all.back().field);
    }
    for (int index = 0; index < batch.stations().files_size(); ++index) {
        const v1::File& file = batch.stations().files(index);
        if (file.sha256().empty()) {
            continue;  // resolve_files() has reported it
        }
        try {
            for (RequestStation& station : read_station_csv(file.path())) {
                check_against_all(station, batch, first, broken);
                all.push_back(std::move(station));
            }
        } catch (const ValidationError& error) {
            append(broken, error.violations());
        } catch (const Error& error) {
            broken.push_back({"stations.files[" + std::to_string(index) + "]", error.what()});
        }
    }
    return all;
}

bool sizes_or_box_open(const v1::GreensBatch& batch) {
    const v1::Region& region = batch.region();
    const v1::Mesh& mesh = batch.mesh();
    return mesh.size_at_fault_m() == 0.0 || mesh.size_far_m() == 0.0 ||
           !region.has_centre_lon_deg() || !region.has_centre_lat_deg() ||
           region.size_east_m() == 0.0 || region.size_north_m() == 0.0 || region.depth_m() == 0.0;
}

/// Returns true if some slip is at a place that breaks a rule, so that box and sizes do not follow.
bool has_open_places(const v1::GreensBatch& batch) {
    const auto open = [](const auto& rectangle) {
        return rectangle.has_top_centre() || rectangle.has_centre();
    };
    return open(batch.fault().plane()) ||
           std::ranges::any_of(batch.fault().several(),
                               [&](const v1::NamedFault& fault) { return open(fault.plane()); }) ||
           std::ranges::any_of(batch.events(), [&](const v1::SlipEvent& event) {
               return event.has_double_couple() ||
                      (event.has_moment() &&
                       !(is_whole(event.at()) && event.at().depth_m() > 0.0)) ||
                      std::ranges::any_of(event.patches(), open);
           });
}

/// Takes out that the older keys of a place are missing where a reference point could not be read.
void drop_older_places(const YamlReading& reading, std::vector<Violation>& broken) {
    constexpr std::array<std::string_view, 6> kOlder = {
        "lon_deg", "lat_deg", "depth_m", "centre_lon_deg", "centre_lat_deg", "top_depth_m"};
    std::erase_if(broken, [&](const Violation& violation) {
        const std::size_t dot = violation.field.rfind('.');
        const std::string in = violation.field.substr(0, dot);
        return dot != std::string::npos &&
               std::ranges::find(kOlder, std::string_view(violation.field).substr(dot + 1)) !=
                   kOlder.end() &&
               (reading.unread.contains(in + ".top_centre") ||
                reading.unread.contains(in + ".centre"));
    });
}

LoadedBatch finish(v1::GreensBatch batch, YamlReading reading, const std::string& path) {
    LoadedBatch loaded{std::move(batch), {}, {}};
    const bool growth_open = loaded.batch.mesh().growth() == 0.0;
    const bool sizes_open = growth_open && loaded.batch.mesh().size_far_m() == 0.0 &&
                            loaded.batch.mesh().sizes_by_depth().empty();
    const bool surface_open = loaded.batch.output().surface().empty();
    const bool places_open = growth_open || sizes_or_box_open(loaded.batch);
    fill_defaults(loaded.batch);
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    // The box follows from the stations, which may stand in files.
    std::vector<Violation> in_files = resolve_files(loaded.batch, folder);
    loaded.stations = expand_stations(loaded.batch, in_files);
    SlipPlaces slip = places_of_slip(loaded.batch);
    if (places_open && !loaded.batch.mesh().has_file() && loaded.batch.region().crs().empty()) {
        append(in_files, add_slip_of_files(loaded.batch, slip));
    }
    loaded.chosen = choose_size_at_fault(loaded.batch, slip, loaded.stations);
    const std::string box = choose_box(loaded.batch, slip, loaded.stations, growth_open);
    loaded.chosen += (loaded.chosen.empty() || box.empty() ? "" : "\n") + box;
    const std::string layers = choose_layer_sizes(loaded.batch, slip, loaded.stations, sizes_open);
    loaded.chosen += (loaded.chosen.empty() || layers.empty() ? "" : "\n") + layers;
    const std::string way = choose_solve_by(loaded.batch, loaded.stations, surface_open);
    loaded.chosen += (loaded.chosen.empty() || way.empty() ? "" : "\n") + way;
    std::vector<Violation> broken =
        validate(loaded.batch, unit_factor_of(reading), loaded.stations);
    if (!in_files.empty()) {
        // They would be chosen with the slip of a file that could not be read.
        std::erase_if(broken, [](const Violation& violation) {
            return violation.field == "region" || violation.field == "mesh";
        });
    }
    drop_older_places(reading, broken);
    if (has_open_places(loaded.batch) ||
        std::ranges::any_of(reading.unread, [](const std::string& field) {
            return is_within(field, "fault") || is_within(field, "events");
        })) {
        std::erase_if(broken, [&](const Violation& violation) {
            return (is_within(violation.field, "region") || is_within(violation.field, "mesh")) &&
                   !reading.places.contains(violation.field);
        });
    }
    append(broken, std::move(in_files));
    append(broken, swapped_places(loaded.batch, loaded.stations));
    if (!box.empty()) {
        append(broken, swapped_stations(slip, loaded.stations));
    }
    throw_if_broken(std::move(broken), std::move(reading));
    return loaded;
}

}  // namespace

LoadedBatch load_batch_file(const std::string& path) {
    v1::GreensBatch batch;
    YamlReading reading = scan_yaml(read_text_file(path), path, batch);
    return finish(std::move(batch), std::move(reading), path);
}

v1::GreensBatch parse_json(const std::string& text, const std::string& name) {
    v1::GreensBatch batch;
    from_json(text, name, batch);
    return batch;
}

LoadedBatch load_batch_json(const std::string& path) {
    return finish(parse_json(read_text_file(path), "file '" + path + "'"), {}, path);
}

LoadedBatch load_batch(v1::GreensBatch batch, YamlReading reading) {
    return finish(std::move(batch), std::move(reading), "/");
}

namespace {

constexpr std::array<std::array<double, 3>, 3> kAxes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

std::string force_place(const RequestStation& station, const std::array<double, 3>& along) {
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

std::vector<StationForce> station_forces(const std::vector<RequestStation>& stations) {
    std::vector<StationForce> forces;
    for (const RequestStation& station : stations) {
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

std::string choose_solve_by(v1::GreensBatch& batch, const std::vector<RequestStation>& stations,
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
        std::ranges::all_of(stations, [](const RequestStation& s) { return is_plain(s.id); });
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

void check_solve_by(const v1::GreensBatch& batch, const std::vector<RequestStation>& stations,
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
    for (const RequestStation& station : stations) {
        if (!is_plain(station.id)) {
            rules.fail(station.field,
                       "must have an id of letters, digits, '_', '.' and '-' with solve_by "
                       "receivers, got " +
                           quote(station.id));
        }
    }
}

}  // namespace kaname::request
