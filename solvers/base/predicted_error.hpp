// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kaname {

/// Describes where a station is among the slip, the fixed sides and bottom, and viscous rock.
struct BoxCase {
    double station_m = 0.0;      ///< distance of the station from the slip
    double side_m = 0.0;         ///< distance of the slip from the nearest side or the bottom
    double lid_m = 0.0;          ///< depth of the first viscous rock under the slip
    double maxwell_times = 0.0;  ///< time gone by / shortest Maxwell time; 0: elastic
};

/// Predicted part of the station's motion that fixed sides and bottom take away:
///   xi^2 (0.27 + 0.75 xi) (1 + 11.5 T / (T + 13.3) exp(-r / 2.5 H)),   xi = r / D,
/// r the station's distance, D the sides', T Maxwell times, H the lid; 1 where the station is as
/// far as the sides. The image of the slip at a fixed side falls with the square of its distance;
/// as the mantle relaxes motion reaches further, and the sides with it. A fit to runs in boxes of
/// 300 to 4,000 km against the largest, thrust of 60 km x 30 km, lids of 15, 30 and 60 km, up to
/// ten Maxwell times (docs/user/accuracy.md); there it is within a factor of 1.4 of what was found.
[[nodiscard]] double box_error(const BoxCase& of);

/// Distance [m] that sides and bottom need from the slip for that error. `error` in (0, 0.5].
[[nodiscard]] double side_needed_m(BoxCase of, double error);

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

/// Describes a layer among others that relax alike, together a lid, but differ in stiffness.
struct StiffnessCase {
    double size_m = 0.0;       ///< of elements in the layer, beside a station
    double thickness_m = 0.0;  ///< of the layer
    /// Shear modulus that the layer has more or less than the lid's mean, over the lid: |mu - mean|
    /// thickness / sum of all mu thickness.
    double share = 0.0;
    double maxwell_times = 0.0;  ///< as LayerCase has it
};

/// Predicted error of a station's motion where elements blunt such a layer, c = size / thickness:
///   share^2 min(1, (c/3)^4) of the motion right after the slip,
///   2.3 share^2 min(1, (c/3)^4) of the change since; at most 1.
/// Elements three times as large as the layer is thick have the rock of its neighbours as often as
/// its own. A fit to lids of two to four layers whose stiffness differs up to four times, stations
/// to 500 km (docs/user/accuracy.md), where it is within a factor of two of what was found.
[[nodiscard]] double stiffness_error(const StiffnessCase& of);

}  // namespace kaname
