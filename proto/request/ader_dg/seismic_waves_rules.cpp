// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <tuple>

#include "proto/request/ader_dg/load_seismic_waves.hpp"
#include "proto/request/ader_dg/seismic_green.hpp"
#include "proto/request/form/field_rules.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/greens/slip_size.hpp"
#include "proto/request/greens/validate.hpp"
#include "proto/request/greens/volumes.hpp"
#include "proto/request/waves/wave_requests.hpp"

namespace kaname::request {
namespace {

constexpr double kMostSamples = 1e7;

void check_attenuation(const v1::SeismicWaves& waves, Rules& rules) {
    const v1::Attenuation& band = waves.attenuation();
    if (waves.has_attenuation() && band.to_hz() <= band.from_hz()) {
        rules.fail("attenuation.to_hz",
                   "must be > " + rules.beside("attenuation.to_hz", "from_hz", band.from_hz()) +
                       ", got " + rules.in_unit_of("attenuation.to_hz", band.to_hz()));
    }
}

void check_boundaries(const v1::SeismicWaves& waves, Rules& rules) {
    const v1::SeismicBoundaries& sides = waves.boundaries();
    const std::pair<const char*, const std::string*> kinds[] = {
        {"x_min", &sides.x_min()}, {"x_max", &sides.x_max()},   {"y_min", &sides.y_min()},
        {"y_max", &sides.y_max()}, {"bottom", &sides.bottom()}, {"top", &sides.top()}};
    for (const auto& [name, kind] : kinds) {
        const std::string field = std::string("boundaries.") + name;
        if (waves.mesh().has_file() && !kind->empty()) {
            rules.fail(field,
                       "must be left out beside mesh.file: boundaries.surfaces names its "
                       "surfaces");
        }
    }
    for (int k = 0; k < sides.surfaces_size(); ++k) {
        const std::string path = element("boundaries.surfaces", k);
        for (int earlier = 0; earlier < k; ++earlier) {
            if (sides.surfaces(earlier).name() == sides.surfaces(k).name()) {
                rules.fail(path + ".name",
                           "must be named once, got " + quote(sides.surfaces(k).name()) + " again");
            }
        }
    }
    if (!waves.mesh().has_file() && sides.surfaces_size() > 0) {
        rules.fail("boundaries.surfaces", "must be left out without mesh.file");
    }
}

void check_time(const v1::SeismicTime& time, Rules& rules) {
    if (time.interval_s() > time.end_s() && time.end_s() > 0.0) {
        rules.fail("time.interval_s",
                   "must be at most " + rules.beside("time.interval_s", "end_s", time.end_s()) +
                       ", got " + rules.in_unit_of("time.interval_s", time.interval_s()));
    }
    if (time.interval_s() > 0.0 && time.end_s() / time.interval_s() > kMostSamples) {
        rules.fail("time.interval_s", "must leave at most " + show(kMostSamples) +
                                          " samples, got " +
                                          show(time.end_s() / time.interval_s()));
    }
}

/// The largest solver.cfl that is stable, which is what it is where nothing is said
/// (aderdg::default_cfl).
double stable_cfl(unsigned order) {
    return order <= 5 ? 0.5 : order == 6 ? 0.45 : 0.4;
}

void check_scheme(const v1::SeismicScheme& solver, Rules& rules) {
    if (const double stable = stable_cfl(solver.order()); solver.cfl() > stable) {
        rules.fail("solver.cfl", "must be at most " + show(stable) + " at order " +
                                     std::to_string(solver.order()) +
                                     ": steps above that are not stable, got " +
                                     show(solver.cfl()));
    }
}

void check_output(const v1::SeismicWaves& waves, Rules& rules) {
    const v1::SeismicOutput& output = waves.output();
    if (output.volume() && output.snapshots_s().empty()) {
        rules.fail("output.volume", "must be false without output.snapshots_s, got true");
    }
    check_snapshots(output.snapshots_s(), "output.snapshots_s", waves.time().end_s(), rules);
}

}  // namespace

void check_seismic_setting(const v1::SeismicWaves& waves, Rules& rules) {
    check_seismic_model(waves, rules);
    check_attenuation(waves, rules);
    if (waves.mesh().has_file() && waves.mesh().file().path().empty()) {
        rules.fail("mesh.file", "must name a file");
    }
    check_boundaries(waves, rules);
    check_time(waves.time(), rules);
    check_scheme(waves.solver(), rules);
    check_output(waves, rules);
}

std::vector<Violation> validate(const v1::SeismicWaves& waves, const UnitFactor& unit_factor) {
    Rules rules(unit_factor);
    check_head(waves.schema(), v1::SeismicWaves::descriptor()->full_name(), waves.name(), rules);
    check_seismic_setting(waves, rules);
    check_seismic_points(waves, rules);
    every_number_finite(waves, "", rules);
    check_fields(waves, rules);
    return rules.take();
}

namespace {

constexpr double kSlowSolid_m_per_s = 50.0;  ///< slowest that those rules let pass

void check_quality(const v1::Material& material, const std::string& path, Rules& rules) {
    if (!material.has_qp() && !material.has_qs()) {
        return;
    }
    if (rules.given(path + ".qp", material.has_qp())) {
        rules.positive(path + ".qp", material.qp());
    }
    if (rules.given(path + ".qs", material.has_qs())) {
        rules.positive(path + ".qs", material.qs());
    }
}

void check_materials(const v1::SeismicWaves& waves, Rules& rules) {
    // Rules of structures are those of Green's functions, which know no quality factors.
    v1::GreensBatch batch;
    *batch.mutable_region() = waves.region();
    *batch.mutable_structure() = waves.structure();
    if (waves.mesh().has_file()) {
        *batch.mutable_mesh()->mutable_file() = waves.mesh().file();
    }
    for (v1::Material& material : *batch.mutable_structure()->mutable_materials()) {
        material.clear_qp();
        material.clear_qs();
        if (material.has_vs_m_per_s() && material.vs_m_per_s() == 0.0) {
            material.set_vs_m_per_s(kSlowSolid_m_per_s);  // a liquid: only its vp is looked at
        }
    }
    check_structure(batch, rules);
    for (int k = 0; k < waves.structure().materials_size(); ++k) {
        const std::string path = element("structure.materials", k);
        const v1::Material& material = waves.structure().materials(k);
        if (!material.has_density_kg_per_m3() && !material.has_vp_m_per_s()) {
            rules.fail(path + ".density_kg_per_m3", "must be given for waves");
        }
        check_quality(material, path, rules);
    }
    if (!waves.structure().below_interface().empty()) {
        rules.fail("structure.below_interface",
                   "must be left out: there is no fault; surfaces and volumes say the same");
    }
}

void check_box(const v1::SeismicWaves& waves, Rules& rules) {
    if (has_volumes(waves.structure())) {
        rules.fail("structure.volumes", "must be left out of a box: it has layers");
    }
}

void check_layers_inside(const v1::SeismicWaves& waves, double depth_m, const std::string& depth,
                         Rules& rules) {
    for (int k = 0; k < waves.structure().layers_size(); ++k) {
        const v1::Layer& layer = waves.structure().layers(k);
        const std::string field = element("structure.layers", k) + ".bottom_depth_m";
        if (depth_m > 0.0 && layer.has_bottom_depth_m() && layer.bottom_depth_m() >= depth_m) {
            rules.fail(field, "must be < " + rules.beside(field, depth, depth_m) + ", got " +
                                  rules.in_unit_of(field, layer.bottom_depth_m()));
        }
    }
}

void check_region(const v1::SeismicWaves& waves, Rules& rules) {
    const v1::Region& region = waves.region();
    rules.place("region.centre_", region.has_centre_lon_deg(), region.centre_lon_deg(),
                region.has_centre_lat_deg(), region.centre_lat_deg());
    if (!region.crs().empty()) {
        rules.fail("region.crs", "must be left out: a model of no place on the globe has a box");
    }
    if (waves.mesh().has_file()) {
        if (region.size_east_m() + region.size_north_m() + region.depth_m() != 0.0) {
            rules.fail("region.size_east_m",
                       "must be left out beside mesh.file, as must the others but the centre");
        }
        return;
    }
    rules.positive("region.size_east_m", region.size_east_m());
    rules.positive("region.size_north_m", region.size_north_m());
    rules.positive("region.depth_m", region.depth_m());
    rules.in_range("region.azimuth_deg", region.azimuth_deg(), -180.0, 180.0);
}

}  // namespace

void check_seismic_model(const v1::SeismicWaves& waves, Rules& rules) {
    if (waves.mesh().has_file() ? waves.has_box() : waves.has_box() == waves.has_region()) {
        rules.fail("box", waves.mesh().has_file()
                              ? "must be left out beside mesh.file"
                              : "exactly one of box, region and mesh.file must be given, got " +
                                    std::string(waves.has_box() ? "both box and region" : "none"));
    }
    rules.given("structure", waves.has_structure());
    check_materials(waves, rules);
    if (waves.has_box()) {
        check_box(waves, rules);
        check_layers_inside(waves, waves.box().depth_m(), "box.depth_m", rules);
    }
    if (waves.has_region()) {
        check_region(waves, rules);
        check_layers_inside(waves, waves.region().depth_m(), "region.depth_m", rules);
    }
}

namespace {

void check_rupture(const v1::SeismicWaves& waves, const v1::SeismicSource& source,
                   const std::string& path, Rules& rules) {
    const std::string field = path + ".rupture";
    if (source.has_at() || source.has_force() || source.has_moment() ||
        source.has_time_function() || source.has_patch() || source.has_double_couple()) {
        rules.fail(field, "must stand alone: at, force, moment and time_function are of points");
    }
    check_slip_model(source.rupture(), field, waves.has_region(), waves.time().end_s(), rules);
}

void check_rectangles(const v1::SeismicWaves& waves, const v1::SeismicSource& source,
                      const std::string& path, Rules& rules) {
    check_finite(source, waves.has_region(), path + ".patches", rules);
    if (source.has_patch() || source.has_rupture()) {
        rules.fail(path + ".patches", "must be given without patch and rupture");
    }
    check_slip_of_waves(source.patches(), path + ".patches", waves.structure(), rules);
    check_time_function(source.time_function(), path + ".time_function", rules);
}

void check_patch(const v1::SeismicWaves& waves, const v1::SeismicSource& source,
                 const std::string& path, Rules& rules) {
    const v1::SeismicPatch& patch = source.patch();
    const std::string field = path + ".patch";
    check_finite(source, waves.has_region(), field, rules);
    const std::size_t n = rules.size();
    check_patch_plane(patch.plane(), field + ".plane", rules);
    check_size(patch.slip_m() != 0.0, patch.slip_m(), patch.has_magnitude(), patch.magnitude(),
               rules.size() == n, field, rules);
    for (const auto& [name, index, n] :
         {std::tuple{".column", patch.column(), patch.plane().n_strike()},
          std::tuple{".row", patch.row(), patch.plane().n_dip()}}) {
        if (index >= std::max(1U, n)) {
            rules.fail(field + name, "must be < " + std::to_string(std::max(1U, n)) + ", got " +
                                         std::to_string(index));
        }
    }
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
    check_seismic_sources(waves, rules);
}

void check_seismic_sources(const v1::SeismicWaves& waves, Rules& rules) {
    for (int k = 0; k < waves.sources_size(); ++k) {
        const v1::SeismicSource& source = waves.sources(k);
        const std::string path = element("sources", k);
        if (source.patches_size() > 0) {
            check_rectangles(waves, source, path, rules);
            continue;
        }
        if (source.has_rupture()) {
            check_rupture(waves, source, path, rules);
            continue;
        }
        if (source.has_patch()) {
            check_patch(waves, source, path, rules);
            continue;
        }
        check_place(source.at(), path + ".at", waves.has_region(), rules);
        if (source.has_double_couple()) {
            check_couple_of_waves(source, path, rules);
        } else if (!has_force(source.force()) && !has_moment(source.moment())) {
            rules.fail(path,
                       "must have a force or a moment that is not 0, a double_couple, patches, a "
                       "patch or a rupture");
        }
        check_time_function(source.time_function(), path + ".time_function", rules);
    }
}

}  // namespace kaname::request
