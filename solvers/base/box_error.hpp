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

}  // namespace kaname
