// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <vector>

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

/// Part of a vertical line through a model: bottom_m <= z <= top_m lies in `volume`.
struct ColumnPiece {
    int volume = 0;
    double bottom_m = 0.0, top_m = 0.0;
};

/// Cuts vertical lines at the surfaces: exact but for the plan.
class ModelColumns {
public:
    /// Borrows the model.
    explicit ModelColumns(const VolumeModel& model) : model_(&model) {}

    /// Pieces of the line at u, v from the bottom of the box up to the free surface; those of no
    /// thickness are left out. Valid until the next call.
    const std::vector<ColumnPiece>& cut(double u, double v);
    /// Heights of all surfaces where the last line was.
    [[nodiscard]] const Column::Heights& heights() const { return heights_; }

    /// Midpoints of nearly square cells over the plan, `longer` of them along its longer side.
    struct Plan {
        int nu = 0, nv = 0;
        double du = 0.0, dv = 0.0;
    };
    [[nodiscard]] Plan plan(int longer) const;
    [[nodiscard]] double u(const Plan& plan, int i) const {
        return (i + 0.5) * plan.du - 0.5 * model_->size_u_m;
    }
    [[nodiscard]] double v(const Plan& plan, int j) const {
        return (j + 0.5) * plan.dv - 0.5 * model_->size_v_m;
    }

private:
    const VolumeModel* model_;
    Column::Heights heights_{};
    std::vector<ColumnPiece> pieces_;
};

/// Size of every volume [m^3] inside the box, from its bottom to the free surface: thickness, exact
/// on each vertical line, times area, by the midpoint rule with 512 lines along the longer side.
[[nodiscard]] std::vector<double> volumes_m3(const VolumeModel& model);

}  // namespace kaname::earth
