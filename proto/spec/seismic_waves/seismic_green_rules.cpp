// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "proto/spec/form/text.hpp"
#include "proto/spec/greens/unit_sources.hpp"
#include "proto/spec/seismic_waves/seismic_green.hpp"
#include "proto/spec/waves/point_rules.hpp"
#include "proto/spec/waves/time_function_rules.hpp"

namespace kaname::spec {
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
    if (!points) {
        if (green.moments_size() > 0 || green.moment_n_m() != 0.0) {
            rules.fail("green.moments", "must be left out without points or grid");
        }
        return;
    }
    std::set<std::string> seen;
    for (int k = 0; k < green.moments_size(); ++k) {
        const std::string path = element("green.moments", k);
        rules.one_of(path, green.moments(k), {"xx", "yy", "zz", "yz", "xz", "xy"});
        if (!seen.insert(green.moments(k)).second) {
            rules.fail(path, "must be named once, got " + quote(green.moments(k)) + " again");
        }
    }
    rules.positive("green.moment_n_m", green.moment_n_m());
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
    rules.positive("green.slip_m", green.slip_m());
    rules.not_negative("green.spacing_m", green.spacing_m());
}

void check_method(const v1::SeismicWaves& waves, Rules& rules) {
    const std::string& method = waves.green().method();
    rules.one_of("green.method", method, {"auto", "direct", "reciprocal"});
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

void check_patch_plane(const v1::Plane& plane, const std::string& path, Rules& rules) {
    if (plane.open_edges_size() > 0) {
        rules.fail(path + ".open_edges", "must be absent: patches of waves slip uniformly");
    }
    rules.place(path + ".centre_", plane.has_centre_lon_deg(), plane.centre_lon_deg(),
                plane.has_centre_lat_deg(), plane.centre_lat_deg());
    if (rules.given(path + ".top_depth_m", plane.has_top_depth_m())) {
        rules.not_negative(path + ".top_depth_m", plane.top_depth_m());
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

}  // namespace kaname::spec
