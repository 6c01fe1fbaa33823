// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/several_faults.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"
#include "solvers/jobs/geometry/plane_fault.hpp"

namespace kaname::jobs {
namespace {

SectionFrame section_of(const SlipFrame& frame) {
    return {frame.centre.x, frame.centre.y, frame.strike_rad};
}

}  // namespace

SeveralFaultsModel::SeveralFaultsModel(const GreensJob& job, const Domain& domain,
                                       std::span<const ScenarioModel> models,
                                       const SeveralFaultsSpec& spec)
    : GeneratedFault(job, domain, models) {
    if (!domain.has_volumes()) {
        throw ValidationError(std::vector<Violation>{
            {"fault.several",
             "needs structure.volumes, or layers with planes alone: lattices have one fault"}});
    }
    std::vector<One> faults;
    const SlipFrame frame = frame_of(models, [](std::size_t, int) { return true; });
    for (const SeveralFaultsSpec::Named& named : spec.faults) {
        if (const auto* of_plane = std::get_if<PlaneSpec>(&named.fault)) {
            faults.push_back(plane(named.name, named.field,
                                   outline_of(domain, *of_plane, named.field + ".plane")));
        } else {
            const std::string& of = std::get<InterfaceSpec>(named.fault).of;
            faults.push_back({named.name, named.field,
                              interface_in_volumes(domain, of, section_of(frame)), std::nullopt,
                              of});
        }
    }
    find_segments(faults);
    request(faults);
}

SeveralFaultsModel::SeveralFaultsModel(const GreensJob& job, const Domain& domain,
                                       std::span<const ScenarioModel> models,
                                       const PlanesOfModels& planes)
    : GeneratedFault(job, domain, models) {
    std::vector<One> faults;
    for (std::size_t k = 0; k < planes.planes.size(); ++k) {
        faults.push_back(plane("plane-" + std::to_string(k + 1), "fault", planes.planes[k]));
    }
    find_segments(faults, planes.of_segment);
    request(faults);
}

SeveralFaultsModel::One SeveralFaultsModel::plane(std::string name, std::string field,
                                                  const PlaneOutline& outline) const {
    return {std::move(name), std::move(field),
            std::make_unique<fault::PlaneFault>(outline.top_centre, outline.strike_rad,
                                                outline.dip_rad),
            outline, ""};
}

void SeveralFaultsModel::find_segments(const std::vector<One>& faults,
                                       const std::vector<std::vector<int>>& given) {
    find_segment_faults(
        static_cast<int>(faults.size()),
        [&](int fault, const Vec3& x) {
            const One& of = faults[static_cast<std::size_t>(fault)];
            return near_fault(*of.surface, of.plane, x);
        },
        given);
}

void SeveralFaultsModel::request(const std::vector<One>& faults) {
    std::vector<RequestedFault> requested;
    for (std::size_t k = 0; k < faults.size(); ++k) {
        const One& fault = faults[k];
        requested.push_back(
            fault.plane ? request_plane(job(), domain(),
                                        static_cast<const fault::PlaneFault&>(*fault.surface),
                                        window_to_ground(domain(), *fault.plane))
                        : request_interface_with_slip(fault, static_cast<int>(k)));
        requested.back().request.name = fault.name;
    }
    mesh_volumes(std::move(requested));
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
    const SectionFrame section = section_of(frame_of(models(), here));
    const auto surface = interface_in_volumes(domain(), fault.interface_of, section);
    return request_interface(job(), domain(), fault.interface_of, *surface, section,
                             window_of(*surface, models(), job().mesh.size_at_fault_m, here));
}

std::unique_ptr<SourceSet> SeveralFaultsModel::own_sources() const {
    throw Error(ErrorCode::Internal, "fault: several faults slip by a scenario's models alone");
}

}  // namespace kaname::jobs
