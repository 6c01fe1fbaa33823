// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/interface_fault.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/gridded_surface.hpp"
#include "solvers/jobs/geometry/fault_in_volumes.hpp"
#include "solvers/jobs/geometry/fault_patches.hpp"
#include "solvers/meshing/lattice/lattices.hpp"

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
    if (domain.has_volumes()) {
        surface_ = interface_in_volumes(domain, spec.of, section);
    } else {
        const meshing::Box& box = domain.box();
        data_ = std::make_unique<earth::InterfaceSurface>(
            earth::read_gridded_surface(spec.surface_path), domain.projection(),
            earth::InterfaceSurface::Params{spec.min_depth_m, spec.max_depth_m,
                                            spec.smoothing_length_m,
                                            0.5 * std::hypot(box.size_east_m, box.size_north_m)});
        surface_ = std::make_unique<fault::InterfaceFault>(
            [data = data_.get()](double x, double y) { return data->depth_m(x, y); },
            section.origin_x, section.origin_y, section.strike_rad);
    }
    if (!of_scenario()) {
        grid_ = patches();
    }
    meshing::FaultWindow window =
        of_scenario() ? jobs::window_of(*surface_, models, job.mesh.size_at_fault_m, all_segments)
                      : jobs::window_of(grid_.patches);
    if (domain.has_volumes()) {
        std::vector<RequestedFault> requested;
        requested.push_back(request_interface(job, domain, spec.of, *surface_, section, window));
        mesh_volumes(std::move(requested));
    } else {
        // Lattice triangles are fault faces when all of them lies in the window; with two cells to
        // spare every node under a hat is inside the fault.
        window = widened(window, 2.0 * job.mesh.size_at_fault_m);
        mesh_lattice(meshing::make_column_lattice(
            {domain.box(),
             {job.mesh.size_at_fault_m, job.mesh.size_far_m, job.mesh.growth, job.mesh.layers_above,
              job.mesh.layers_below},
             job.structure,
             [data = data_.get()](double x, double y) { return data->depth_m(x, y); },
             surface_.get(),
             window,
             spec.reaches_surface}));
    }
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

PatchGrid InterfaceFaultModel::patches() const {
    const std::string field = "fault.interface.patches";
    if (domain().has_volumes()) {
        return patches_in_volumes(domain(), spec_, job().patches, field).grid;
    }
    PatchGrid grid;
    grid.field = field;
    // A hat's support must rest on data; when the fault reaches the surface, the part above the
    // data is an extension by intent and only patch centres are asked for.
    grid.samples = spec_.reaches_surface ? 0 : 2;
    grid.lacks = [this](const Vec3& x) { return lacks(x); };
    grid.patches = hats_on(spec_, job().patches);
    return grid;
}

std::string InterfaceFaultModel::lacks(const Vec3& x) const {
    return data_->has_data(x.x, x.y)
               ? ""
               : "must lie on the interface's data between " + number(spec_.min_depth_m) + " and " +
                     number(spec_.max_depth_m) + " m depth, but has none at " +
                     domain().lonlat_text(x);
}

std::unique_ptr<SourceSet> InterfaceFaultModel::own_sources() const {
    return std::make_unique<PatchSources>(job(), domain(), *surface_, grid_, job().patches);
}

const earth::Material& InterfaceFaultModel::rock(const Vec3& x) const {
    if (!data_) {
        return FaultModel::rock(x);
    }
    const earth::LayeredStructure& structure = job().structure;
    return structure.materials[structure.material_at(-x.z, data_->depth_m(x.x, x.y))];
}

std::vector<std::string> InterfaceFaultModel::warnings() const {
    std::vector<std::string> result = GeneratedFault::warnings();
    if (data_ && data_->extended_fraction() > 0.0) {
        const auto steepest = data_->steepest();
        result.push_back("fault.interface: " + number(100.0 * data_->extended_fraction()) +
                         " % of the model's area has no interface data between the depth limits; "
                         "the interface is extended there; steepest dip " +
                         number(steepest.dip_rad / kDegree) + " degrees");
    }
    return result;
}

}  // namespace kaname::jobs
