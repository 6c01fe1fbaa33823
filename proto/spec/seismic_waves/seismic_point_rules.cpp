// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "proto/spec/form/text.hpp"
#include "proto/spec/seismic_waves/seismic_waves_rules.hpp"
#include "proto/spec/seismic_waves/unit_sources_of_waves.hpp"
#include "proto/spec/waves/point_rules.hpp"
#include "proto/spec/waves/time_function_rules.hpp"

namespace kaname::spec {
namespace {

constexpr std::size_t kMostSources = 100000;

void check_rupture(const v1::SeismicWaves& waves, const v1::SeismicSource& source,
                   const std::string& path, Rules& rules) {
    const v1::KinematicRupture& rupture = source.rupture();
    const std::string field = path + ".rupture";
    if (source.has_at() || source.has_force() || source.has_moment() ||
        source.has_time_function()) {
        rules.fail(field, "must stand alone: at, force, moment and time_function are of points");
    }
    if (!waves.has_region()) {
        rules.fail(field, "must have a region: slip models stand on the globe");
    }
    rules.given(field + ".file", !rupture.file().path().empty());
    rules.not_negative(field + ".spacing_m", rupture.spacing_m());
    rules.not_negative(field + ".rupture_velocity_m_per_s", rupture.rupture_velocity_m_per_s());
    rules.not_negative(field + ".rise_time_s", rupture.rise_time_s());
    rules.in_range(field + ".start_s", rupture.start_s(), 0.0, waves.time().end_s());
    rules.one_of(field + ".rate", rupture.rate(), {"yoffe", "triangle", "cosine"});
    if (rupture.has_hypocentre()) {
        check_place(rupture.hypocentre(), field + ".hypocentre", waves.has_region(), rules);
    }
}

void check_green(const v1::SeismicWaves& waves, Rules& rules) {
    if (!waves.has_green()) {
        return;
    }
    const v1::UnitSources& green = waves.green();
    check_wave_ids(green.points(), "green.points", rules);
    for (int k = 0; k < green.points_size(); ++k) {
        check_place(green.points(k).at(), element("green.points", k) + ".at", waves.has_region(),
                    rules);
    }
    std::vector<std::string> known = kMomentComponents;
    known.insert(known.end(), kForceComponents.begin(), kForceComponents.end());
    for (int k = 0; k < green.components_size(); ++k) {
        rules.one_of(element("green.components", k), green.components(k), known);
    }
    check_time_function(green.time_function(), "green.time_function", rules);
    std::vector<std::string> ids;
    for (const v1::SeismicSource& source : all_sources(waves)) {
        ids.push_back(source.id());
    }
    std::ranges::sort(ids);
    if (const auto twice = std::ranges::adjacent_find(ids); twice != ids.end()) {
        rules.fail("green",
                   "must give every source an id of its own, got " + quote(*twice) + " twice");
    }
    if (ids.size() > kMostSources) {
        rules.fail("green", "must leave at most " + std::to_string(kMostSources) +
                                " sources, got " + std::to_string(ids.size()));
    }
}

}  // namespace

void check_seismic_points(const v1::SeismicWaves& waves, Rules& rules) {
    check_green(waves, rules);
    if (waves.sources_size() > 0 || !waves.has_green()) {
        check_wave_ids(waves.sources(), "sources", rules);
    }
    check_wave_ids(waves.receivers(), "receivers", rules);
    for (int k = 0; k < waves.sources_size(); ++k) {
        const v1::SeismicSource& source = waves.sources(k);
        const std::string path = element("sources", k);
        if (source.has_rupture()) {
            check_rupture(waves, source, path, rules);
            continue;
        }
        check_place(source.at(), path + ".at", waves.has_region(), rules);
        if (!has_force(source.force()) && !has_moment(source.moment())) {
            rules.fail(path, "must have a force or a moment that is not 0, or a rupture");
        }
        check_time_function(source.time_function(), path + ".time_function", rules);
    }
    for (int k = 0; k < waves.receivers_size(); ++k) {
        check_place(waves.receivers(k).at(), element("receivers", k) + ".at", waves.has_region(),
                    rules, Height::Ground);
    }
}

}  // namespace kaname::spec
