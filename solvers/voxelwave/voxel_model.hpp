// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace kaname::voxelwave {

/// An isotropic elastic solid; all zero: a void, in which nothing moves.
struct Solid {
    double bulk_modulus_pa = 0.0, shear_modulus_pa = 0.0, density_kg_per_m3 = 0.0;

    [[nodiscard]] bool is_void() const {
        return bulk_modulus_pa == 0.0 && shear_modulus_pa == 0.0 && density_kg_per_m3 == 0.0;
    }

    [[nodiscard]] double vp_m_per_s() const;
    [[nodiscard]] double vs_m_per_s() const;
    /// From wave speeds. Throws InvalidArgument unless density > 0 and 0 < vs < vp sqrt(3)/2.
    [[nodiscard]] static Solid of_speeds(double vp_m_per_s, double vs_m_per_s,
                                         double density_kg_per_m3);
};

/// A box of cubic voxels, from the origin to (nx, ny, nz) ds, each of one solid. Nodes stand at the
/// voxels' corners.
struct VoxelModel {
    std::array<int, 3> voxels{};  ///< nx, ny, nz
    double ds_m = 0.0;
    std::vector<Solid> solids;
    std::vector<std::uint16_t> solid_of;  ///< [nz][ny][nx] index into solids

    [[nodiscard]] std::array<int, 3> nodes() const {
        return {voxels[0] + 1, voxels[1] + 1, voxels[2] + 1};
    }
    [[nodiscard]] std::int64_t n_voxels() const {
        return std::int64_t{voxels[0]} * voxels[1] * voxels[2];
    }
    [[nodiscard]] std::int64_t n_nodes() const {
        return std::int64_t{voxels[0] + 1} * (voxels[1] + 1) * (voxels[2] + 1);
    }
    [[nodiscard]] std::int64_t node(int x, int y, int z) const {
        return (std::int64_t{z} * (voxels[1] + 1) + y) * (voxels[0] + 1) + x;
    }
    [[nodiscard]] const Solid& solid(int x, int y, int z) const {
        return solids[solid_of[static_cast<std::size_t>(
            (std::int64_t{z} * voxels[1] + y) * voxels[0] + x)]];
    }
    /// Throws InvalidArgument naming what is not a model: no voxels, a size or property that is not
    /// positive and finite, an index without a solid, nothing but voids.
    void check() const;
    /// Nodal masses [nodes] in kg: an eighth of each voxel around it; 0 amid voids. Exact for
    /// OVFEM, lumped for VFEM.
    [[nodiscard]] std::vector<double> masses() const;
};

}  // namespace kaname::voxelwave
