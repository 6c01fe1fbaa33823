// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/meshing/cleaving/lattice.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::cleaving {

/// Bit k: a vertex lies on sheet k.
using SheetMask = std::uint64_t;

/// Sheets are the surfaces to which the mesh conforms, in the box frame: the model's surfaces, then
/// the planes of faults.
class Sheets {
public:
    Sheets(std::shared_ptr<const earth::VolumeModel> model, std::span<const FaultRequest> faults,
           const meshing::Box& box);

    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] int surfaces() const { return surfaces_; }
    [[nodiscard]] const earth::VolumeModel& model() const { return *model_; }
    /// Sheet of fault f.
    [[nodiscard]] int of_fault(int fault) const { return fault_sheet_[fault]; }
    /// Sheets that no vertex counts as lying on that has not been moved there.
    [[nodiscard]] SheetMask sharp() const { return sharp_; }
    /// Rank of a sheet where several could have a vertex: 0 the free surface, then faults, then
    /// the surfaces in the order of the volumes that they bound.
    [[nodiscard]] int rank(int sheet) const { return rank_[sheet]; }
    /// 0 of the free surface, then one number for each fault's sheet, and one for all others.
    [[nodiscard]] int precedence(int sheet) const {
        return sheet < 0 ? lowest_precedence_ : std::min(rank_[sheet], lowest_precedence_);
    }
    /// > 0 on the plus side (above) [m]; not a distance, but zero on the sheet and continuous.
    [[nodiscard]] double above(int sheet, const Vec3& x) const;
    /// Distance along the normal to first order, signed as above() [m].
    [[nodiscard]] double distance_m(int sheet, const Vec3& x) const;
    /// A point of the sheet close to x; coordinates held by walls stay.
    [[nodiscard]] Vec3 project(int sheet, const Vec3& x, Walls walls) const;
    /// A point of all sheets close to x; false where none was found within `reach_m` of x.
    bool project_all(SheetMask on, Vec3& x, Walls walls, double reach_m) const;
    /// Where the segment from p to q crosses the sheet: 0..1; the signs at the ends must differ.
    [[nodiscard]] double crossing(int sheet, const Vec3& p, const Vec3& q) const;

private:
    std::shared_ptr<const earth::VolumeModel> model_;
    struct Plane {
        Vec3 point, normal;
    };
    std::vector<Plane> planes_;
    std::vector<int> fault_sheet_, rank_;
    SheetMask sharp_ = 0;
    int surfaces_ = 0, count_ = 0, lowest_precedence_ = 0;
};

}  // namespace kaname::cleaving
