// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/earth/height_field.hpp"
#include "solvers/earth/structure.hpp"
#include "solvers/earth/surface_on_plan.hpp"

namespace kaname::earth {

/// Bit k is set where a point is above surface k.
using SideMask = std::uint64_t;
inline constexpr int kMaxSurfaces = 62;
inline constexpr int kMaxVolumes = 62;
inline constexpr int kAir = -1;  ///< the "volume" above the free surface

struct ModelSurface {
    std::string name;
    HeightField height;
    double extended_fraction = 0.0;  ///< part of the box's plan without data, extended smoothly
    /// Where the surface is neither extended nor limited; null: everywhere. Shared by surfaces laid
    /// below it.
    std::shared_ptr<const DataMask> data = nullptr;
};

/// Which material a volume has at a place: one, or one that changes with depth or from column to
/// column. Indices into VolumeModel::materials.
class MaterialRule {
public:
    virtual ~MaterialRule() = default;
    [[nodiscard]] virtual int material_at(double u, double v, double z) const = 0;
};

struct Volume {
    std::string name;
    int top = -1;     ///< index of a surface; -1: no bound (but the free surface)
    int bottom = -1;  ///< index of a surface; -1: no bound
    std::shared_ptr<const MaterialRule> material;
    double size_m = 0.0;  ///< largest element size in it; 0: none of its own
};

/// Surfaces over the box's plan and the volumes between them, in the frame of HeightField. A point
/// under the free surface belongs to the first volume that contains it, so that surfaces may touch,
/// cross and pinch out: a volume named earlier cuts through those named later.
struct VolumeModel {
    double size_u_m = 0.0, size_v_m = 0.0, depth_m = 0.0;  ///< the box; u, v count from its centre
    std::vector<ModelSurface> surfaces;                    ///< 0 is the free surface
    std::vector<Volume> volumes;                           ///< the last one has no bounds
    std::vector<Material> materials;

    [[nodiscard]] SideMask sides(double u, double v, double z) const;
    /// Index of the volume that a point with these sides belongs to; kAir above surface 0.
    [[nodiscard]] int volume_of(SideMask above) const {
        if ((above & 1U) != 0) {
            return kAir;
        }
        for (std::size_t k = 0; k + 1 < volumes.size(); ++k) {
            const Volume& volume = volumes[k];
            if ((volume.top < 0 || (above >> volume.top & 1U) == 0) &&
                (volume.bottom < 0 || (above >> volume.bottom & 1U) != 0)) {
                return static_cast<int>(k);
            }
        }
        return static_cast<int>(volumes.size()) - 1;
    }
    [[nodiscard]] int volume_at(double u, double v, double z) const {
        return volume_of(sides(u, v, z));
    }
};

}  // namespace kaname::earth
