// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/text.hpp"
#include "proto/spec/seismic_waves/seismic_waves_rules.hpp"
#include "proto/spec/waves/point_rules.hpp"
#include "proto/spec/waves/time_function_rules.hpp"

namespace kaname::spec {
namespace {

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

}  // namespace

void check_seismic_points(const v1::SeismicWaves& waves, Rules& rules) {
    check_wave_ids(waves.sources(), "sources", rules);
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
