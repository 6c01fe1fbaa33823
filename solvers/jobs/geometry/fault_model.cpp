// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/fault_model.hpp"

#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/generated_faults.hpp"
#include "solvers/jobs/geometry/mesh_file_fault.hpp"

namespace kaname::jobs {
namespace {

constexpr double kBeside = 0.25;  // distance from the fault at which rock is looked up, in elements

}  // namespace

bool FaultModel::slips_in_viscous_rock(const SourceSet& slip, const mesh::TetMesh&) const {
    return slips_in_viscous_rock(slip);
}

bool FaultModel::slips_in_viscous_rock(const SourceSet& slip) const {
    // Beside the fault, not on it: an interface bounds volumes.
    const VolumeGeometry& volumes = domain_.volumes();
    return slip.any_place([&](const Vec3& x, const Vec3& normal) {
        const Vec3 away = kBeside * job_.mesh.size_at_fault_m * normal;
        return volumes.material(x + away).viscosity_pa_s ||
               volumes.material(x - away).viscosity_pa_s;
    });
}

std::vector<Vec3> FaultModel::stations_in(const mesh::TetMesh& mesh) const {
    std::vector<Vec3> points = domain_.stations();
    const TopHeight top(mesh);
    for (std::size_t k = 0; k < points.size(); ++k) {
        const std::optional<double> height_m = top.at(points[k].x, points[k].y);
        if (height_m && (!job_.stations[k].depth_m || points[k].z > *height_m)) {
            points[k].z = *height_m;
        }
    }
    return points;
}

std::vector<HeldComponent> FaultModel::held(const mesh::TetMesh& /*mesh*/) const {
    std::vector<HeldComponent> held;
    for (int side = 0; side < mesh::kSideCount; ++side) {
        const auto s = static_cast<mesh::Side>(side);
        for (int comp = 0; comp < 3; ++comp) {
            if (job_.boundaries.kind[side] == BoundaryKind::Fixed ||
                job_.boundaries.fixed[side][comp]) {
                held.push_back({s, comp});
            }
        }
        if (job_.boundaries.kind[side] == BoundaryKind::Roller) {
            held.push_back({s, domain_.normal_axis(s)});
        }
    }
    return held;
}

mesh::SurfaceId FaultModel::surface_of(const BoundaryDataSpec& data,
                                       const mesh::TetMesh& /*mesh*/) const {
    return mesh::SurfaceId(data.place);
}

std::unique_ptr<FaultModel> make_fault_model(const GreensJob& job, const Domain& domain,
                                             std::span<const ScenarioModel> models) {
    if (const auto* file = std::get_if<MeshFileSpec>(&job.fault)) {
        return std::make_unique<MeshFileFaultModel>(job, domain, models, *file);
    }
    return std::make_unique<GeneratedFaults>(job, domain, models);
}

}  // namespace kaname::jobs
