// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/voxel_model.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::voxelwave {
namespace {

void require_positive(const std::string& name, double value) {
    if (!(value > 0.0 && std::isfinite(value))) {
        std::ostringstream text;
        text << name << " must be positive, got " << value;
        throw Error(ErrorCode::InvalidArgument, text.str());
    }
}

}  // namespace

double Solid::vp_m_per_s() const {
    return std::sqrt((bulk_modulus_pa + 4.0 / 3.0 * shear_modulus_pa) / density_kg_per_m3);
}

double Solid::vs_m_per_s() const {
    return std::sqrt(shear_modulus_pa / density_kg_per_m3);
}

Solid Solid::of_speeds(double vp_m_per_s, double vs_m_per_s, double density_kg_per_m3) {
    require_positive("density_kg_per_m3", density_kg_per_m3);
    require_positive("vs_m_per_s", vs_m_per_s);
    Solid solid;
    solid.density_kg_per_m3 = density_kg_per_m3;
    solid.shear_modulus_pa = density_kg_per_m3 * vs_m_per_s * vs_m_per_s;
    solid.bulk_modulus_pa =
        density_kg_per_m3 * vp_m_per_s * vp_m_per_s - 4.0 / 3.0 * solid.shear_modulus_pa;
    if (!(solid.bulk_modulus_pa > 0.0 && std::isfinite(solid.bulk_modulus_pa))) {
        std::ostringstream text;
        text << "vp_m_per_s must be above 2/sqrt(3) of vs_m_per_s = " << vs_m_per_s << ", got "
             << vp_m_per_s;
        throw Error(ErrorCode::InvalidArgument, text.str());
    }
    return solid;
}

void VoxelModel::check() const {
    for (const int n : voxels) {
        if (n < 1) {
            throw Error(ErrorCode::InvalidArgument,
                        "voxels must be at least 1 along each axis, got " + std::to_string(n));
        }
    }
    require_positive("ds_m", ds_m);
    if (std::ranges::all_of(solids, &Solid::is_void)) {
        throw Error(ErrorCode::InvalidArgument, "solids must have one that is no void");
    }
    for (std::size_t k = 0; k < solids.size(); ++k) {
        if (solids[k].is_void()) {
            continue;
        }
        const std::string of = "solids[" + std::to_string(k) + "].";
        require_positive(of + "bulk_modulus_pa", solids[k].bulk_modulus_pa);
        require_positive(of + "shear_modulus_pa", solids[k].shear_modulus_pa);
        require_positive(of + "density_kg_per_m3", solids[k].density_kg_per_m3);
    }
    if (std::ssize(solid_of) != n_voxels()) {
        throw Error(ErrorCode::InvalidArgument, "solid_of must have " + std::to_string(n_voxels()) +
                                                    " numbers, one per voxel, got " +
                                                    std::to_string(solid_of.size()));
    }
    for (std::size_t k = 0; k < solid_of.size(); ++k) {
        if (solid_of[k] >= solids.size()) {
            throw Error(ErrorCode::InvalidArgument,
                        "solid_of[" + std::to_string(k) + "] must be below " +
                            std::to_string(solids.size()) + ", the number of solids, got " +
                            std::to_string(solid_of[k]));
        }
    }
}

std::vector<double> VoxelModel::masses() const {
    std::vector<double> mass(static_cast<std::size_t>(n_nodes()), 0.0);
    const double eighth = ds_m * ds_m * ds_m / 8.0;
    const auto plane = [&](std::int64_t z) {
        for (int y = 0; y <= voxels[1]; ++y) {
            for (int x = 0; x <= voxels[0]; ++x) {
                double sum = 0.0;
                for (int corner = 0; corner < 8; ++corner) {
                    const std::int64_t vx = x - (corner & 1), vy = y - (corner >> 1 & 1),
                                       vz = z - (corner >> 2);
                    if (vx >= 0 && vx < voxels[0] && vy >= 0 && vy < voxels[1] && vz >= 0 &&
                        vz < voxels[2]) {
                        sum += solids[solid_of[(vz * voxels[1] + vy) * voxels[0] + vx]]
                                   .density_kg_per_m3;
                    }
                }
                mass[node(x, y, static_cast<int>(z))] = eighth * sum;
            }
        }
    };
    parallel_for(voxels[2] + 1, plane, 1);
    return mass;
}

}  // namespace kaname::voxelwave
