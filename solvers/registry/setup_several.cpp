// SPDX-License-Identifier: BSD-3-Clause
// Scenarios with several faults in one mesh.
#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/base/units.hpp"
#include "solvers/registry/setup.hpp"

namespace kaname::registry {
namespace {

/// Of a plane's rectangle, or across an interface.
NearFault near_fault(const sources::FaultSurface& fault, const std::optional<PlaneOutline>& plane,
                     const Vec3& x) {
    const sources::FaultCoordinates at = fault.coordinates(x);
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

}  // namespace

std::vector<std::string> Setup::fault_names() const {
    std::vector<std::string> names;
    if (request_) {
        for (const cleaving::FaultRequest& fault : request_->faults) {
            names.push_back(fault.name);
        }
    } else {
        names.emplace_back("fault");
    }
    return names;
}

void Setup::find_segment_faults(const std::vector<const sources::FaultSurface*>& faults,
                                const std::vector<std::optional<PlaneOutline>>& planes) {
    for (const ScenarioModel& model : models_) {
        segment_faults_.push_back(segments_on_faults(
            model, static_cast<int>(faults.size()), [&](int fault, const Vec3& x) {
                const auto k = static_cast<std::size_t>(fault);
                return near_fault(*faults[k], planes[k], x);
            }));
    }
}

void Setup::build_planes_of_models() {
    const PlanesOfModels found = planes_of(models_, job_.size_at_fault_m);
    if (found.planes.size() == 1) {
        lay_plane(found.planes.front(), 1, 1);
        find_segment_faults({fault_.get()}, {found.planes.front()});
        return;
    }
    std::vector<OneOfSeveral> faults;
    for (std::size_t k = 0; k < found.planes.size(); ++k) {
        const PlaneOutline& plane = found.planes[k];
        faults.push_back({"plane-" + std::to_string(k + 1), "fault",
                          std::make_unique<sources::PlaneFault>(plane.top_centre, plane.strike_rad,
                                                                plane.dip_rad),
                          plane, nullptr});
    }
    for (std::size_t model = 0; model < models_.size(); ++model) {
        segment_faults_.push_back(segments_on_faults(
            models_[model], static_cast<int>(faults.size()),
            [&](int fault, const Vec3& x) {
                const OneOfSeveral& of = faults[static_cast<std::size_t>(fault)];
                return near_fault(*of.surface, of.plane, x);
            },
            found.of_segment[model]));
    }
    mesh_several(std::move(faults));
}

void Setup::build_several(const SeveralFaultsSpec& spec) {
    if (!volumes_) {
        throw ValidationError(std::vector<Violation>{
            {"fault.several",
             "needs structure.volumes, or layers with planes alone: lattices have one fault"}});
    }
    std::vector<OneOfSeveral> faults;
    std::vector<const sources::FaultSurface*> surfaces;
    std::vector<std::optional<PlaneOutline>> planes;
    const SlipFrame frame = frame_of(models_, [](std::size_t, int) { return true; });
    for (const SeveralFaultsSpec::Named& named : spec.faults) {
        OneOfSeveral& fault = faults.emplace_back();
        fault.name = named.name;
        fault.field = named.field;
        if (const auto* plane = std::get_if<PlaneSpec>(&named.fault)) {
            fault.plane = outline_of(*plane, named.field + ".plane");
            fault.surface = std::make_unique<sources::PlaneFault>(
                fault.plane->top_centre, fault.plane->strike_rad, fault.plane->dip_rad);
        } else {
            fault.interface = &std::get<InterfaceSpec>(named.fault);
            fault.surface = interface_fault(*fault.interface,
                                            {frame.centre.x, frame.centre.y, frame.strike_rad});
        }
        surfaces.push_back(fault.surface.get());
        planes.push_back(fault.plane);
    }
    find_segment_faults(surfaces, planes);
    mesh_several(std::move(faults));
}

void Setup::mesh_several(std::vector<OneOfSeveral> faults) {
    std::vector<RequestedFault> requested;
    std::optional<FaultPart> thinnest;
    for (std::size_t k = 0; k < faults.size(); ++k) {
        OneOfSeveral& fault = faults[k];
        const auto here = [&](std::size_t model, int segment) {
            return segment_faults_[model][static_cast<std::size_t>(segment)].fault ==
                   static_cast<int>(k);
        };
        if (fault.interface == nullptr) {
            fault_ = std::move(fault.surface);
            requested.push_back(request_plane(static_cast<const sources::PlaneFault&>(*fault_),
                                              window_to_ground(*fault.plane)));
        } else {
            const auto any = [&](const std::vector<SegmentFault>& segments) {
                return std::ranges::any_of(segments, [&](const SegmentFault& segment) {
                    return segment.fault == static_cast<int>(k);
                });
            };
            if (std::ranges::none_of(segment_faults_, any)) {
                throw ValidationError({{fault.field,
                                        "must have slip on it: no segment of a slip "
                                        "model lies nearest to it"}});
            }
            const SlipFrame frame = frame_of(models_, here);
            const SectionFrame section{frame.centre.x, frame.centre.y, frame.strike_rad};
            auto surface = interface_fault(*fault.interface, section);
            const sources::InterfaceFault& own = *surface;
            fault_ = std::move(surface);
            const meshing::FaultWindow window = window_of_models(here);
            requested.push_back(interface_request(*volumes_, box_,
                                                  volumes_->surface(fault.interface->of), own,
                                                  section, fault_part(window)));
        }
        requested.back().request.name = fault.name;
        if (!thinnest || part_->least_m < thinnest->least_m) {
            thinnest = part_;
        }
    }
    part_ = thinnest;
    mesh_volumes(std::move(requested));
}

}  // namespace kaname::registry
