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

/// Predicted error of a station's motion by elements at the slip, a part of the largest motion as
/// far away in any direction (so are all laws from here on):
///   4 % (size / distance)^2,   at most 1,
/// with the distance of the station from the slip, at depth too. The upper edge of what slips is
/// blunted by the size of an element; from where slip goes on to the ground nothing is.
[[nodiscard]] double fault_error(double size_m, double distance_m);

/// Predicted error of a station's motion by elements about the station, a part of that motion:
///   1 % (size / (0.4 distance))^2,   at most 1.
/// They show a motion that falls with the distance from the slip. `size_m` is what they have there
/// beyond the size at the fault: they grow from that in proportion to the distance. It does not
/// depend on the size at the fault.
///
/// Both laws are fits to runs in a uniform half-space against Okada (1985), the first to nine, the
/// second to 66: dips of 5 to 90 degrees, length 1 to 4 widths W, upper edges 0.1 to 2 W deep,
/// elements of W/12 to W/2, growth 0.15 to 0.6, stations to 20 W. Nine of ten stations are less
/// than that off (docs/measured/accuracy.md).
[[nodiscard]] double station_error(double size_m, double distance_m);

/// Parts of a predicted error, each a part of a station's motion, by what causes them.
struct ErrorParts {
    double fault = 0.0;     ///< elements at the slip: fault_error()
    double stations = 0.0;  ///< elements about the station: station_error()
    double layers = 0.0;    ///< elements in thin layers: guide_error(), stiffness_error()
    double box = 0.0;       ///< fixed sides and bottom: box_error()
    double dip = 0.0;       ///< slip that dips gently in rock that relaxes

    /// They have causes of their own: the root of the sum of squares, at most 1.
    [[nodiscard]] double total() const;
};

/// Describes a guide (layer_guides.hpp) whose elements become too large for it.
struct GuideCase {
    double lost = 0.0;           ///< guide_lost(), at a station
    double maxwell_times = 0.0;  ///< time gone by / shortest Maxwell time; 0: elastic
    double stands_out = 1.0;     ///< as Guide has it
    double slips = 1.0;          ///< share of the slip that lies in the guide
};

/// Predicted error of a station's motion beside a guide, at most 1:
///   0.7 % lost of the motion right after the slip,
///   A lost (0.1 + 0.9 T / (T + 3)) stands_out of the change since, T Maxwell times,
/// A = 5 % where a fifth of the slip or more is in the guide, rising to 40 % where none is.
/// An elastic lid over a relaxing mantle guides the motion to stations far away, and beyond them;
/// where its elements are more than some 2.5 thicknesses large it is ragged, and soon gone. Slip
/// below it moves it far less than slip in it, and what is lost is a larger part of that. A fit to
/// sixteen runs, lids of 12 to 50 km, stations to 500 km, 0.8 to 12 Maxwell times
/// (docs/measured/accuracy.md).
[[nodiscard]] double guide_error(const GuideCase& of);

/// Describes the elements in a layer of a lid that is stiffer or softer than others.
struct StiffnessCase {
    double size_m = 0.0;         ///< of elements in the layer, beside a station
    double thickness_m = 0.0;    ///< of the layer
    double share = 0.0;          ///< as LidLayer has it
    double maxwell_times = 0.0;  ///< as GuideCase has it
};

/// Predicted error of a station's motion where elements blunt such a layer, c = size / thickness:
///   share^2 min(1, (c/3.5)^6) of the motion right after the slip,
///   2.3 share^2 min(1, (c/3.5)^6) of the change since; at most 1.
/// Elements as large as that have the rock of a layer's neighbours as often as its own; those
/// of 2.6 thicknesses changed nothing that could be seen. A fit to lids of two to four layers whose
/// stiffness differs up to four times, stations to 500 km (docs/measured/accuracy.md).
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
