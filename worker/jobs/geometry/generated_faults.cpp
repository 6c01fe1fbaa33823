// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/generated_faults.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/geometry/mesh_boundaries.hpp"
#include "worker/jobs/geometry/sources/fault_patches.hpp"
#include "worker/jobs/geometry/sources/model_planes.hpp"
#include "worker/jobs/geometry/volume_plan.hpp"

namespace kaname::jobs {
namespace {

/// Planes of slip models share a mesh where they are so many sizes apart: windows go beyond the
/// slip, and none may cut another where it slips.
constexpr double kApart = kMarginInVolumes + 0.5;

/// Nodes of a P2 mesh from vertices and tets: edges = V + T + B/2 - 1 (Euler), B boundary faces,
/// about 12 V^(2/3) for a box.
std::int64_t estimate_nodes(const meshing::MeshSource::Count& count) {
    const double v = static_cast<double>(count.vertices);
    return static_cast<std::int64_t>(2.0 * v + static_cast<double>(count.tets) +
                                     6.0 * std::pow(v, 2.0 / 3.0));
}

/// In the model frame. Throws ValidationError (field) where the middle of the upper edge lies
/// outside of the region.
PlaneOutline outline_of(const Domain& domain, const PlaneGeometry& plane,
                        const std::string& field) {
    const earth::LonLat centre{plane.centre_lon_deg, plane.centre_lat_deg};
    const auto at = domain.projection().forward(centre);
    if (!domain.inside_box({at.x_m, at.y_m, -plane.top_depth_m})) {
        throw ValidationError(std::vector<Violation>{
            {field, "centre must lie inside the region, got " + number(at.x_m / 1000.0) +
                        " km east and " + number(at.y_m / 1000.0) +
                        " km north of the region's centre, at depth " + number(plane.top_depth_m) +
                        " m"}});
    }
    return {{at.x_m, at.y_m, -plane.top_depth_m},
            domain.grid_azimuth_rad(centre, plane.strike_deg),
            plane.dip_deg * kDegree,
            plane.length_m,
            plane.width_m};
}

std::vector<fault::UnitSource> sources_on(const std::vector<fault::Patch>& patches,
                                          const FaultPatches& grid) {
    std::vector<fault::UnitSource> sources;
    for (const UnitSlip& source : grid.sources) {
        sources.push_back({source.id, source.component, source.rake_deg * kDegree,
                           patches.at(static_cast<std::size_t>(source.patch))});
    }
    return sources;
}

/// Distance to a plane's rectangle, or across an interface.
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

SectionFrame section_of_slip(std::span<const ScenarioModel> models, const ModelFilter& of) {
    const SlipFrame frame = frame_of(models, of);
    return {frame.centre.x, frame.centre.y, frame.strike_rad};
}

/// In the fault's coordinates, around all that slips of the models.
meshing::FaultWindow window_of_slip(const fault::FaultSurface& fault,
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

}  // namespace

GeneratedFaults::GeneratedFaults(const GreensJob& job, const Domain& domain,
                                 std::span<const ScenarioModel> models)
    : FaultModel(job, domain), models_(models) {
    for (const NamedFault& named : named_faults(job)) {
        if (const auto* plane = std::get_if<PlaneGeometry>(&named.fault)) {
            add_plane(named, outline_of(domain, *plane, named.field + ".plane"), plane->open);
        } else {
            add_interface(named, std::get<InterfaceGeometry>(named.fault));
        }
    }
    PlanesOfModels found;
    if (std::holds_alternative<PlaneOfSlipModel>(job.fault)) {
        found = planes_of(models, job.mesh.size_at_fault_m);
        const bool alone = found.planes.size() == 1;
        for (std::size_t k = 0; k < found.planes.size(); ++k) {
            add_plane({alone ? "" : "plane-" + std::to_string(k + 1), "fault", {}},
                      found.planes[k]);
        }
    }
    find_segments(found.of_segment);
    request_mesh();
}

void GeneratedFaults::add_plane(const NamedFault& named, const PlaneOutline& plane,
                                const OpenEdges& open) {
    const fault::PlaneFault surface(plane.top_centre, plane.strike_rad, plane.dip_rad);
    One& fault = faults_.emplace_back(One{named.name, named.field});
    fault.surface = std::make_unique<fault::PlaneFault>(surface);
    fault.plane = plane;
    if (of_scenario()) {  // the models' slip ends inside of it
        fault.window = window_to_ground(domain(), plane);
    } else {
        add_patches(patches_in_volumes(job(), domain(), surface, plane, named.patches, open,
                                       named.field + ".plane"),
                    named.patches);
    }
}

void GeneratedFaults::add_interface(const NamedFault& named, const InterfaceGeometry& interface) {
    One& fault = faults_.emplace_back(One{named.name, named.field});
    fault.of = interface.of;
    fault.section = of_scenario() ? section_of_slip(models_, [](std::size_t, int) { return true; })
                                  : section_of(domain(), interface);
    fault.surface = interface_in_volumes(domain(), fault.of, fault.section);
    if (!of_scenario()) {
        add_patches(patches_in_volumes(domain(), interface, named.patches,
                                       named.field + ".interface.patches"),
                    named.patches);
    }
}

void GeneratedFaults::add_patches(PatchesInVolumes made, const FaultPatches& of_job) {
    One& fault = faults_.back();
    fault.window = made.window;
    fault.patches = std::move(made.grid);
    fault.patches.fault = fault.name;
    fault.patches.index = static_cast<std::int32_t>(faults_.size()) - 1;
    fault.patches.surface = fault.surface.get();
    fault.patches.sources = sources_on(fault.patches.patches, of_job);
}

void GeneratedFaults::find_segments(const std::vector<std::vector<int>>& given) {
    const auto distance = [&](int fault, const Vec3& x) {
        const One& of = faults_[static_cast<std::size_t>(fault)];
        return near_fault(*of.surface, of.plane, x);
    };
    for (std::size_t model = 0; model < models_.size(); ++model) {
        segments_.push_back(segments_on_faults(models_[model], static_cast<int>(faults_.size()),
                                               distance,
                                               given.empty() ? std::vector<int>() : given[model]));
    }
}

void GeneratedFaults::lay_about_slip(One& fault, int index) const {
    const auto takes = [&](const SegmentFault& segment) { return segment.fault == index; };
    if (std::ranges::none_of(segments_, [&](const auto& of_model) {
            return std::ranges::any_of(of_model, takes);
        })) {
        throw ValidationError({{fault.field,
                                "must have slip on it: no segment of a slip model lies nearest "
                                "to it"}});
    }
    const auto here = [&](std::size_t model, int segment) {
        return takes(segments_[model][static_cast<std::size_t>(segment)]);
    };
    fault.section = section_of_slip(models_, here);
    fault.surface = interface_in_volumes(domain(), fault.of, fault.section);
    fault.window = window_of_slip(*fault.surface, models_, job().mesh.size_at_fault_m, here);
}

std::vector<int> GeneratedFaults::mesh_of_faults() const {
    // Snapshots of the volume are those of one mesh.
    if (!std::holds_alternative<PlaneOfSlipModel>(job().fault) ||
        !job().scenario->volume.epochs_s.empty()) {
        return {};
    }
    std::vector<PlaneOutline> planes;
    for (const One& fault : faults_) {
        planes.push_back(*fault.plane);
    }
    if (planes.empty()) {
        return {};  // sides alone move
    }
    std::vector<int> mesh = meshes_of_planes(planes, kApart * job().mesh.size_at_fault_m);
    return std::ranges::max(mesh) > 0 ? mesh : std::vector<int>();
}

void GeneratedFaults::request_mesh() {
    std::vector<RequestedFault> requested;
    for (One& fault : faults_) {
        if (fault.plane) {
            requested.push_back(request_plane(
                job(), domain(), static_cast<fault::PlaneFault&>(*fault.surface), fault.window));
        } else {
            if (of_scenario()) {
                lay_about_slip(fault, static_cast<int>(requested.size()));
            }
            requested.push_back(request_interface(
                job(), domain(), fault.of, static_cast<fault::InterfaceFault&>(*fault.surface),
                fault.section, fault.window));
        }
        const FaultPart& part = requested.back().part;
        if (!thinnest_ || part.least_m < thinnest_->least_m) {
            thinnest_ = part;
        }
        std::string& name = requested.back().request.name;
        name = fault.name.empty() ? name : fault.name;
        names_.push_back(name);
    }
    if (std::vector<int> mesh = mesh_of_faults(); !mesh.empty()) {
        n_parts_ = std::ranges::max(mesh) + 1;
        plan_ = std::make_unique<SeveralMeshes>(job(), domain(), std::move(requested),
                                                std::move(mesh), names_);
    } else {
        plan_ = std::make_unique<VolumePlan>(job(), domain(), std::move(requested));
    }
}

std::unique_ptr<SourceSet> GeneratedFaults::own_sources() const {
    std::vector<PatchGrid> grids;
    for (const One& fault : faults_) {
        grids.push_back(fault.patches);
    }
    return std::make_unique<PatchSources>(job(), domain(), std::move(grids));
}

std::vector<std::string> GeneratedFaults::warnings() const {
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

void GeneratedFaults::survey(const JobGeometry& geometry, Survey& survey) const {
    survey.slips_in_viscous_rock = slips_in_viscous_rock(geometry.slip());
    survey.violations = geometry.check();
    SegmentNotes segments = notes_of_segments(models_, segments_, names_);
    std::ranges::move(segments.notes, std::back_inserter(survey.notes));
    if (n_parts_ > 1) {
        survey.notes.push_back(
            "mesh: planes of the slip models cross or nearly touch: they lie in " +
            std::to_string(n_parts_) + " meshes of the whole model, whose motion is summed");
    }
    std::ranges::move(segments.lost, std::back_inserter(survey.warnings));
    std::ranges::move(segments.refused, std::back_inserter(survey.violations));
    check_side_data(job(), geometry, survey.violations);
    std::ranges::move(geometry.warnings(), std::back_inserter(survey.warnings));
    const auto count = geometry.estimate_mesh();
    survey.vertices = count.vertices;
    survey.tets = count.tets;
    survey.nodes = estimate_nodes(count);
}

}  // namespace kaname::jobs
