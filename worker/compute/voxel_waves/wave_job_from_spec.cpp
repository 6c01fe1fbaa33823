// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/voxel_waves/wave_job_from_spec.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "proto/spec/form/canonical.hpp"
#include "proto/spec/form/rules.hpp"
#include "proto/spec/greens/volumes.hpp"
#include "proto/spec/voxel_waves/load_voxel_waves.hpp"
#include "proto/spec/voxel_waves/voxel_waves_kind.hpp"
#include "solvers/base/units.hpp"
#include "worker/compute/material_from_spec.hpp"
#include "worker/compute/time_function_from_spec.hpp"
#include "worker/compute/volumes_from_spec.hpp"
#include "worker/compute/waves/wave_parts.hpp"

namespace kaname::compute {
namespace {

using jobs::WaveJob;
using jobs::WaveShape;
using voxelwave::Solid;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kSides[6] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

template <class Words>
std::array<bool, 6> sides_of(const Words& words) {
    std::array<bool, 6> sides{};
    for (int side = 0; side < 6; ++side) {
        sides[side] = std::find(words.begin(), words.end(), kSides[side]) != words.end();
    }
    return sides;
}

Solid solid_of(const v1::Material& material, const std::string& field) {
    const earth::Material found = material_of(material, field);
    return {found.kappa_pa(), found.mu_pa, found.density_kg_m3};
}

std::array<double, 3> corner_of(const v1::WavePlace& place, double otherwise) {
    return {place.has_x_m() ? place.x_m() : otherwise, place.has_y_m() ? place.y_m() : otherwise,
            place.has_z_m() ? place.z_m() : otherwise};
}

WaveShape shape_of(const v1::VoxelShape& shape, const Solid& solid) {
    if (shape.has_cylinder()) {
        const v1::VoxelCylinder& round = shape.cylinder();
        return {solid, WaveShape::Cylinder{round.axis()[0] - 'x', corner_of(round.centre(), 0.0),
                                           round.radius_m(),
                                           round.has_from_m() ? round.from_m() : -kInfinity,
                                           round.has_to_m() ? round.to_m() : kInfinity}};
    }
    if (shape.has_sphere()) {
        return {solid, WaveShape::Sphere{corner_of(shape.sphere().centre(), 0.0),
                                         shape.sphere().radius_m()}};
    }
    WaveShape::Box box{corner_of(shape.box().from(), -kInfinity),
                       corner_of(shape.box().to(), kInfinity)};
    if (shape.has_layer()) {
        box.from_m[2] = shape.layer().has_bottom_m() ? shape.layer().bottom_m() : -kInfinity;
        box.to_m[2] = shape.layer().has_top_m() ? shape.layer().top_m() : kInfinity;
    }
    return {solid, box};
}

jobs::WaveEarth earth_of(const v1::VoxelWaves& waves) {
    jobs::WaveEarth earth;
    earth.centre = {waves.region().centre_lon_deg(), waves.region().centre_lat_deg()};
    earth.azimuth_rad = waves.region().azimuth_deg() * kDegree;
    earth.depth_m = waves.region().depth_m();
    const v1::Structure& structure = waves.structure();
    if (spec::has_volumes(structure)) {
        earth.volumes = volumes_of(structure);
        return earth;
    }
    earth.layers = layers_of(structure);
    return earth;
}

void set_model(const v1::VoxelWaves& waves, WaveJob& job) {
    const v1::VoxelBox& model = waves.model();
    job.size_m = {model.size_x_m(), model.size_y_m(), model.size_z_m()};
    job.spacing_m = model.spacing_m();
    std::map<std::string, Solid> solids = {{spec::kVoid, Solid()}};
    for (int k = 0; k < model.materials_size(); ++k) {
        solids.emplace(model.materials(k).name(),
                       solid_of(model.materials(k), spec::element("model.materials", k)));
    }
    if (waves.has_region()) {
        job.base = earth_of(waves);
    } else if (model.has_grid()) {
        job.base = jobs::WaveGrid{model.grid().path()};
    } else {
        job.base = solids.at(model.fill());
    }
    for (const v1::VoxelShape& shape : model.shapes()) {
        job.shapes.push_back(shape_of(shape, solids.at(shape.material())));
    }
}

void set_points(const v1::VoxelWaves& waves, WaveJob& job) {
    const std::vector<spec::Task> tasks = spec::voxel_waves_graph(waves).tasks;
    for (int k = 0; k < waves.sources_size(); ++k) {
        const v1::WaveSource& source = waves.sources(k);
        job.sources.push_back({source.id(), tasks.at(static_cast<std::size_t>(k)).key,
                               spec::element("sources", k), place_of(source.at()),
                               force_of(source.force()), moment_of(source.moment()),
                               time_function_of(source.time_function())});
    }
    job.receivers = receivers_of(waves.receivers());
}

void set_scheme(const v1::WaveScheme& scheme, WaveJob& job) {
    using voxelwave::Variant;
    job.variant = scheme.element() == "vfem"    ? Variant::Vfem
                  : scheme.product() == "walsh" ? Variant::OvfemWalsh
                  : scheme.product() == "int8"  ? Variant::OvfemInteger
                                                : Variant::OvfemDense;
    job.single = scheme.precision() == "single";
    job.stages = scheme.stages() == 0 ? job.stages : static_cast<int>(scheme.stages());
}

}  // namespace

WaveJob wave_job_from_spec(const v1::VoxelWaves& waves) {
    WaveJob job;
    job.name = waves.name();
    job.title = waves.description().empty() ? waves.name() : waves.description();
    set_model(waves, job);
    set_points(waves, job);
    job.end_s = waves.time().end_s();
    job.step_s = waves.time().step_s();
    job.every = std::max(1, static_cast<int>(waves.time().every()));
    if (waves.has_damping()) {
        job.damping = {waves.damping().ratio(), waves.damping().from_hz(), waves.damping().to_hz()};
    }
    job.absorbing = sides_of(waves.absorbing().sides());
    job.layer_m = waves.absorbing().width_m();
    job.layer_rate_per_s = waves.absorbing().rate_per_s();
    job.fixed_sides = sides_of(waves.fixed());
    job.fixed_corners = std::ranges::find(waves.fixed(), "bottom_corners") != waves.fixed().end();
    set_scheme(waves.solver(), job);
    const v1::WaveOutput& output = waves.output();
    job.snapshots_s = {output.snapshots_s().begin(), output.snapshots_s().end()};
    job.snapshot_stride = std::max(1, static_cast<int>(output.snapshot_stride()));
    job.checkpoint = output.checkpoint() != "none";
    if (output.has_checkpoint_interval_s()) {
        job.checkpoint_interval_s = output.checkpoint_interval_s();
    }
    job.specification_json = spec::canonical_text(waves);
    job.version = KANAME_VERSION;
    return job;
}

}  // namespace kaname::compute
