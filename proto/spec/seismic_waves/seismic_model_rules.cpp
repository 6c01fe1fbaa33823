// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/text.hpp"
#include "proto/spec/greens/checks.hpp"
#include "proto/spec/greens/volumes.hpp"
#include "proto/spec/seismic_waves/seismic_waves_rules.hpp"

namespace kaname::spec {
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
    rules.positive("box.size_x_m", waves.box().size_x_m());
    rules.positive("box.size_y_m", waves.box().size_y_m());
    rules.positive("box.depth_m", waves.box().depth_m());
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

}  // namespace kaname::spec
