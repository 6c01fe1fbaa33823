// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "solvers/earth/volume_model.hpp"

namespace kaname::earth {

/// A vertical line through a model, from the top down: the pieces between its surfaces, and runs of
/// pieces that belong to one volume. On the stack, since millions are asked for.
struct Column {
    using Heights = std::array<double, kMaxSurfaces>;
    struct Run {
        int volume = 0;  ///< index of the volume, or kAir
        double top_m = 0.0, bottom_m = 0.0;
        [[nodiscard]] double thickness_m() const { return top_m - bottom_m; }
    };

    int pieces = 0, runs = 0;
    std::array<SideMask, kMaxSurfaces + 1> sides;  ///< [pieces] surfaces it is above
    std::array<int, kMaxSurfaces + 1> run_of;      ///< [pieces] index of its run
    std::array<Run, kMaxSurfaces + 1> run;

    /// The column at u, v, where the surfaces have these heights, down to the bottom of the box.
    Column(const VolumeModel& model, const Heights& heights);
    [[nodiscard]] static Heights heights_at(const VolumeModel& model, double u, double v);
    /// Run `upper` takes in the one below it, and the volume of the thicker of the two.
    void join(int upper);
};

}  // namespace kaname::earth
