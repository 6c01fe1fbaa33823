// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <map>

#include "proto/request/form/rules.hpp"
#include "proto/request/greens/scenario.hpp"
#include "proto/request/greens/validate.hpp"
#include "proto/request/greens/volumes.hpp"
#include "solvers/base/vec3.hpp"

namespace kaname::request {
namespace {

// Wide bounds on rocks: they catch km/s written as m/s and g/cm3 as kg/m3.
constexpr double kSlowest_m_per_s = 50.0;
constexpr double kFastest_m_per_s = 20000.0;
constexpr double kLightest_kg_per_m3 = 100.0;
constexpr double kDensest_kg_per_m3 = 20000.0;
// Moduli of rock are 1e9 to 1e12 Pa, of soft soil 1e7: this catches GPa written as Pa. Viscosities
// of salt and ice begin at 1e13 Pa s; beyond 1e26 nothing relaxes in the age of the Earth.
constexpr double kSoftest_pa = 1e6, kStiffest_pa = 1e13;
constexpr double kThinnest_pa_s = 1e10, kThickest_pa_s = 1e26;

void check_modulus(const std::string& field, double value_pa, Rules& rules) {
    const double size = std::abs(value_pa);
    if (value_pa == 0.0 || !std::isfinite(value_pa) ||
        (size >= kSoftest_pa && size <= kStiffest_pa)) {
        return;
    }
    constexpr double kGiga = 1e9;
    const bool giga = size >= kSoftest_pa / kGiga && size * kGiga <= kStiffest_pa;
    rules.fail(field, "must be a modulus of rock, " + rules.in_unit_of(field, kSoftest_pa) + ".." +
                          rules.in_unit_of(field, kStiffest_pa) + ", got " +
                          rules.in_unit_of(field, value_pa) +
                          (giga ? "; in GPa the key ends in _gpa" : ""));
}

void check_viscosity(const std::string& field, double value_pa_s, Rules& rules) {
    rules.positive(field, value_pa_s);
    if (value_pa_s > 0.0 && (value_pa_s < kThinnest_pa_s || value_pa_s > kThickest_pa_s) &&
        std::isfinite(value_pa_s)) {
        rules.fail(field, "must be in " + show(kThinnest_pa_s) + ".." + show(kThickest_pa_s) +
                              " (rock has 1e16..1e24), got " + show(value_pa_s) +
                              (value_pa_s > kThickest_pa_s
                                   ? "; a material without viscosity_pa_s is elastic"
                                   : "; is it the logarithm, or in another unit?"));
    }
}

void check_speeds(const v1::Material& material, const std::string& path, Rules& rules) {
    const bool has_vp = rules.given(path + ".vp_m_per_s", material.has_vp_m_per_s());
    const bool has_vs = rules.given(path + ".vs_m_per_s", material.has_vs_m_per_s());
    rules.given(path + ".density_kg_per_m3", material.has_density_kg_per_m3());
    if (has_vp) {
        rules.in_range(path + ".vp_m_per_s", material.vp_m_per_s(), kSlowest_m_per_s,
                       kFastest_m_per_s);
    }
    if (has_vs) {
        rules.in_range(path + ".vs_m_per_s", material.vs_m_per_s(), kSlowest_m_per_s,
                       kFastest_m_per_s);
    }
    // kappa = rho (vp^2 - 4/3 vs^2)
    const double slowest_vp = std::sqrt(4.0 / 3.0) * material.vs_m_per_s();
    const bool in_range =
        material.vs_m_per_s() >= kSlowest_m_per_s && material.vs_m_per_s() <= kFastest_m_per_s;
    if (has_vp && has_vs && in_range && material.vp_m_per_s() <= slowest_vp) {
        const std::string field = path + ".vp_m_per_s";
        rules.fail(field,
                   "must exceed sqrt(4/3) vs = " + rules.in_unit_of(field, std::ceil(slowest_vp)) +
                       " (bulk modulus > 0), got " +
                       rules.in_unit_of(field, material.vp_m_per_s()) +
                       (material.vp_m_per_s() < material.vs_m_per_s() ? "; are vp and vs exchanged?"
                                                                      : ""));
    }
}

void check_moduli(const v1::Material& material, const std::string& path, Rules& rules) {
    const bool has_lambda = rules.given(path + ".lambda_pa", material.has_lambda_pa());
    const bool has_mu = rules.given(path + ".mu_pa", material.has_mu_pa());
    if (has_mu) {
        rules.positive(path + ".mu_pa", material.mu_pa());
        check_modulus(path + ".mu_pa", std::max(0.0, material.mu_pa()), rules);
    }
    if (has_lambda) {
        check_modulus(path + ".lambda_pa", material.lambda_pa(), rules);
    }
    // kappa = lambda + 2/3 mu
    const double smallest = -2.0 / 3.0 * material.mu_pa();
    if (has_lambda && has_mu && material.mu_pa() > 0.0 && material.lambda_pa() <= smallest) {
        const std::string field = path + ".lambda_pa";
        rules.fail(field, "must exceed -2/3 mu = " + rules.in_unit_of(field, smallest) +
                              " (bulk modulus > 0), got " +
                              rules.in_unit_of(field, material.lambda_pa()));
    }
}

/// mu of a material whose numbers are good; 0 otherwise.
double shear_modulus_pa(const v1::Material& material) {
    return material.has_mu_pa()
               ? material.mu_pa()
               : material.density_kg_per_m3() * material.vs_m_per_s() * material.vs_m_per_s();
}

void check_rheology(const v1::Material& material, const std::string& path, Rules& rules) {
    const bool solid = material.has_relaxed_mu_pa();
    const bool kelvin = material.has_kelvin_mu_pa() || material.has_kelvin_viscosity_pa_s();
    if ((solid || kelvin) && !material.has_viscosity_pa_s()) {
        rules.fail(path + ".viscosity_pa_s",
                   "must be given: it is the dashpot of the rheology that " +
                       std::string(solid ? "relaxed_mu_pa" : "kelvin_mu_pa") + " describes");
    }
    if (solid && kelvin) {
        rules.fail(path,
                   "give either relaxed_mu_pa (standard linear solid) or kelvin_mu_pa and "
                   "kelvin_viscosity_pa_s (Burgers), not both");
    }
    if (solid) {
        rules.positive(path + ".relaxed_mu_pa", material.relaxed_mu_pa());
        const double mu = shear_modulus_pa(material);
        if (mu > 0.0 && material.relaxed_mu_pa() >= mu) {
            const std::string field = path + ".relaxed_mu_pa";
            rules.fail(field, "must be below mu = " + rules.in_unit_of(field, mu) + ", got " +
                                  rules.in_unit_of(field, material.relaxed_mu_pa()));
        }
    }
    if (kelvin) {
        if (rules.given(path + ".kelvin_mu_pa", material.has_kelvin_mu_pa())) {
            rules.positive(path + ".kelvin_mu_pa", material.kelvin_mu_pa());
        }
        if (rules.given(path + ".kelvin_viscosity_pa_s", material.has_kelvin_viscosity_pa_s())) {
            check_viscosity(path + ".kelvin_viscosity_pa_s", material.kelvin_viscosity_pa_s(),
                            rules);
        }
    }
}

void check_material(const v1::Material& material, const std::string& path, Rules& rules) {
    const bool speeds = material.has_vp_m_per_s() || material.has_vs_m_per_s();
    const bool moduli = material.has_lambda_pa() || material.has_mu_pa();
    if (speeds && moduli) {
        rules.fail(path,
                   "give either vp_m_per_s, vs_m_per_s and density_kg_per_m3, or lambda_pa "
                   "and mu_pa, not both");
    } else if (speeds) {
        check_speeds(material, path, rules);
    } else if (moduli) {
        check_moduli(material, path, rules);
    } else {
        rules.fail(path,
                   "has no stiffness: give vp_m_per_s, vs_m_per_s and density_kg_per_m3, or "
                   "lambda_pa and mu_pa");
    }
    if (material.has_density_kg_per_m3()) {
        rules.in_range(path + ".density_kg_per_m3", material.density_kg_per_m3(),
                       kLightest_kg_per_m3, kDensest_kg_per_m3);
    }
    if (material.has_viscosity_pa_s()) {
        check_viscosity(path + ".viscosity_pa_s", material.viscosity_pa_s(), rules);
    }
    check_rheology(material, path, rules);
    if (material.has_qp() || material.has_qs()) {
        rules.fail(path + (material.has_qp() ? ".qp" : ".qs"),
                   "must be left out: only kaname.v1.SeismicWaves knows quality factors");
    }
}

template <class Layers>
void check_stack(const Layers& layers, const std::string& list,
                 const std::map<std::string, int>& materials, Rules& rules) {
    std::vector<std::string> names;
    for (const auto& [name, index] : materials) {
        names.push_back(name);
    }
    double above = 0.0;
    for (int index = 0; index < layers.size(); ++index) {
        const v1::Layer& layer = layers[index];
        const std::string path = element(list, index);
        const bool last = index + 1 == layers.size();
        if (layer.material().empty()) {
            rules.fail(path + ".material", "must be given");
        } else if (!materials.contains(layer.material())) {
            const std::string near = nearest(layer.material(), names);
            rules.fail(path + ".material",
                       "must name one of structure.materials, got " + quote(layer.material()) +
                           (near.empty() ? "" : "; did you mean " + near + "?"));
        }
        if (layer.has_bottom_depth_m() == last) {
            rules.fail(path + ".bottom_depth_m",
                       last ? "must be absent: the last layer goes on to the bottom of the model"
                            : "must be given: only the last layer has none");
        }
        if (layer.has_bottom_depth_m()) {
            if (layer.bottom_depth_m() <= above) {
                rules.fail(path + ".bottom_depth_m",
                           "must be > " + rules.in_unit_of(path + ".bottom_depth_m", above) +
                               (index == 0 ? "" : " (bottom of the layer above)") + ", got " +
                               rules.in_unit_of(path + ".bottom_depth_m", layer.bottom_depth_m()));
            }
            above = std::max(above, layer.bottom_depth_m());
        }
    }
}

}  // namespace

void check_structure(const v1::GreensBatch& batch, Rules& rules) {
    const v1::Structure& structure = batch.structure();
    // Volumes may have theirs from files.
    if (structure.materials().empty() && !has_volumes(structure)) {
        rules.fail("structure.materials", "must have at least one material");
    }
    std::map<std::string, int> first;
    for (int index = 0; index < structure.materials_size(); ++index) {
        const v1::Material& material = structure.materials(index);
        const std::string path = element("structure.materials", index);
        if (material.name().empty()) {
            rules.fail(path + ".name", "must be given");
        } else if (const auto [at, fresh] = first.try_emplace(material.name(), index); !fresh) {
            rules.fail(path + ".name", "must be unique, got " + quote(material.name()) + " as in " +
                                           element("structure.materials", at->second));
        }
        check_material(material, path, rules);
    }
    if (batch.mesh().has_file()) {
        return;  // the file says where materials are
    }
    if (has_volumes(structure)) {
        check_volumes(batch, rules);
        return;
    }
    if (structure.layers().empty()) {
        rules.fail("structure.layers", "must have at least one layer");
    }
    check_stack(structure.layers(), "structure.layers", first, rules);
    check_stack(structure.below_interface(), "structure.below_interface", first, rules);
    const bool of_slip_models =
        is_scenario(batch) && batch.fault().geometry_case() == v1::Fault::GEOMETRY_NOT_SET;
    if (!structure.below_interface().empty() &&
        (batch.fault().has_plane() || !batch.fault().several().empty() || of_slip_models)) {
        rules.fail("structure.below_interface", "must be absent: a plane fault has no interface");
    }
}

namespace {

constexpr std::size_t kMaxSourceName = 63;

bool is_source_name(const std::string& name) {
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return !name.empty() && name.size() <= kMaxSourceName && plain(name[0]) &&
           std::all_of(name.begin(), name.end(),
                       [&](char c) { return plain(c) || c == '-' || c == '_' || c == '.'; });
}

/// Refuses fields that describe a mesh made by Kaname, which have no meaning beside a mesh file.
void check_absent(const v1::GreensBatch& batch, Rules& rules) {
    const auto absent = [&](const std::string& field, bool given) {
        if (given) {
            rules.fail(field, "must be absent: mesh.file says it");
        }
    };
    const v1::Region& region = batch.region();
    absent("region.size_east_m", region.size_east_m() != 0.0);
    absent("region.size_north_m", region.size_north_m() != 0.0);
    absent("region.depth_m", region.depth_m() != 0.0);
    absent("region.azimuth_deg", region.azimuth_deg() != 0.0);
    absent("structure.layers", !batch.structure().layers().empty());
    absent("structure.below_interface", !batch.structure().below_interface().empty());
    absent("structure.surfaces", !batch.structure().surfaces().empty());
    absent("structure.free_surface", !batch.structure().free_surface().empty());
    absent("structure.volumes", !batch.structure().volumes().empty());
    const v1::Mesh& mesh = batch.mesh();
    absent("mesh.size_at_fault_m", mesh.size_at_fault_m() != 0.0);
    absent("mesh.size_far_m", mesh.size_far_m() != 0.0);
    absent("mesh.growth", mesh.growth() != 0.0);
    absent("mesh.size_at_surface_m", mesh.size_at_surface_m() != 0.0);
    absent("mesh.size_at_stations_m", mesh.size_at_stations_m() != 0.0);
    absent("mesh.sizes_by_depth", !mesh.sizes_by_depth().empty());
    absent("mesh.max_elements", mesh.max_elements() != 0);
    absent("mesh.thinnest_layer", mesh.has_thinnest_layer());
    const v1::Boundaries& sides = batch.boundaries();
    const std::array<bool, kSideCount> given = {sides.has_west(),   sides.has_east(),
                                                sides.has_south(),  sides.has_north(),
                                                sides.has_bottom(), sides.has_top()};
    for (int side = 0; side < kSideCount; ++side) {
        if (given[side]) {
            rules.fail(std::string("boundaries.") + kSideNames[side],
                       "must be absent: with mesh.file, conditions are those of "
                       "boundaries.surfaces");
        }
    }
}

void check_reference_point(const v1::Region& region, Rules& rules) {
    if (region.crs().empty()) {
        rules.place("region.centre_", region.has_centre_lon_deg(), region.centre_lon_deg(),
                    region.has_centre_lat_deg(), region.centre_lat_deg());
        return;
    }
    rules.one_of("region.crs", region.crs(), {"none"});
    if (region.has_centre_lon_deg() || region.has_centre_lat_deg()) {
        rules.fail("region.centre_lon_deg",
                   "must be absent, as must the latitude: region.crs is " + quote(region.crs()));
    }
}

void check_tables(const v1::SlipSource& source, const std::string& path,
                  const std::vector<std::string>& surfaces, Rules& rules) {
    if (source.slip().empty()) {
        rules.fail(path + ".slip", "must have at least one table");
    }
    std::set<std::string> seen;
    for (int index = 0; index < source.slip_size(); ++index) {
        const v1::SlipTable& table = source.slip(index);
        const std::string field = element(path + ".slip", index);
        if (table.file().path().empty()) {
            rules.fail(field + ".file", "must name a file");
        }
        rules.not_negative(field + ".reach_m", table.reach_m());
        if (!table.surface().empty()) {
            rules.one_of(field + ".surface", table.surface(), surfaces);
        } else if (surfaces.size() != 1) {
            rules.fail(field + ".surface", "must be " + join_or(surfaces) + ", got ''");
        }
        if (!seen.insert(table.surface()).second) {
            rules.fail(field + ".surface",
                       "must be unique within the source, got " + quote(table.surface()));
        }
    }
}

void check_surfaces(const v1::GreensBatch& batch, Rules& rules) {
    if (!batch.fault().several().empty()) {
        rules.fail("fault.several",
                   "must be absent: with mesh.file, faults are fault.mesh.surfaces");
    }
    if (!batch.fault().has_mesh()) {
        if (is_scenario(batch) &&
            std::ranges::all_of(batch.events(),
                                [](const v1::SlipEvent& event) { return event.has_moment(); })) {
            return;  // sides alone move, or points
        }
        rules.fail("fault", "must be mesh: with mesh.file, faults are surfaces of the file");
        return;
    }
    const v1::MeshFault& fault = batch.fault().mesh();
    if (fault.surfaces().empty()) {
        rules.fail("fault.mesh.surfaces", "must name at least one physical surface");
    }
    std::vector<std::string> surfaces;
    for (int index = 0; index < fault.surfaces_size(); ++index) {
        const v1::MeshSurface& surface = fault.surfaces(index);
        const std::string path = element("fault.mesh.surfaces", index);
        if (surface.name().empty()) {
            rules.fail(path + ".name", "must be given");
        } else if (std::ranges::find(surfaces, surface.name()) != surfaces.end()) {
            rules.fail(path + ".name", "must be unique, got " + quote(surface.name()));
        }
        surfaces.push_back(surface.name());
        if (surface.has_strike_deg()) {
            rules.in_range(path + ".strike_deg", surface.strike_deg(), -360.0, 360.0);
        }
    }
    if (is_scenario(batch)) {
        if (!fault.sources().empty()) {
            rules.fail("fault.mesh.sources", "must be left out of a scenario: events have slip");
        }
    } else if (fault.sources().empty() || fault.sources_size() > kMaxSources) {
        rules.fail("fault.mesh.sources", "must be 1 to " + std::to_string(kMaxSources) +
                                             " sources, got " +
                                             std::to_string(fault.sources_size()));
    }
    std::set<std::string> names;
    for (int index = 0; index < fault.sources_size(); ++index) {
        const v1::SlipSource& source = fault.sources(index);
        const std::string path = element("fault.mesh.sources", index);
        if (!is_source_name(source.name())) {
            rules.fail(path + ".name",
                       "must be 1 to 63 of a-z 0-9 - _ . and begin with a letter or digit, got " +
                           quote(source.name()));
        } else if (!names.insert(source.name()).second) {
            rules.fail(path + ".name", "must be unique, got " + quote(source.name()));
        }
        check_tables(source, path, surfaces, rules);
    }
}

void check_boundary_surfaces(const v1::Boundaries& boundaries, Rules& rules) {
    std::set<std::string> seen;
    bool held = false;
    for (int index = 0; index < boundaries.surfaces_size(); ++index) {
        const v1::MeshBoundary& boundary = boundaries.surfaces(index);
        const std::string path = element("boundaries.surfaces", index);
        if (boundary.name().empty()) {
            rules.fail(path + ".name", "must be given");
        } else if (!seen.insert(boundary.name()).second) {
            rules.fail(path + ".name", "must be unique, got " + quote(boundary.name()));
        }
        const bool has_kind = boundary.kind() != v1::BoundarySide::KIND_UNSPECIFIED;
        const bool has_data = boundary.has_displacement() || boundary.has_traction();
        if (has_kind && !boundary.fixed().empty()) {
            rules.fail(path, "must have one of kind and fixed, got both");
        } else if (!has_kind && boundary.fixed().empty() && !has_data) {
            rules.fail(path,
                       "must have kind (free, fixed or roller), fixed (a list of east, north, up), "
                       "displacement or traction");
        }
        held = held || !boundary.fixed().empty() || boundary.has_displacement() ||
               boundary.kind() == v1::BoundarySide::KIND_FIXED ||
               boundary.kind() == v1::BoundarySide::KIND_ROLLER;
    }
    if (!held) {
        rules.fail("boundaries.surfaces",
                   "leave the model free to move: fix a surface, or components on several");
    }
}

}  // namespace

void check_mesh_file(const v1::GreensBatch& batch, Rules& rules) {
    if (batch.mesh().file().path().empty()) {
        rules.fail("mesh.file", "must name a file");
    }
    if (!batch.mesh().length_unit().empty()) {
        rules.one_of("mesh.length_unit", batch.mesh().length_unit(), {"m", "km"});
    }
    check_absent(batch, rules);
    check_reference_point(batch.region(), rules);
    check_surfaces(batch, rules);
    check_boundary_surfaces(batch.boundaries(), rules);
}

void check_no_mesh_file(const v1::GreensBatch& batch, Rules& rules) {
    const auto needs_file = [&](const std::string& field, bool given) {
        if (given) {
            rules.fail(field, "must be absent without mesh.file");
        }
    };
    if (!batch.region().crs().empty()) {
        rules.fail("region.crs",
                   "must be left out without mesh.file: places are WGS84 degrees, and the "
                   "projection is chosen about the region's centre; got " +
                       quote(batch.region().crs()));
    }
    needs_file("fault.mesh", batch.fault().has_mesh());
    needs_file("mesh.top", !batch.mesh().top().empty());
    needs_file("mesh.length_unit", !batch.mesh().length_unit().empty());
    needs_file("boundaries.surfaces", !batch.boundaries().surfaces().empty());
}

}  // namespace kaname::request
