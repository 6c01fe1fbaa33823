// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/mesh_models.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/earth/volume_layout.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::bench {
namespace {

struct Region {
    const char* name;
    earth::LonLat centre;
    const char *slab, *columns, *relief;  ///< below the data folder
    double min_depth_m, max_depth_m;      ///< depths that limit the slab's top
    /// Outline of the fault in the plan: its middle, the azimuth it strikes to, and half its sides.
    earth::LonLat fault;
    double strike_rad, half_length_m, half_width_m;
};

constexpr double kKm = kMetresPerKm;
constexpr std::array<Region, 2> kRegions = {{{"nankai",
                                              {135.0, 33.5},
                                              "plate_interface/slab2_nankai_ryu.csv",
                                              "earth_structure/crust1_japan_nankai.csv",
                                              "topography/gebco_10min_japan_nankai.asc",
                                              8.0 * kKm,
                                              120.0 * kKm,
                                              {134.8, 33.3},
                                              245.0 * kDegree,
                                              180.0 * kKm,
                                              50.0 * kKm},
                                             {"hellenic",
                                              {24.0, 36.0},
                                              "plate_interface/slab2_hellenic.csv",
                                              "earth_structure/crust1_hellenic.csv",
                                              "topography/gebco_10min_hellenic.asc",
                                              10.0 * kKm,
                                              150.0 * kKm,
                                              {24.0, 34.0},
                                              300.0 * kDegree,
                                              150.0 * kKm,
                                              50.0 * kKm}}};

/// The oceanic crust, 7 km, and the crust's layers, about 10 km, decide about layers_m.
struct Resolution {
    double at_fault_m, layers_m, far_m;
};
constexpr std::array<Resolution, 3> kResolutions = {
    {{5e3, 16e3, 60e3}, {4e3, 14e3, 60e3}, {2e3, 8e3, 50e3}}};

constexpr double kSide_m = 1200.0 * kKm;
constexpr double kDepth_m = 400.0 * kKm;

std::string model_name(const Region& region, const Resolution& resolution) {
    return std::string(region.name) + "-" +
           std::to_string(static_cast<int>(resolution.at_fault_m / kKm)) + "km";
}

earth::VolumeLayout structure_of(const Region& region, double layers_m,
                                 const std::string& data_folder) {
    const auto file = [&](const char* path) { return data_folder + "/" + path; };
    earth::VolumeLayout layout;
    layout.size_u_m = layout.size_v_m = kSide_m;
    layout.depth_m = kDepth_m;
    const auto rock = [&](const char* name, double mu_pa, double density) {
        earth::Material material;
        material.name = name;
        material.lambda_pa = material.mu_pa = mu_pa;
        material.density_kg_m3 = density;
        layout.materials.push_back(material);
    };
    rock("upper-crust", 3.3e10, 2700.0);
    rock("middle-crust", 3.7e10, 2800.0);
    rock("lower-crust", 4.4e10, 2900.0);
    rock("mantle", 6.5e10, 3300.0);
    rock("oceanic-crust", 4.2e10, 2930.0);
    rock("slab-mantle", 6.6e10, 3300.0);

    const auto surface = [&](const char* name) -> earth::SurfaceDefinition& {
        earth::SurfaceDefinition made;
        made.name = name;
        made.field = std::string("surface ") + name;
        layout.surfaces.push_back(made);
        return layout.surfaces.back();
    };
    surface("relief").path = file(region.relief);
    for (const auto& [name, column] : {std::pair("upper-crust-bottom", "top_middle_crust_km"),
                                       std::pair("middle-crust-bottom", "top_lower_crust_km"),
                                       std::pair("moho", "top_mantle_km")}) {
        earth::SurfaceDefinition& made = surface(name);
        made.path = file(region.columns);
        made.column = column;
        made.smoothing_length_m = 30.0 * kKm;  // cells are a degree wide
    }
    earth::SurfaceDefinition& top = surface("slab-top");
    top.path = file(region.slab);
    top.column = "depth_km";
    top.has_limits = true;
    top.min_depth_m = region.min_depth_m;
    top.max_depth_m = region.max_depth_m;
    top.smoothing_length_m = 15.0 * kKm;
    for (const auto& [name, thickness] :
         {std::pair("oceanic-moho", 7.0 * kKm), std::pair("slab-bottom", 30.0 * kKm)}) {
        earth::SurfaceDefinition& made = surface(name);
        made.below = "slab-top";
        made.thickness_m = thickness;
    }
    layout.free_surface = "relief";

    const auto volume = [&](const char* name, int material, const char* above, const char* below) {
        earth::VolumeDefinition made;
        made.name = name;
        made.field = std::string("volume ") + name;
        made.top = above;
        made.bottom = below;
        made.material = material;
        made.size_m = std::string_view(name).ends_with("crust") ? layers_m : 0.0;
        layout.volumes.push_back(made);
    };
    volume("oceanic-crust", 4, "slab-top", "oceanic-moho");
    volume("slab-mantle", 5, "slab-top", "slab-bottom");
    volume("upper-crust", 0, "", "upper-crust-bottom");
    volume("middle-crust", 1, "", "middle-crust-bottom");
    volume("lower-crust", 2, "", "moho");
    volume("mantle", 3, "", "");
    return layout;
}

cleaving::FaultRequest fault_of(const Region& region, const earth::Projection& projection,
                                const earth::VolumeModel& model, double size_m) {
    const auto& surfaces = model.surfaces;
    const auto top = std::ranges::find(surfaces, "slab-top", &earth::ModelSurface::name);
    const earth::MapPoint at = projection.forward(region.fault);
    const Vec3 middle = {at.x_m, at.y_m, 0.0};
    const double strike = region.strike_rad + projection.convergence(region.fault);
    const Vec3 along = {std::sin(strike), std::cos(strike), 0.0};
    const Vec3 across = {along.y, -along.x, 0.0};
    const double half_length = region.half_length_m, half_width = region.half_width_m;
    cleaving::FaultRequest fault;
    fault.name = "megathrust";
    fault.surface = static_cast<int>(top - surfaces.begin());
    // Slopes are gentle: in the plan a little closer than half the size.
    const double spacing = 0.4 * size_m;
    const int ns = static_cast<int>(std::ceil(2.0 * half_length / spacing));
    const int nd = static_cast<int>(std::ceil(2.0 * half_width / spacing));
    for (int i = 0; i <= ns; ++i) {
        for (int j = 0; j <= nd; ++j) {
            Vec3 x = middle + half_length * (2.0 * i / ns - 1.0) * along +
                     half_width * (2.0 * j / nd - 1.0) * across;
            x.z = top->height.z(x.x, x.y);  // the box is not turned: its frame is the map's
            fault.samples.push_back(x);
        }
    }
    fault.inside_m = [=](const Vec3& x) {
        const Vec3 from = x - middle;
        return std::min(half_length - std::abs(dot(from, along)),
                        half_width - std::abs(dot(from, across)));
    };
    return fault;
}

MeshModel make(const Region& region, const Resolution& resolution, const std::string& data_folder) {
    const earth::Projection projection(region.centre);
    earth::BuiltVolumeModel structure = earth::build_volume_model(
        structure_of(region, resolution.layers_m, data_folder), projection);
    MeshModel model;
    model.name = model_name(region, resolution);
    model.notes = std::move(structure.notes);
    cleaving::VolumeMeshParams& request = model.request;
    request.box = {kSide_m, kSide_m, kDepth_m, 0.0};
    request.faults.push_back(fault_of(region, projection, *structure.model, resolution.at_fault_m));
    request.sizes.far_m = resolution.far_m;
    request.sizes.at_surface_m = resolution.layers_m;
    request.sizes.points.push_back({resolution.at_fault_m, request.faults[0].samples});
    request.model = std::move(structure.model);
    return model;
}

}  // namespace

std::vector<std::string> mesh_model_names(Size size) {
    const std::size_t count = size == Size::Small ? 1 : size == Size::Medium ? 2 : 3;
    std::vector<std::string> names;
    for (const Region& region : kRegions) {
        for (std::size_t k = 0; k < count; ++k) {
            names.push_back(model_name(region, kResolutions[k]));
        }
    }
    return names;
}

MeshModel make_mesh_model(const std::string& name, const std::string& data_folder) {
    for (const Region& region : kRegions) {
        for (const Resolution& resolution : kResolutions) {
            if (name == model_name(region, resolution)) {
                return make(region, resolution, data_folder);
            }
        }
    }
    throw Error(ErrorCode::InvalidArgument, "no model '" + name + "' to mesh");
}

}  // namespace kaname::bench
