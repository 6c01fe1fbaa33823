// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/voxel_fem/read_wave_grid.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <tuple>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"

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

}  // namespace kaname::jobs
