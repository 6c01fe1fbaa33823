// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/interface_fault.hpp"

#include "solvers/jobs/geometry/fault_in_volumes.hpp"
#include "solvers/jobs/geometry/fault_patches.hpp"

namespace kaname::jobs {
namespace {

bool all_segments(std::size_t /*model*/, int /*segment*/) {
    return true;
}

}  // namespace

InterfaceFaultModel::InterfaceFaultModel(const GreensJob& job, const Domain& domain,
                                         std::span<const ScenarioModel> models,
                                         const InterfaceSpec& spec)
    : GeneratedFault(job, domain, models), spec_(spec) {
    const SectionFrame section = this->section();
    surface_ = interface_in_volumes(domain, spec.of, section);
    if (!of_scenario()) {
        grid_ = patches_in_volumes(domain, spec, job.patches, "fault.interface.patches").grid;
    }
    const meshing::FaultWindow window =
        of_scenario() ? jobs::window_of(*surface_, models, job.mesh.size_at_fault_m, all_segments)
                      : jobs::window_of(grid_.patches);
    std::vector<RequestedFault> requested;
    requested.push_back(request_interface(job, domain, spec.of, *surface_, section, window));
    mesh_volumes(std::move(requested));
    find_segment_faults(
        1, [&](int /*fault*/, const Vec3& x) { return near_fault(*surface_, std::nullopt, x); });
}

SectionFrame InterfaceFaultModel::section() const {
    if (of_scenario()) {
        const SlipFrame frame = frame_of(models(), all_segments);
        return {frame.centre.x, frame.centre.y, frame.strike_rad};
    }
    return section_of(domain(), spec_);
}

std::unique_ptr<SourceSet> InterfaceFaultModel::own_sources() const {
    return std::make_unique<PatchSources>(job(), domain(), *surface_, grid_, job().patches);
}

}  // namespace kaname::jobs
