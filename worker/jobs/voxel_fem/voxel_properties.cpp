// SPDX-License-Identifier: BSD-3-Clause
// Voxels are made of the numbers of a grid, or of the structure of a part of the Earth.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <tuple>

#include "solvers/base/error.hpp"
#include "solvers/earth/columns.hpp"
#include "solvers/h5/file.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"
#include "worker/jobs/voxel_fem/wave_model.hpp"

namespace kaname::jobs {
namespace {

constexpr std::size_t kMostSolids = std::numeric_limits<std::uint16_t>::max();

struct Properties {
    std::vector<float> vp, vs, density;
};

Properties read(const std::string& path, const std::array<int, 3>& voxels) {
    const h5::File file(path, h5::File::Mode::Read);
    const h5::Dims expected = {std::uint64_t(voxels[2]), std::uint64_t(voxels[1]),
                               std::uint64_t(voxels[0])};
    return {file.read<float>("vp", expected), file.read<float>("vs", expected),
            file.read<float>("density", expected)};
}

/// A logarithm in units of `step`; voids are a class of their own.
int level(float value, double step) {
    return value > 0.0F ? static_cast<int>(std::lround(std::log(double(value)) / step))
                        : std::numeric_limits<int>::min();
}

/// Solids by classes of relative width `step`, each with the properties met first; empty when they
/// are too many.
voxelwave::VoxelModel classes(const Properties& p, double step) {
    voxelwave::VoxelModel model;
    std::map<std::tuple<int, int, int>, std::uint16_t> known;
    model.solid_of.reserve(p.vp.size());
    for (std::size_t k = 0; k < p.vp.size(); ++k) {
        const auto [at, fresh] = known.try_emplace(
            std::tuple(level(p.vp[k], step), level(p.vs[k], step), level(p.density[k], step)),
            static_cast<std::uint16_t>(model.solids.size()));
        if (fresh) {
            if (model.solids.size() == kMostSolids) {
                return {};
            }
            const bool nothing = p.vp[k] == 0.0F && p.vs[k] == 0.0F && p.density[k] == 0.0F;
            model.solids.push_back(
                nothing ? voxelwave::Solid()
                        : voxelwave::Solid::of_speeds(p.vp[k], p.vs[k], p.density[k]));
        }
        model.solid_of.push_back(at->second);
    }
    return model;
}

[[noreturn]] void refuse(const std::string& why) {
    throw ValidationError({{"model.grid", why}});
}

void check(const Properties& p, const std::array<int, 3>& voxels) {
    for (std::size_t k = 0; k < p.vp.size(); ++k) {
        const bool nothing = p.vp[k] == 0.0F && p.vs[k] == 0.0F && p.density[k] == 0.0F;
        const double vp = p.vp[k], vs = p.vs[k];
        const bool solid = p.density[k] > 0.0F && vs > 0.0 && 3.0 * vp * vp > 4.0 * vs * vs &&
                           std::isfinite(vp + vs + p.density[k]);
        if (!nothing && !solid) {
            const std::size_t nx = voxels[0], ny = voxels[1];
            std::ostringstream text;
            text << "must have density > 0, vs > 0 and vp > sqrt(4/3) vs, or a void with all three "
                    "0, got vp = "
                 << vp << ", vs = " << vs << ", density = " << p.density[k]
                 << " in the voxel with z, y, x = " << k / (nx * ny) << ", " << k / nx % ny << ", "
                 << k % nx;
            refuse(text.str());
        }
    }
}

}  // namespace

voxelwave::VoxelModel read_wave_grid(const std::string& path, const std::array<int, 3>& voxels,
                                     double ds_m, std::vector<std::string>& notes) {
    Properties properties;
    try {
        properties = read(path, voxels);
    } catch (const Error& error) {
        refuse(error.what());
    }
    check(properties, voxels);
    voxelwave::VoxelModel model;
    double step = 1e-7;  // of single precision
    while ((model = classes(properties, step)).solids.empty()) {
        step *= 4.0;
    }
    if (step > 1e-6) {
        std::ostringstream text;
        text << "model.grid: its solids were rounded to " << model.solids.size()
             << " different ones, by at most " << step * 100.0 << " % of each property";
        notes.push_back(text.str());
    }
    model.voxels = voxels;
    model.ds_m = ds_m;
    return model;
}

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
    earth::VolumeLayout layout = *earth.volumes;
    layout.size_u_m = size_m[0];
    layout.size_v_m = size_m[1];
    layout.depth_m = earth.depth_m;
    layout.azimuth_rad = earth.azimuth_rad;
    earth::BuiltVolumeModel built = build_structure(layout, projection_);
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

std::array<double, 2> EarthSamples::in_box(double x_m, double y_m) const {
    const double c = std::cos(earth_.azimuth_rad), s = std::sin(earth_.azimuth_rad);
    return {c * x_m - s * y_m, s * x_m + c * y_m};
}

std::array<double, 2> EarthSamples::on_map(double x_m, double y_m) const {
    const double c = std::cos(earth_.azimuth_rad), s = std::sin(earth_.azimuth_rad);
    return {c * x_m + s * y_m, c * y_m - s * x_m};
}

}  // namespace kaname::jobs
