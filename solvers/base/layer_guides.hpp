// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace kaname {

/// Describes a layer of rock, from the top down; the last one of a list has no bottom.
struct RockLayer {
    double top_m = 0.0, bottom_m = 0.0;  ///< depths
    double mu_pa = 0.0;
    double maxwell_times = 0.0;  ///< time gone by / its shortest relaxation time; 0: elastic
    [[nodiscard]] double thickness_m() const { return bottom_m - top_m; }
};

/// Describes neighbouring layers, `first` to `last`, that guide motion away from the slip, since
/// they have relaxed less, or more, than what is above and below them: a lid, a channel.
struct Guide {
    std::size_t first = 0, last = 0;
    double thickness_m = 0.0;
    double stands_out = 1.0;  ///< difference to its neighbours over the largest there is; to 1
};

/// Returns the guides in layers, of which one may lie in another. Rock has relaxed by T / (1 + T)
/// after T of its Maxwell times; a layer that has relaxed more than the one above it and less than
/// the one below it is no guide, but part of one. Where nothing relaxes (motion right after the
/// slip) all layers above the lowest are one guide, if stiffnesses differ by 30 %.
[[nodiscard]] std::vector<Guide> guides_in(std::span<const RockLayer> layers);

/// Describes a layer among others that relax alike, together a lid, but differ in stiffness.
struct LidLayer {
    std::size_t layer = 0;
    /// Shear modulus that the layer has more or less than the lid's mean, over the lid: |mu - mean|
    /// thickness / sum of all mu thickness.
    double share = 0.0;
};

/// Returns the layers of all lids, from the top down, but for rock like the lowest.
[[nodiscard]] std::vector<LidLayer> lid_layers_in(std::span<const RockLayer> layers);

/// Returns how much of a guide is lost to a station where elements grow too large for it, for
/// guide_error(): with rho the distance from the slip at which elements are 2.5 thicknesses large
/// (the mean of 2.25, 2.5 and 2.75: it is lost little by little) over the station's,
///   rho^-3 beyond the station,   rho^-2 before it.
/// `size_m`: sizes of elements in the guide at so many times the distance of the station.
[[nodiscard]] double guide_lost(double thickness_m, const std::function<double(double)>& size_m);

}  // namespace kaname
