// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/ader_dg/seismic_green.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <set>

#include "proto/request/form/text.hpp"
#include "proto/request/greens/slip_size.hpp"
#include "proto/request/greens/unit_sources.hpp"
#include "proto/request/waves/wave_requests.hpp"

namespace kaname::request {
namespace {

using Set = void (v1::MomentTensor::*)(double);
struct Component {
    const char* name;
    Set set;
};
constexpr std::array<Component, 6> kComponents = {{{"xx", &v1::MomentTensor::set_xx_n_m},
                                                   {"yy", &v1::MomentTensor::set_yy_n_m},
                                                   {"zz", &v1::MomentTensor::set_zz_n_m},
                                                   {"yz", &v1::MomentTensor::set_yz_n_m},
                                                   {"xz", &v1::MomentTensor::set_xz_n_m},
                                                   {"xy", &v1::MomentTensor::set_xy_n_m}}};

void add_point(const v1::SeismicGreen& green, const std::string& id, const v1::WavePlace& at,
               const std::string& field, std::vector<ListedSource>& to) {
    for (const std::string& moment : green.moments()) {
        const auto component = std::ranges::find(kComponents, moment, &Component::name);
        v1::SeismicSource source;
        source.set_id(id + "/" + moment);
        *source.mutable_at() = at;
        (source.mutable_moment()->*component->set)(green.moment_n_m());
        *source.mutable_time_function() = green.time_function();
        to.push_back({std::move(source), field});
    }
}

/// `value` of n places from the first to the last.
double along(double from, double to, unsigned k, unsigned n) {
    return n > 1 ? from + (to - from) * k / (n - 1) : from;
}

void add_grid(const v1::SeismicGreen& green, std::vector<ListedSource>& to) {
    const v1::SeismicGrid& grid = green.grid();
    const v1::WavePlace &a = grid.from(), &b = grid.to();
    for (unsigned k = 0; k < grid.n_z(); ++k) {
        for (unsigned j = 0; j < grid.n_y(); ++j) {
            for (unsigned i = 0; i < grid.n_x(); ++i) {
                v1::WavePlace at;
                if (a.has_lon_deg()) {
                    at.set_lon_deg(along(a.lon_deg(), b.lon_deg(), i, grid.n_x()));
                    at.set_lat_deg(along(a.lat_deg(), b.lat_deg(), j, grid.n_y()));
                    at.set_depth_m(along(a.depth_m(), b.depth_m(), k, grid.n_z()));
                } else {
                    at.set_x_m(along(a.x_m(), b.x_m(), i, grid.n_x()));
                    at.set_y_m(along(a.y_m(), b.y_m(), j, grid.n_y()));
                    at.set_z_m(along(a.z_m(), b.z_m(), k, grid.n_z()));
                }
                char id[64];
                std::snprintf(id, sizeof id, "g%02u_%02u_%02u", i, j, k);
                add_point(green, id, at, "green.grid", to);
            }
        }
    }
}

void add_patches(const v1::SeismicGreen& green, std::vector<ListedSource>& to) {
    v1::Fault fault;
    *fault.mutable_plane() = green.plane();
    for (const UnitSources& part : unit_sources(fault)) {
        for (const UnitSource& unit : part.sources) {
            const UnitPatch& patch = part.patches[static_cast<std::size_t>(unit.patch)];
            v1::SeismicSource source;
            source.set_id(unit.id);
            v1::SeismicPatch& made = *source.mutable_patch();
            *made.mutable_plane() = green.plane();
            made.mutable_plane()->clear_rake_deg();
            made.mutable_plane()->clear_components();
            made.set_column(static_cast<unsigned>(patch.column));
            made.set_row(static_cast<unsigned>(patch.row));
            made.set_rake_deg(unit.component.rake_deg);
            made.set_slip_m(green.slip_m());
            made.set_spacing_m(green.spacing_m());
            *source.mutable_time_function() = green.time_function();
            to.push_back({std::move(source), "green.plane"});
        }
    }
}

}  // namespace

std::vector<ListedSource> listed_sources(const v1::SeismicWaves& waves) {
    std::vector<ListedSource> all;
    for (int k = 0; k < waves.sources_size(); ++k) {
        all.push_back({waves.sources(k), element("sources", k)});
    }
    const v1::SeismicGreen& green = waves.green();
    for (int k = 0; k < green.points_size(); ++k) {
        add_point(green, green.points(k).id(), green.points(k).at(), element("green.points", k),
                  all);
    }
    if (green.has_grid()) {
        add_grid(green, all);
    }
    if (green.has_plane()) {
        add_patches(green, all);
    }
    return all;
}

std::int64_t count_sources(const v1::SeismicWaves& waves) {
    const v1::SeismicGreen& green = waves.green();
    const auto product = [](double a, double b, double c) {
        return static_cast<std::int64_t>(std::min(1e15, a * b * c));
    };
    const v1::Plane& plane = green.plane();
    const int directions = plane.rake_deg_size() + plane.components_size();
    return waves.sources_size() + std::int64_t{green.points_size()} * green.moments_size() +
           green.moments_size() *
               product(green.grid().n_x(), green.grid().n_y(), green.grid().n_z()) +
           product(plane.n_strike(), plane.n_dip(), directions);
}

bool is_reciprocal(const v1::SeismicWaves& waves) {
    const std::string& method = waves.green().method();
    const bool ground =
        waves.output().peak_ground_velocity() || waves.output().snapshots_s_size() > 0;
    return method == "reciprocal" ||
           (method == "auto" && !ground &&
            3 * std::int64_t{waves.receivers_size()} < count_sources(waves));
}

std::vector<std::string> force_ids(const v1::SeismicWaves& waves) {
    std::vector<std::string> ids;
    for (const v1::WaveReceiver& receiver : waves.receivers()) {
        for (const char* axis : {"/x", "/y", "/z"}) {
            ids.push_back(receiver.id() + axis);
        }
    }
    return ids;
}

void fill_green(v1::SeismicWaves& waves) {
    if (!waves.has_green()) {
        return;
    }
    v1::SeismicGreen& green = *waves.mutable_green();
    if (green.points_size() > 0 || green.has_grid()) {
        if (green.moments().empty()) {
            for (const Component& component : kComponents) {
                green.add_moments(component.name);
            }
        }
        if (green.moment_n_m() == 0.0) {
            green.set_moment_n_m(1e15);
        }
    }
    if (green.has_plane()) {
        v1::Plane& plane = *green.mutable_plane();
        settle_point(plane);
        plane.set_n_strike(std::max(1U, plane.n_strike()));
        plane.set_n_dip(std::max(1U, plane.n_dip()));
        if (plane.rake_deg().empty() && plane.components().empty()) {
            for (const std::string& name : component_names()) {
                plane.add_components(name);
            }
        }
        if (green.slip_m() == 0.0) {
            green.set_slip_m(1.0);
        }
    }
}

namespace {

constexpr std::int64_t kMostSources = 100000;
constexpr std::size_t kLongestPoint = 60;  // the source's id is three letters longer

void check_points(const v1::SeismicWaves& waves, Rules& rules) {
    const v1::SeismicGreen& green = waves.green();
    if (green.points_size() > 0) {
        check_wave_ids(green.points(), "green.points", rules);
    }
    for (int k = 0; k < green.points_size(); ++k) {
        const std::string path = element("green.points", k);
        check_place(green.points(k).at(), path + ".at", waves.has_region(), rules);
        if (green.points(k).id().size() > kLongestPoint) {
            rules.fail(path + ".id", "must be at most 60 letters, got " +
                                         std::to_string(green.points(k).id().size()));
        }
    }
    if (!green.has_grid()) {
        return;
    }
    const v1::SeismicGrid& grid = green.grid();
    check_place(grid.from(), "green.grid.from", waves.has_region(), rules);
    check_place(grid.to(), "green.grid.to", waves.has_region(), rules);
    if (grid.from().has_lon_deg() != grid.to().has_lon_deg()) {
        rules.fail("green.grid.to", "must be a place of the kind of from: x_m or lon_deg");
    } else if (grid.from().has_lon_deg()) {
        rules.given("green.grid.from.depth_m", grid.from().has_depth_m());
        rules.given("green.grid.to.depth_m", grid.to().has_depth_m());
    }
}

void check_moments(const v1::SeismicGreen& green, Rules& rules) {
    const bool points = green.points_size() > 0 || green.has_grid();
    if (!points && (green.moments_size() > 0 || green.moment_n_m() != 0.0)) {
        rules.fail("green.moments", "must be left out without points or grid");
    }
}

void check_plane(const v1::SeismicWaves& waves, Rules& rules) {
    const v1::SeismicGreen& green = waves.green();
    if (!green.has_plane()) {
        if (green.slip_m() != 0.0 || green.spacing_m() != 0.0) {
            rules.fail("green.plane", "must be given beside slip_m and spacing_m");
        }
        return;
    }
    if (!waves.has_region()) {
        rules.fail("green.plane", "must have a region: its place is one on the globe");
    }
    const v1::Plane& plane = green.plane();
    check_patch_plane(plane, "green.plane", rules);
    if (plane.rake_deg_size() > 0 && plane.components_size() > 0) {
        rules.fail("green.plane.rake_deg", "must be left out beside components");
    }
    for (int k = 0; k < plane.rake_deg_size(); ++k) {
        rules.in_range(element("green.plane.rake_deg", k), plane.rake_deg(k), -180.0, 360.0);
    }
    std::set<std::string> seen;
    for (int k = 0; k < plane.components_size(); ++k) {
        const std::string path = element("green.plane.components", k);
        rules.one_of(path, plane.components(k), component_names());
        if (!seen.insert(plane.components(k)).second) {
            rules.fail(path, "must be named once, got " + quote(plane.components(k)) + " again");
        }
    }
}

void check_method(const v1::SeismicWaves& waves, Rules& rules) {
    const std::string& method = waves.green().method();
    if (method == "reciprocal" && waves.output().snapshots_s_size() > 0) {
        rules.fail("output.snapshots_s",
                   "must be left out with green.method reciprocal: no wave of a source is solved");
    }
    if (method == "reciprocal" && waves.output().peak_ground_velocity()) {
        rules.fail("output.peak_ground_velocity",
                   "must be false with green.method reciprocal: no wave of a source is solved");
    }
}

}  // namespace

void check_patch_plane(const v1::Plane& given, const std::string& path, Rules& rules) {
    v1::Plane plane = given;
    settle_point(plane);
    if (plane.open_edges_size() > 0) {
        rules.fail(path + ".open_edges", "must be absent: patches of waves slip uniformly");
    }
    if (check_point(plane, path, rules)) {
        rules.place(path + ".centre_", plane.has_centre_lon_deg(), plane.centre_lon_deg(),
                    plane.has_centre_lat_deg(), plane.centre_lat_deg());
        if (rules.given(path + ".top_depth_m", plane.has_top_depth_m())) {
            rules.not_negative(path + ".top_depth_m", plane.top_depth_m());
        }
    }
    if (rules.given(path + ".strike_deg", plane.has_strike_deg())) {
        rules.in_range(path + ".strike_deg", plane.strike_deg(), -360.0, 360.0);
    }
    rules.in_range(path + ".dip_deg", plane.dip_deg(), 0.0, 90.0);
    rules.positive(path + ".length_m", plane.length_m());
    rules.positive(path + ".width_m", plane.width_m());
}

void check_green(const v1::SeismicWaves& waves, Rules& rules) {
    const v1::SeismicGreen& green = waves.green();
    if (waves.sources_size() > 0) {
        rules.fail("green", "must be left out beside sources");
    }
    if (green.points_size() == 0 && !green.has_grid() && !green.has_plane()) {
        rules.fail("green", "must have points, a grid or a plane");
    }
    check_points(waves, rules);
    check_moments(green, rules);
    check_plane(waves, rules);
    check_time_function(green.time_function(), "green.time_function", rules);
    check_method(waves, rules);
    if (const std::int64_t n = count_sources(waves); n > kMostSources) {
        rules.fail("green",
                   "must make at most " + std::to_string(kMostSources) +
                       " sources, points times moments and patches times directions, got " +
                       std::to_string(n));
    }
}

}  // namespace kaname::request
