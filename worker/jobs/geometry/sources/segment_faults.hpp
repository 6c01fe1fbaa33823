// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"
#include "worker/jobs/geometry/sources/scenario_models.hpp"

namespace kaname::jobs {

/// How far a place lies from a fault, and the fault's unit normal near it.
struct NearFault {
    double distance_m = 0.0;
    Vec3 normal;
};
/// How near the fault with this index is to a place.
using DistanceToFault = std::function<NearFault(int fault, const Vec3& x)>;

/// Which fault a segment of a slip model slips on; slip at points is one segment.
struct SegmentFault {
    int fault = 0;
    double farthest_m = 0.0;       ///< largest distance from it to a patch that slips
    double lost_potency_m3 = 0.0;  ///< potency of patches beyond the model's max_distance
};

/// Each segment as a whole goes to the fault that its slip lies nearest to, so that no slip counts
/// twice where faults are close to each other: to the least mean, weighted by potency, of
///   distance + (width / 2) sin(angle between patch and fault).
/// Where `given` says which it is [segments], that one.
[[nodiscard]] std::vector<SegmentFault> segments_on_faults(const ScenarioModel& model, int n_faults,
                                                           const DistanceToFault& distance,
                                                           const std::vector<int>& given = {});

/// Distance to the faults of a mesh: to the nearest of their faces. Nothing is borrowed.
[[nodiscard]] DistanceToFault distance_in_mesh(const mesh::TetMesh& mesh);

/// SegmentNotes holds the notes of an estimate on segments: which fault takes which segment, and
/// how far from it they lie. `lost` names patches that are too far away to slip at all, `refused`
/// models that have no others.
struct SegmentNotes {
    std::vector<std::string> notes, lost;
    std::vector<Violation> refused;
};
[[nodiscard]] SegmentNotes notes_of_segments(std::span<const ScenarioModel> models,
                                             const std::vector<std::vector<SegmentFault>>& taken,
                                             const std::vector<std::string>& faults);

}  // namespace kaname::jobs
