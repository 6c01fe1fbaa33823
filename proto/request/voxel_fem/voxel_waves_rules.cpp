// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>

#include "proto/request/form/field_rules.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/greens/slip_size.hpp"
#include "proto/request/greens/validate.hpp"
#include "proto/request/voxel_fem/load_voxel_waves.hpp"
#include "proto/request/waves/wave_requests.hpp"

namespace kaname::request {
namespace {

void check_time(const v1::VoxelWaves& waves, Rules& rules) {
    const v1::WaveTime& time = waves.time();
    if (time.step_s() > 0.0 && time.end_s() > 0.0 && time.step_s() > time.end_s()) {
        rules.fail("time.step_s", "must be at most " +
                                      rules.beside("time.step_s", "end_s", time.end_s()) +
                                      ", got " + rules.in_unit_of("time.step_s", time.step_s()));
    }
}

void check_damping(const v1::VoxelWaves& waves, Rules& rules) {
    const v1::BandDamping& damping = waves.damping();
    if (waves.has_damping() && damping.to_hz() <= damping.from_hz()) {
        rules.fail(
            "damping.to_hz",
            "must be > damping.from_hz = " + rules.in_unit_of("damping.to_hz", damping.from_hz()) +
                ", got " + rules.in_unit_of("damping.to_hz", damping.to_hz()));
    }
}

void check_scheme(const v1::WaveScheme& scheme, Rules& rules) {
    if (scheme.element() == "vfem" && scheme.product() != "matrix") {
        rules.fail("solver.product",
                   "must be matrix with element vfem, got " + quote(scheme.product()));
    }
    if (scheme.product() == "int8" && scheme.precision() == "single") {
        rules.fail("solver.precision", "must be double with product int8, got 'single'");
    }
    if (scheme.product() != "int8" && scheme.stages() != 0) {
        rules.fail("solver.stages", "must be left out: only product int8 has stages");
    }
}

}  // namespace

std::vector<Violation> validate(const v1::VoxelWaves& waves, const UnitFactor& unit_factor) {
    Rules rules(unit_factor);
    check_head(waves.schema(), v1::VoxelWaves::descriptor()->full_name(), waves.name(), rules);
    check_voxel_box(waves, rules);
    check_wave_points(waves, rules);
    check_time(waves, rules);
    check_damping(waves, rules);
    check_scheme(waves.solver(), rules);
    check_snapshots(waves.output().snapshots_s(), "output.snapshots_s", waves.time().end_s(),
                    rules);
    every_number_finite(waves, "", rules);
    check_fields(waves, rules);
    return rules.take();
}

namespace {

constexpr double kWhole = 1e-3;  ///< of a voxel
constexpr double kMostVoxels = 1e10;

using Names = std::map<std::string, int>;

void check_size(const std::string& field, double size_m, double spacing_m, Rules& rules) {
    rules.positive(field, size_m);
    const double voxels = size_m / spacing_m;
    if (size_m > 0.0 && spacing_m > 0.0 &&
        (voxels < 1.0 - kWhole || std::abs(voxels - std::round(voxels)) > kWhole)) {
        rules.fail(field, "must be a whole number of voxels of " +
                              rules.in_unit_of(field, spacing_m) + ", got " +
                              rules.in_unit_of(field, size_m));
    }
}

void check_speeds(const v1::Material& material, const std::string& path, Rules& rules) {
    const bool vp = rules.given(path + ".vp_m_per_s", material.has_vp_m_per_s());
    const bool vs = rules.given(path + ".vs_m_per_s", material.has_vs_m_per_s());
    rules.positive(path + ".vp_m_per_s", vp ? material.vp_m_per_s() : 1.0);
    rules.positive(path + ".vs_m_per_s", vs ? material.vs_m_per_s() : 1.0);
    const double least = std::sqrt(4.0 / 3.0) * material.vs_m_per_s();
    if (vp && vs && material.vp_m_per_s() > 0.0 && material.vp_m_per_s() <= least) {
        const std::string field = path + ".vp_m_per_s";
        rules.fail(field,
                   "must exceed sqrt(4/3) vs = " + rules.in_unit_of(field, std::ceil(least)) +
                       " (bulk modulus > 0), got " +
                       rules.in_unit_of(field, material.vp_m_per_s()) +
                       (material.vp_m_per_s() < material.vs_m_per_s() ? "; are vp and vs exchanged?"
                                                                      : ""));
    }
}

void check_moduli(const v1::Material& material, const std::string& path, Rules& rules) {
    const bool lambda = rules.given(path + ".lambda_pa", material.has_lambda_pa());
    const bool mu = rules.given(path + ".mu_pa", material.has_mu_pa());
    rules.positive(path + ".mu_pa", mu ? material.mu_pa() : 1.0);
    const double least = -2.0 / 3.0 * material.mu_pa();
    if (lambda && mu && material.lambda_pa() <= least) {
        const std::string field = path + ".lambda_pa";
        rules.fail(field, "must exceed -2/3 mu = " + rules.in_unit_of(field, least) +
                              " (bulk modulus > 0), got " +
                              rules.in_unit_of(field, material.lambda_pa()));
    }
}

void check_elastic(const v1::Material& material, const std::string& path, Rules& rules) {
    if (rules.given(path + ".density_kg_per_m3", material.has_density_kg_per_m3())) {
        rules.positive(path + ".density_kg_per_m3", material.density_kg_per_m3());
    }
    material.has_lambda_pa() || material.has_mu_pa() ? check_moduli(material, path, rules)
                                                     : check_speeds(material, path, rules);
    if (material.has_viscosity_pa_s() || material.has_viscosity_range_pa_s() ||
        material.has_relaxed_mu_pa() || material.has_kelvin_mu_pa() ||
        material.has_kelvin_viscosity_pa_s()) {
        rules.fail(path + ".viscosity_pa_s", "must be left out: waves are elastic");
    }
    if (material.has_qp() || material.has_qs()) {
        rules.fail(path + (material.has_qp() ? ".qp" : ".qs"),
                   "must be left out: voxels have damping, kaname.v1.SeismicWaves quality factors");
    }
}

Names check_materials(const v1::VoxelBox& model, Rules& rules) {
    Names first;
    for (int k = 0; k < model.materials_size(); ++k) {
        const std::string path = element("model.materials", k);
        const v1::Material& material = model.materials(k);
        if (material.name().empty() || material.name() == kVoid) {
            rules.fail(path + ".name",
                       "must be given and not 'void', got " + quote(material.name()));
        } else if (const auto [at, fresh] = first.try_emplace(material.name(), k); !fresh) {
            rules.fail(path + ".name", "must be unique, got " + quote(material.name()) + " as in " +
                                           element("model.materials", at->second));
        }
        check_elastic(material, path, rules);
    }
    return first;
}

void check_material_name(const std::string& field, const std::string& name, const Names& names,
                         Rules& rules) {
    if (names.contains(name)) {
        return;
    }
    std::vector<std::string> known;
    for (const auto& [known_name, index] : names) {
        known.push_back(known_name);
    }
    const std::string near = nearest(name, known);
    rules.fail(field, "must name one of model.materials, got " + quote(name) +
                          (near.empty() ? "" : "; did you mean " + near + "?"));
}

/// Shapes are of the model's frame, on a part of the Earth too.
void refuse_globe(const v1::WavePlace& place, const std::string& path, Rules& rules) {
    if (place.has_lon_deg() || place.has_lat_deg() || place.has_depth_m()) {
        rules.fail(path + ".lon_deg", "must be x_m, y_m and z_m in a shape");
    }
}

/// `along`: the axis whose coordinate is not looked at; -1: none, 3: it is not known.
void check_round(const std::string& path, const v1::WavePlace& centre, int along, Rules& rules) {
    refuse_globe(centre, path + ".centre", rules);
    const bool has[3] = {centre.has_x_m(), centre.has_y_m(), centre.has_z_m()};
    const char* const names[3] = {".centre.x_m", ".centre.y_m", ".centre.z_m"};
    for (int axis = 0; axis < 3 && along < 3; ++axis) {
        if (axis != along) {
            rules.given(path + names[axis], has[axis]);
        }
    }
}

void check_interval(const std::string& low_field, bool has_low, double low, bool has_high,
                    double high, Rules& rules) {
    if (has_low && has_high && low >= high) {
        rules.fail(low_field, "must be < the other end, " + rules.in_unit_of(low_field, high) +
                                  ", got " + rules.in_unit_of(low_field, low));
    }
}

void check_brick(const v1::VoxelBrick& box, const std::string& path, Rules& rules) {
    refuse_globe(box.from(), path + ".from", rules);
    refuse_globe(box.to(), path + ".to", rules);
    const v1::WavePlace &from = box.from(), &to = box.to();
    check_interval(path + ".from.x_m", from.has_x_m(), from.x_m(), to.has_x_m(), to.x_m(), rules);
    check_interval(path + ".from.y_m", from.has_y_m(), from.y_m(), to.has_y_m(), to.y_m(), rules);
    check_interval(path + ".from.z_m", from.has_z_m(), from.z_m(), to.has_z_m(), to.z_m(), rules);
}

void check_shape(const v1::VoxelShape& shape, const std::string& path, Rules& rules) {
    const int given =
        shape.has_box() + shape.has_cylinder() + shape.has_sphere() + shape.has_layer();
    if (given != 1) {
        rules.fail(path, "must have exactly one of box, cylinder, sphere and layer, got " +
                             std::to_string(given));
    }
    if (shape.has_box()) {
        check_brick(shape.box(), path + ".box", rules);
    }
    if (shape.has_cylinder()) {
        const v1::VoxelCylinder& cylinder = shape.cylinder();
        const int along = cylinder.axis() == "x"   ? 0
                          : cylinder.axis() == "y" ? 1
                          : cylinder.axis() == "z" ? 2
                                                   : 3;
        check_round(path + ".cylinder", cylinder.centre(), along, rules);
        check_interval(path + ".cylinder.from_m", cylinder.has_from_m(), cylinder.from_m(),
                       cylinder.has_to_m(), cylinder.to_m(), rules);
    }
    if (shape.has_sphere()) {
        check_round(path + ".sphere", shape.sphere().centre(), -1, rules);
    }
    if (shape.has_layer()) {
        const v1::VoxelLayer& layer = shape.layer();
        check_interval(path + ".layer.bottom_m", layer.has_bottom_m(), layer.bottom_m(),
                       layer.has_top_m(), layer.top_m(), rules);
    }
}

void check_earth(const v1::VoxelWaves& waves, Rules& rules) {
    rules.given("structure", waves.has_structure());
    rules.place("region.centre_", waves.region().has_centre_lon_deg(),
                waves.region().centre_lon_deg(), waves.region().has_centre_lat_deg(),
                waves.region().centre_lat_deg());
    rules.positive("region.depth_m", waves.region().depth_m());
    if (waves.model().size_z_m() < waves.region().depth_m()) {
        rules.fail("model.size_z_m",
                   "must reach sea level from region.depth_m, " +
                       rules.in_unit_of("model.size_z_m", waves.region().depth_m()) + ", got " +
                       rules.in_unit_of("model.size_z_m", waves.model().size_z_m()));
    }
    if (!waves.structure().below_interface().empty()) {
        rules.fail("structure.below_interface",
                   "must be left out: there is no fault; surfaces and volumes say the same");
    }
    v1::GreensBatch batch;
    *batch.mutable_region() = waves.region();
    *batch.mutable_structure() = waves.structure();
    check_structure(batch, rules);
    for (int k = 0; k < waves.structure().materials_size(); ++k) {
        const v1::Material& material = waves.structure().materials(k);
        if (!material.has_density_kg_per_m3()) {
            rules.fail(element("structure.materials", k) + ".density_kg_per_m3",
                       "must be given for waves");
        }
    }
}

}  // namespace

void check_voxel_box(const v1::VoxelWaves& waves, Rules& rules) {
    const v1::VoxelBox& model = waves.model();
    const std::string x = waves.has_region() ? "region.size_east_m" : "model.size_x_m";
    const std::string y = waves.has_region() ? "region.size_north_m" : "model.size_y_m";
    check_size(x, model.size_x_m(), model.spacing_m(), rules);
    check_size(y, model.size_y_m(), model.spacing_m(), rules);
    check_size("model.size_z_m", model.size_z_m(), model.spacing_m(), rules);
    const double voxels =
        model.size_x_m() * model.size_y_m() * model.size_z_m() / std::pow(model.spacing_m(), 3);
    if (model.spacing_m() > 0.0 && voxels > kMostVoxels) {
        rules.fail("model.spacing_m", "must leave at most " + show(kMostVoxels) + " voxels, got " +
                                          show(std::round(voxels)));
    }
    const Names names = check_materials(model, rules);
    const int bases = !model.fill().empty() + model.has_grid() + waves.has_region();
    if (bases != 1) {
        rules.fail("model.fill",
                   "exactly one of model.fill, model.grid and region must be given, "
                   "got " +
                       std::to_string(bases));
    }
    if (!model.fill().empty()) {
        check_material_name("model.fill", model.fill(), names, rules);
    }
    if (waves.has_region()) {
        check_earth(waves, rules);
    } else if (waves.has_structure()) {
        rules.fail("structure", "must be left out without a region");
    }
    for (int k = 0; k < model.shapes_size(); ++k) {
        const std::string path = element("model.shapes", k);
        if (model.shapes(k).material() != kVoid) {
            check_material_name(path + ".material", model.shapes(k).material(), names, rules);
        }
        check_shape(model.shapes(k), path, rules);
    }
}

namespace {

void check_rectangles(const v1::VoxelWaves& waves, const v1::WaveSource& source,
                      const std::string& path, Rules& rules) {
    const std::string field = path + ".patches";
    check_finite(source, waves.has_region(), field, rules);
    check_slip_of_waves(source.patches(), field, waves.structure(), rules);
    check_time_function(source.time_function(), path + ".time_function", rules);
}

void check_rupture(const v1::VoxelWaves& waves, const v1::WaveSource& source,
                   const std::string& path, Rules& rules) {
    const std::string field = path + ".rupture";
    if (source.has_at() || source.has_force() || source.has_moment() ||
        source.has_time_function() || source.has_double_couple() || !source.patches().empty()) {
        rules.fail(field,
                   "must stand alone: at, force, moment and time_function are of points, patches "
                   "slip as time_function says");
    }
    check_slip_model(source.rupture(), field, waves.has_region(), waves.time().end_s(), rules);
}

}  // namespace

void check_wave_points(const v1::VoxelWaves& waves, Rules& rules) {
    check_wave_ids(waves.sources(), "sources", rules);
    check_wave_ids(waves.receivers(), "receivers", rules);
    for (int k = 0; k < waves.sources_size(); ++k) {
        const v1::WaveSource& source = waves.sources(k);
        const std::string path = element("sources", k);
        if (source.has_rupture()) {
            check_rupture(waves, source, path, rules);
            continue;
        }
        if (source.patches_size() > 0) {
            check_rectangles(waves, source, path, rules);
            continue;
        }
        check_place(source.at(), path + ".at", waves.has_region(), rules);
        if (source.has_double_couple()) {
            check_couple_of_waves(source, path, rules);
        } else if (!has_force(source.force()) && !has_moment(source.moment())) {
            rules.fail(path,
                       "must have a force or a moment that is not 0, a double_couple, patches or a "
                       "rupture");
        }
        check_time_function(source.time_function(), path + ".time_function", rules);
    }
    for (int k = 0; k < waves.receivers_size(); ++k) {
        check_place(waves.receivers(k).at(), element("receivers", k) + ".at", waves.has_region(),
                    rules);
    }
}

}  // namespace kaname::request
