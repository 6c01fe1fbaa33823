// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <tuple>

#include "proto/spec/form/text.hpp"
#include "proto/spec/seismic_waves/seismic_green.hpp"
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
        source.has_time_function() || source.has_patch()) {
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

void check_patch(const v1::SeismicWaves& waves, const v1::SeismicSource& source,
                 const std::string& path, Rules& rules) {
    const v1::SeismicPatch& patch = source.patch();
    const std::string field = path + ".patch";
    if (source.has_at() || source.has_force() || source.has_moment()) {
        rules.fail(field, "must be given without at, force and moment, which are of points");
    }
    if (!waves.has_region()) {
        rules.fail(field, "must have a region: its place is one on the globe");
    }
    check_patch_plane(patch.plane(), field + ".plane", rules);
    for (const auto& [name, index, n] :
         {std::tuple{".column", patch.column(), patch.plane().n_strike()},
          std::tuple{".row", patch.row(), patch.plane().n_dip()}}) {
        if (index >= std::max(1U, n)) {
            rules.fail(field + name, "must be < " + std::to_string(std::max(1U, n)) + ", got " +
                                         std::to_string(index));
        }
    }
    rules.in_range(field + ".rake_deg", patch.rake_deg(), -180.0, 360.0);
    rules.positive(field + ".slip_m", patch.slip_m());
    rules.not_negative(field + ".spacing_m", patch.spacing_m());
    check_time_function(source.time_function(), path + ".time_function", rules);
}

}  // namespace

void check_seismic_receivers(const v1::SeismicWaves& waves, Rules& rules) {
    check_wave_ids(waves.receivers(), "receivers", rules);
    for (int k = 0; k < waves.receivers_size(); ++k) {
        check_place(waves.receivers(k).at(), element("receivers", k) + ".at", waves.has_region(),
                    rules, Height::Ground);
    }
}

void check_seismic_points(const v1::SeismicWaves& waves, Rules& rules) {
    if (waves.has_green()) {
        check_green(waves, rules);
    } else {
        check_wave_ids(waves.sources(), "sources", rules);
    }
    check_seismic_receivers(waves, rules);
    for (int k = 0; k < waves.sources_size(); ++k) {
        const v1::SeismicSource& source = waves.sources(k);
        const std::string path = element("sources", k);
        if (source.has_rupture()) {
            check_rupture(waves, source, path, rules);
            continue;
        }
        if (source.has_patch()) {
            check_patch(waves, source, path, rules);
            continue;
        }
        check_place(source.at(), path + ".at", waves.has_region(), rules);
        if (!has_force(source.force()) && !has_moment(source.moment())) {
            rules.fail(path, "must have a force or a moment that is not 0, a rupture or a patch");
        }
        check_time_function(source.time_function(), path + ".time_function", rules);
    }
}

}  // namespace kaname::spec
