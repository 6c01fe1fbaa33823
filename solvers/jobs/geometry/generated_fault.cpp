// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/generated_fault.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/jobs/geometry/job_geometry.hpp"
#include "solvers/jobs/geometry/mesh_boundaries.hpp"
#include "solvers/jobs/geometry/volume_plan.hpp"

namespace kaname::jobs {
namespace {

/// Nodes of a P2 mesh from vertices and tets: edges = V + T + B/2 - 1 (Euler), B boundary faces,
/// about 12 V^(2/3) for a box.
std::int64_t estimate_nodes(const meshing::MeshSource::Count& count) {
    const double v = static_cast<double>(count.vertices);
    return static_cast<std::int64_t>(2.0 * v + static_cast<double>(count.tets) +
                                     6.0 * std::pow(v, 2.0 / 3.0));
}

}  // namespace

void GeneratedFault::mesh_volumes(std::vector<RequestedFault> faults) {
    names_.clear();
    for (const RequestedFault& fault : faults) {
        names_.push_back(fault.request.name);
        if (!thinnest_ || fault.part.least_m < thinnest_->least_m) {
            thinnest_ = fault.part;
        }
    }
    plan_ = std::make_unique<VolumePlan>(job(), domain(), std::move(faults));
}

void GeneratedFault::find_segment_faults(int n_faults, const DistanceToFault& distance,
                                         const std::vector<std::vector<int>>& given) {
    for (std::size_t model = 0; model < models_.size(); ++model) {
        segments_.push_back(segments_on_faults(models_[model], n_faults, distance,
                                               given.empty() ? std::vector<int>() : given[model]));
    }
}

std::vector<std::string> GeneratedFault::warnings() const {
    std::vector<std::string> result;
    if (thinnest_ && thinnest_->least_m < thinnest_->size_m) {
        result.push_back("fault: it comes up under the ground at less than " +
                         number(kThinWedge_rad / kDegree) +
                         " degrees; elements in the wedge above it are as small as " +
                         number(thinnest_->least_m) + " m");
        if (thinnest_->top_m == 0.0) {
            result.back() += ", and where the wedge is thinner than about " +
                             number(kBlunted * thinnest_->least_m) +
                             " m the fault's mesh leaves the fault for the ground: stations on "
                             "that part move with the footwall; a smaller mesh.size_at_fault "
                             "makes it narrower";
        }
    }
    std::ranges::move(plan_->warnings(), std::back_inserter(result));
    std::ranges::copy(job().volume_model->notes, std::back_inserter(result));
    return result;
}

void GeneratedFault::survey(const JobGeometry& geometry, Survey& survey) const {
    survey.slips_in_viscous_rock = slips_in_viscous_rock(geometry.slip());
    survey.violations = geometry.check();
    SegmentNotes segments = notes_of_segments(models_, segments_, names_);
    std::ranges::move(segments.notes, std::back_inserter(survey.notes));
    std::ranges::move(segments.lost, std::back_inserter(survey.warnings));
    check_side_data(job(), geometry, survey.violations);
    std::ranges::move(geometry.warnings(), std::back_inserter(survey.warnings));
    const auto count = geometry.estimate_mesh();
    survey.vertices = count.vertices;
    survey.tets = count.tets;
    survey.nodes = estimate_nodes(count);
}

NearFault near_fault(const fault::FaultSurface& fault, const std::optional<PlaneOutline>& plane,
                     const Vec3& x) {
    const fault::FaultCoordinates at = fault.coordinates(x);
    const Vec3 normal = fault.normal(at);
    const double across = dot(x - fault.point(at), normal);
    if (!plane) {
        return {std::abs(across), normal};
    }
    const double half = 0.5 * plane->length_m;
    const double s = std::max({-half - at.s, 0.0, at.s - half});
    const double d = std::max({-at.d, 0.0, at.d - plane->width_m});
    return {std::hypot(across, s, d), normal};
}

meshing::FaultWindow window_of(const fault::FaultSurface& fault,
                               std::span<const ScenarioModel> models, double cell_m,
                               const ModelFilter& of) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    meshing::FaultWindow window{kInf, -kInf, kInf, -kInf};
    for (std::size_t model = 0; model < models.size(); ++model) {
        const auto segments = [&](int segment) { return of(model, segment); };
        for (const Vec3& x : models[model].outline(cell_m, segments)) {
            const fault::FaultCoordinates at = fault.coordinates(x);
            window.s_min = std::min(window.s_min, at.s);
            window.s_max = std::max(window.s_max, at.s);
            window.d_min = std::min(window.d_min, at.d);
            window.d_max = std::max(window.d_max, at.d);
        }
    }
    return window;
}

}  // namespace kaname::jobs
