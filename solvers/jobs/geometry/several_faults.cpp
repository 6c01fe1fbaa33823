// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/several_faults.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"
#include "solvers/jobs/geometry/fault_in_volumes.hpp"
#include "solvers/jobs/geometry/plane_fault.hpp"
#include "solvers/jobs/geometry/several_patches.hpp"

namespace kaname::jobs {
namespace {

SectionFrame section_of_slip(const SlipFrame& frame) {
    return {frame.centre.x, frame.centre.y, frame.strike_rad};
}

const fault::PlaneFault& as_plane(const fault::FaultSurface& surface) {
    return static_cast<const fault::PlaneFault&>(surface);
}

const fault::InterfaceFault& as_interface(const fault::FaultSurface& surface) {
    return static_cast<const fault::InterfaceFault&>(surface);
}

}  // namespace

SeveralFaultsModel::SeveralFaultsModel(const GreensJob& job, const Domain& domain,
                                       std::span<const ScenarioModel> models,
                                       const SeveralFaultsSpec& spec)
    : GeneratedFault(job, domain, models) {
    find_faults(spec);
    find_segments();
    request();
}

SeveralFaultsModel::SeveralFaultsModel(const GreensJob& job, const Domain& domain,
                                       std::span<const ScenarioModel> models,
                                       const PlanesOfModels& planes)
    : GeneratedFault(job, domain, models) {
    for (std::size_t k = 0; k < planes.planes.size(); ++k) {
        faults_.push_back(plane("plane-" + std::to_string(k + 1), "fault", planes.planes[k]));
    }
    find_segments(planes.of_segment);
    request();
}

void SeveralFaultsModel::find_faults(const SeveralFaultsSpec& spec) {
    std::optional<SectionFrame> of_slip;
    if (of_scenario()) {
        of_slip = section_of_slip(frame_of(models(), [](std::size_t, int) { return true; }));
    }
    for (const SeveralFaultsSpec::Named& named : spec.faults) {
        One fault{named.name, named.field};
        if (const auto* of_plane = std::get_if<PlaneSpec>(&named.fault)) {
            const std::string field = named.field + ".plane";
            fault = plane(named.name, named.field, outline_of(domain(), *of_plane, field));
            if (!of_scenario()) {
                fault.patches = patches_in_volumes(job(), domain(), as_plane(*fault.surface),
                                                   *fault.plane, named.patches, field);
            }
        } else {
            fault.interface = &std::get<InterfaceSpec>(named.fault);
            fault.surface = interface_in_volumes(
                domain(), fault.interface->of,
                of_slip ? *of_slip : jobs::section_of(domain(), *fault.interface));
            if (!of_scenario()) {
                fault.patches = patches_in_volumes(domain(), *fault.interface, named.patches,
                                                   named.field + ".interface.patches");
            }
        }
        if (fault.patches) {
            fault.of_job = &named.patches;
            fault.patches->grid.fault = named.name;
            fault.patches->grid.index = static_cast<std::int32_t>(faults_.size());
        }
        faults_.push_back(std::move(fault));
    }
}

SeveralFaultsModel::One SeveralFaultsModel::plane(std::string name, std::string field,
                                                  const PlaneOutline& outline) const {
    return {std::move(name), std::move(field),
            std::make_unique<fault::PlaneFault>(outline.top_centre, outline.strike_rad,
                                                outline.dip_rad),
            outline};
}

void SeveralFaultsModel::find_segments(const std::vector<std::vector<int>>& given) {
    find_segment_faults(
        static_cast<int>(faults_.size()),
        [&](int fault, const Vec3& x) {
            const One& of = faults_[static_cast<std::size_t>(fault)];
            return near_fault(*of.surface, of.plane, x);
        },
        given);
}

void SeveralFaultsModel::request() {
    std::vector<RequestedFault> requested;
    for (std::size_t k = 0; k < faults_.size(); ++k) {
        const One& fault = faults_[k];
        if (fault.plane) {
            requested.push_back(request_plane_of(fault));
        } else if (fault.patches) {
            requested.push_back(request_interface(
                job(), domain(), fault.interface->of, as_interface(*fault.surface),
                jobs::section_of(domain(), *fault.interface), fault.patches->window));
        } else {
            requested.push_back(request_interface_with_slip(fault, static_cast<int>(k)));
        }
        requested.back().request.name = fault.name;
    }
    mesh_volumes(std::move(requested));
}

RequestedFault SeveralFaultsModel::request_plane_of(const One& fault) const {
    return request_plane(
        job(), domain(), as_plane(*fault.surface),
        fault.patches ? fault.patches->window : window_to_ground(domain(), *fault.plane));
}

RequestedFault SeveralFaultsModel::request_interface_with_slip(const One& fault, int index) const {
    const auto here = [&](std::size_t model, int segment) {
        return segments()[model][static_cast<std::size_t>(segment)].fault == index;
    };
    const bool slips = std::ranges::any_of(segments(), [&](const auto& of_model) {
        return std::ranges::any_of(
            of_model, [&](const SegmentFault& segment) { return segment.fault == index; });
    });
    if (!slips) {
        throw ValidationError({{fault.field,
                                "must have slip on it: no segment of a slip model lies nearest "
                                "to it"}});
    }
    // In the frame of its own slip.
    const SectionFrame section = section_of_slip(frame_of(models(), here));
    const auto surface = interface_in_volumes(domain(), fault.interface->of, section);
    return request_interface(job(), domain(), fault.interface->of, *surface, section,
                             window_of(*surface, models(), job().mesh.size_at_fault_m, here));
}

std::unique_ptr<SourceSet> SeveralFaultsModel::own_sources() const {
    std::vector<std::unique_ptr<PatchSources>> sources;
    for (const One& fault : faults_) {
        sources.push_back(std::make_unique<PatchSources>(
            job(), domain(), *fault.surface, fault.patches.value().grid, *fault.of_job));
    }
    return std::make_unique<SeveralPatches>(std::move(sources));
}

}  // namespace kaname::jobs
