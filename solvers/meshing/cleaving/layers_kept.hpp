// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::cleaving {

/// Distance from the fault within which layers are reported.
inline constexpr double kNearFault_m = 100e3;

/// Describes a volume of the model near the points at which sizes are requested, and the part of it
/// that the mesh keeps.
struct LayerKept {
    double model_m3 = 0.0, left_m3 = 0.0;
    /// Areas on the plan (times the runs that lie on each other): its extent, and the part where it
    /// is thinner than kSuits of the size asked for in its middle.
    double extent_m2 = 0.0, thin_m2 = 0.0;
};

/// Estimates how much of each volume is kept, from vertical lines on a grid over the plan of the
/// points and `around_m` about it; over the whole box without points. The part left is what remains
/// when thin layers have merged (ThinLayers).
[[nodiscard]] std::vector<LayerKept> layers_kept(const VolumeMeshParams& params, double around_m);

/// Estimates how much is kept as above; the part left is what the mesh has.
[[nodiscard]] std::vector<LayerKept> layers_kept(const VolumeMeshParams& params,
                                                 const mesh::TetMesh& mesh, double around_m);

/// Where a fault divides the mesh: within `reach_m` [m] of samples (box frame), which may lie in
/// groups of their own reach.
struct FaultZone {
    struct Group {
        PointTree samples;
        double reach_m = 0.0;
    };
    std::vector<Group> groups;

    FaultZone() = default;
    FaultZone(PointTree samples, double reach_m) {
        groups.push_back({std::move(samples), reach_m});
    }
    [[nodiscard]] bool holds(const Vec3& x) const {
        return std::ranges::any_of(groups, [&](const Group& group) {
            return group.samples.distance_m(x, group.reach_m) < group.reach_m;
        });
    }
};

/// Which volumes a point belongs to and which sides of faults, and what parts two points that have
/// nothing in common. Thread safe.
class Labeller {
public:
    /// Borrows the sheets.
    Labeller(const Sheets& sheets, std::vector<FaultZone> zones)
        : Labeller(sheets, std::move(zones), ThinLayers(sheets.model())) {}
    Labeller(const Sheets& sheets, std::vector<FaultZone> zones, const ThinLayers& layers)
        : sheets_(sheets), layers_(layers), zones_(std::move(zones)) {}

    /// Labels of a vertex at x that lies on the sheets in `met`, or so close that it counts.
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
