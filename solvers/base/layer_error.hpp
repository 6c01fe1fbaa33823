// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kaname {

/// Describes a layer that is thin for its elements.
struct LayerCase {
    /// `size_m` is the size of the layer's elements at twice the station's distance from the slip:
    /// the layer beyond a station guides the motion there as much as the layer before it.
    double size_m = 0.0;
    double thickness_m = 0.0;    ///< of rock that relaxes alike, between rock that does not
    double maxwell_times = 0.0;  ///< time gone by / shortest Maxwell time; 0: elastic
};

/// How much farther from the slip than a station LayerCase::size_m is meant.
inline constexpr double kLayersBeyond = 2.0;

/// Predicted error of a station's motion beside thin layers, c = size / thickness:
///   0.03 % (c / 2)^3 of the motion right after the slip,
///   0.2 % (c / 2)^4 (0.5 + 0.5 T / (T + 3)) of the change since, T Maxwell times; at most 1.
/// An elastic lid over a relaxing mantle guides the motion to stations far away; elements a few
/// times as large as it is thick blunt it, and those ten times as large have none. A fit to slip
/// under a lid of 25 km, stations to 500 km, up to ten Maxwell times (docs/user/accuracy.md), where
/// it is within a factor of three of what was found.
[[nodiscard]] double layer_error(const LayerCase& of);

}  // namespace kaname
