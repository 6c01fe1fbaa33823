// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"

namespace kaname::slip_model {

/// Patches of one segment as a grid. With p = i - (n_strike - 1)/2, q = j - (n_dip - 1)/2, the
/// centre of patch (i, j) is
///   X = origin + p strike_step + q dip_step + (p^2 - mean p^2) strike_bend + p q twist
///       + (q^2 - mean q^2) dip_bend,
/// fitted to all centres. The second-order terms hold what a flat-Earth grid of degrees looks like
/// in the map: for the 570 km of Tohoku 2011 its rows bend by 3 degrees.
struct PatchGrid {
    int n_strike = 0, n_dip = 0;
    Vec3 origin, strike_step, dip_step;
    Vec3 strike_bend, twist, dip_bend;
    std::vector<std::int32_t> patch;  ///< [n_dip][n_strike]: index into the segment's patches; -1:
                                      ///< a cell without one, that does not slip

    /// Real-valued indices of the point projected on the grid's surface, and the distance from it.
    struct At {
        double i = 0.0, j = 0.0;
        double distance_m = 0.0;  ///< signed, > 0 in the hanging wall; infinite: no projection
    };
    [[nodiscard]] At locate(const Vec3& x) const;
};

/// Finds the grid from the centres alone, whatever the order of the rows: neighbours are looked for
/// one length along strike and one width down dip, and the grid is fitted to all centres, so that
/// a strike a degree off the grid's does no harm. Cells may be missing, as where a publisher leaves
/// out those without slip. Nothing when the patches differ in size by over 1 %, are less than a
/// quarter of the grid's cells, stand there twice, or lie over a quarter of a patch from their
/// place.
[[nodiscard]] std::optional<PatchGrid> find_grid(std::span<const PlacedPatch> patches,
                                                 const PlacedSegment& plane);

}  // namespace kaname::slip_model
