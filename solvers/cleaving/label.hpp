// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "solvers/cleaving/complex.hpp"
#include "solvers/cleaving/point_tree.hpp"
#include "solvers/cleaving/thin_layers.hpp"

namespace kaname::cleaving {

/// Where a fault divides the mesh: within `reach_m` [m] of its samples (box frame).
struct FaultZone {
    PointTree samples;
    double reach_m = 0.0;
};

/// Which volumes a point belongs to and which sides of faults, and what parts two points that have
/// nothing in common. Thread safe.
class Labeller {
public:
    /// Borrows the sheets.
    Labeller(const Sheets& sheets, ThinLayers layers, std::vector<FaultZone> zones)
        : sheets_(sheets), layers_(std::move(layers)), zones_(std::move(zones)) {}

    /// Of a vertex at x that lies on the sheets in `met`, or so close to them that it counts.
    [[nodiscard]] Labels at(const Vec3& x, SheetMask met) const;
    /// Volumes that meet at x where the sheets in `met` do: volume_bit of each.
    [[nodiscard]] std::uint64_t volumes_at(const Vec3& x, SheetMask met) const {
        return layers_.volumes_at(x, met);
    }
    [[nodiscard]] const Sheets& sheets() const { return sheets_; }
    [[nodiscard]] int faults() const { return static_cast<int>(zones_.size()); }

    /// The sheet between the ends of an edge in conflict; -1 where no sheet crosses it.
    [[nodiscard]] int sheet_between(const Vec3& p, const Labels& at_p, SheetMask on_p,
                                    const Vec3& q, const Labels& at_q, SheetMask on_q) const;

private:
    const Sheets& sheets_;
    ThinLayers layers_;
    std::vector<FaultZone> zones_;
};

/// Labels of every vertex of a lattice.
[[nodiscard]] Complex label(Lattice lattice, const Labeller& labeller);

}  // namespace kaname::cleaving
