// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/earth/column.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"

namespace kaname::cleaving {

inline constexpr std::uint64_t kAirBit = std::uint64_t{1} << 63;

[[nodiscard]] inline std::uint64_t volume_bit(int volume) {
    return volume == earth::kAir ? kAirBit : std::uint64_t{1} << volume;
}

/// Volumes that meet at a point: volume_bit of each, and, bit by bit, which part of it that may be
/// where another volume cuts it in two on a vertical line. Both bits where nothing cuts it.
struct VolumeSet {
    std::uint64_t volumes = 0;
    std::uint64_t upper = ~std::uint64_t{0}, lower = ~std::uint64_t{0};
};

/// The volumes that a mesh can show: on every vertical line a layer thinner than a part of the
/// element size there joins the thinner one of its neighbours, and the two take the volume of the
/// thicker (so that thin layers on each other become one, before they join a thick one). Without
/// this a layer about as thin as an element is there in some elements and not in others.
class ThinLayers {
public:
    /// All layers stay. Borrows the model.
    explicit ThinLayers(const earth::VolumeModel& model)
        : model_(&model), slabs_(slabs_of(model)) {}
    /// Borrows both.
    ThinLayers(const earth::VolumeModel& model, const SizeField& sizes, double part)
        : model_(&model), sizes_(&sizes), part_(part), slabs_(slabs_of(model)) {}

    /// Volumes that meet at x, which lies on the surfaces in `on`.
    [[nodiscard]] VolumeSet at(const Vec3& x, earth::SideMask on) const;
    [[nodiscard]] std::uint64_t volumes_at(const Vec3& x, earth::SideMask on) const {
        return at(x, on).volumes;
    }

private:
    /// Volumes with a top and a bottom, which may have the same volume above and below.
    [[nodiscard]] static std::uint64_t slabs_of(const earth::VolumeModel& model);
    void merge(double u, double v, earth::Column& column) const;
    void add_run(const earth::Column& column, int run, VolumeSet& set) const;

    const earth::VolumeModel* model_;
    const SizeField* sizes_ = nullptr;
    double part_ = 0.0;
    std::uint64_t slabs_ = 0;
};

}  // namespace kaname::cleaving
