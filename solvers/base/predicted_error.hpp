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

/// Predicted error of a station's motion by elements at the slip, a part of that motion:
///   10 % (size / distance)^2.5,   at most 1,
/// with the distance of the station from the slip, at depth too. The upper edge of what slips is
/// blunted by the size of an element; from where slip goes on to the ground nothing is.
[[nodiscard]] double fault_error(double size_m, double distance_m);

/// Predicted error of a station's motion by elements about the station, a part of that motion:
///   1 % (size / (0.4 distance))^2,   at most 1.
/// They show a motion that falls with the distance from the slip. `size_m` is what they have there
/// beyond the size at the fault: they grow from that in proportion to the distance. It does not
/// depend on the size at the fault.
///
/// Both laws are fits to 66 runs in a uniform half-space against Okada (1985): dips of 5 to 90
/// degrees, length 1 to 4 widths W, upper edges 0.1 to 2 W deep, elements of W/12 to W/2, growth
/// 0.15 to 0.6, stations to 20 W. Nine of ten stations are less than that off; the worst of forty
/// is 0.5 to 2.7 times that off beyond 2 W, 0.3 to 3 times nearer (docs/measured/accuracy.md).
[[nodiscard]] double station_error(double size_m, double distance_m);

/// Parts of a predicted error, each a part of a station's motion, by what causes them.
struct ErrorParts {
    double fault = 0.0;     ///< elements at the slip: fault_error()
    double stations = 0.0;  ///< elements about the station: station_error()
    double layers = 0.0;    ///< elements in thin layers: layer_error(), stiffness_error()
    double box = 0.0;       ///< fixed sides and bottom: box_error()
    double dip = 0.0;       ///< slip that dips gently in rock that relaxes

    /// They have causes of their own: the root of the sum of squares, at most 1.
    [[nodiscard]] double total() const;
};

/// Describes a layer that is thin for its elements.
struct LayerCase {
    /// `size_m` is the size of the layer's elements at twice the station's distance from the slip:
    /// the layer beyond a station guides the motion there as much as the layer before it.
    double size_m = 0.0;
    double thickness_m = 0.0;    ///< of rock that relaxes alike, between rock that does not
    double maxwell_times = 0.0;  ///< time gone by / shortest Maxwell time; 0: elastic
    double here_m = 0.0;         ///< size of the layer's elements beside the station
};

/// How much farther from the slip than a station LayerCase::size_m is meant.
inline constexpr double kLayersBeyond = 2.0;

/// Predicted error of a station's motion beside thin layers, c = size / thickness:
///   0.03 % (c / 2)^3 of the motion right after the slip,
///   0.2 % (c / 2)^4 (0.5 + 0.5 T / (T + 3)) of the change since, T Maxwell times; at most 1,
/// and beside them, with c' = size beside the station / thickness and x = min(1, max(0, c' - 2)),
///   2 % x of the motion right after the slip,   25 % x (0.4 + 0.6 T / (T + 3)) of the change
///   since:
/// a layer whose elements are more than twice as large has a ragged bottom.
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

// Waves near a moment source, in wavelengths of the slowest wave about it at the highest frequency:
// from where on they are right, and where a mesh of tetrahedra follows the source, so that they
// are. The mesh obeys these rules, and content keys of tasks have what it then depends on
// (docs/theory/aderdg.md).

/// Largest number of moment sources that a mesh is fitted to: more are a rupture.
inline constexpr int kMostFittedSources = 16;

/// Order at which elements are smaller between a moment source and a receiver that is near: other
/// orders' balls are smaller, or many of their elements lie between.
inline constexpr int kOrderFittedToReceivers = 4;

/// How much farther than resolved_from() a receiver may be for the mesh to be fitted to it.
inline constexpr double kFittedReceivers = 1.2;

/// Returns the wavelengths from a moment source from which on the misfit is 5 % or less: the few
/// large elements of high orders do not show a near field as near.
[[nodiscard]] inline double resolved_from(int order) {
    return order <= 5 ? 1.0 / 3.0 : order == 6 ? 0.5 : 0.67;
}

/// Returns true where elements at moment sources are half as large, whatever the distance of
/// receivers: below 3.25 elements in a wavelength at order 3, whose ball is too large otherwise,
/// and below 1.9 at order 7, where the few elements around a source do not show its near field.
/// `per_wavelength`: as asked for; 0: as many as the order takes by itself, 7.3 and 1.1.
[[nodiscard]] inline bool smaller_at_moment_sources(int order, double per_wavelength) {
    constexpr double kFewestAtThree = 3.25, kFewestAtSeven = 1.9;
    return (order == 3 && per_wavelength > 0.0 && per_wavelength < kFewestAtThree) ||
           (order == 7 && per_wavelength < kFewestAtSeven);
}

}  // namespace kaname
