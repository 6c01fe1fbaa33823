// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/voxel_waves/sample_earth.hpp"

#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/earth/model_columns.hpp"
#include "solvers/jobs/geometry/build_volumes.hpp"

namespace kaname::jobs {
namespace {

voxelwave::Solid solid_of(const earth::Material& material) {
    return {material.kappa_pa(), material.mu_pa, material.density_kg_m3};
}

}  // namespace

EarthSamples::EarthSamples(const WaveEarth& earth, const std::array<double, 3>& size_m)
    : earth_(earth), size_m_(size_m), projection_(earth.centre) {
    if (!earth.volumes) {
        return;
    }
    earth::VolumeModelSpec spec = *earth.volumes;
    spec.size_u_m = size_m[0];
    spec.size_v_m = size_m[1];
    spec.depth_m = earth.depth_m;
    spec.azimuth_rad = earth.azimuth_rad;
    earth::BuiltVolumeModel built = build_structure(spec, projection_);
    volumes_ = std::move(built.model);
    notes_ = std::move(built.notes);
}

voxelwave::VoxelModel EarthSamples::sample(const std::array<int, 3>& voxels, double ds_m) const {
    voxelwave::VoxelModel model;
    model.voxels = voxels;
    model.ds_m = ds_m;
    for (const earth::Material& material :
         volumes_ ? volumes_->materials : earth_.layers.materials) {
        model.solids.push_back(solid_of(material));
    }
    const auto nothing = static_cast<std::uint16_t>(model.solids.size());
    model.solids.emplace_back();
    model.solid_of.assign(static_cast<std::size_t>(model.n_voxels()), nothing);
    const auto height = [&](int z) { return (z + 0.5) * ds_m - earth_.depth_m; };
    const auto at = [&](int x, int y, int z) -> std::uint16_t& {
        return model.solid_of[(std::size_t(z) * voxels[1] + y) * voxels[0] + x];
    };
    if (!volumes_) {
        for (int z = 0; z < voxels[2] && height(z) < 0.0; ++z) {
            const auto solid =
                static_cast<std::uint16_t>(earth_.layers.material_at(-height(z), 0.0));
            std::fill_n(&at(0, 0, z), std::size_t(voxels[0]) * voxels[1], solid);
        }
        return model;
    }
    earth::ModelColumns columns(*volumes_);
    for (int y = 0; y < voxels[1]; ++y) {
        for (int x = 0; x < voxels[0]; ++x) {
            const double u = (x + 0.5) * ds_m - 0.5 * size_m_[0];
            const double v = (y + 0.5) * ds_m - 0.5 * size_m_[1];
            for (const earth::ColumnPiece& piece : columns.cut(u, v)) {
                const earth::Volume& volume = volumes_->volumes[piece.volume];
                const int from = std::max(
                    0, static_cast<int>(std::ceil((piece.bottom_m + earth_.depth_m) / ds_m - 0.5)));
                for (int z = from; z < voxels[2] && height(z) < piece.top_m; ++z) {
                    at(x, y, z) =
                        static_cast<std::uint16_t>(volume.material->material_at(u, v, height(z)));
                }
            }
        }
    }
    return model;
}

std::array<double, 2> EarthSamples::east_north_m(const earth::LonLat& at) const {
    const earth::MapPoint point = projection_.forward(at);
    const double c = std::cos(earth_.azimuth_rad), s = std::sin(earth_.azimuth_rad);
    return {c * point.x_m - s * point.y_m, s * point.x_m + c * point.y_m};
}

}  // namespace kaname::jobs
