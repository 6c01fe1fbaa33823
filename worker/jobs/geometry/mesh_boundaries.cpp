// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/mesh_boundaries.hpp"

#include <algorithm>
#include <memory>

#include "solvers/base/vec3.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "worker/jobs/geometry/side_values.hpp"

namespace kaname::jobs {
namespace {

using viscoelastic::BoundaryCondition;

Violation held_already(const PrescribedSide& data, int comp) {
    return {data.field, std::string("must not name ") + kDirections[comp] +
                            ": it is held by the roller or fixed component of '" + data.name + "'"};
}

}  // namespace

std::vector<BoundaryCondition> boundary_conditions(const GreensJob& job,
                                                   const JobGeometry& geometry,
                                                   const mesh::TetMesh& mesh,
                                                   const p2::DofMap& dofs, const LaneDrive& drive) {
    std::vector<BoundaryCondition> conditions;
    for (const auto& [side, component] : geometry.fault().held(mesh)) {
        conditions.push_back({side, component});
    }
    const std::size_t n_held = conditions.size();
    for (const PrescribedSide& data : job.boundaries.data) {
        const mesh::SurfaceId surface = geometry.fault().surface_of(data, mesh);
        const auto values = std::make_shared<const SideValues>(
            data, geometry.domain(), mesh, dofs, surface, geometry.fault().mesh_parts());
        for (int comp = 0; comp < 3; ++comp) {
            if (!data.given[comp]) {
                continue;
            }
            for (std::size_t k = 0; k < n_held; ++k) {
                if (conditions[k].side == surface && conditions[k].component == comp) {
                    throw ValidationError({held_already(data, comp)});
                }
            }
            const auto value = [values, comp, source = data.source, &drive](
                                   const Vec3& x, double /*t_s*/, int lane) {
                return drive.source[lane] == source ? values->at(x)[comp] : 0.0;
            };
            using Kind = BoundaryCondition::Kind;
            conditions.push_back(
                {surface, comp, data.traction ? Kind::Traction : Kind::Prescribed, value});
        }
    }
    return conditions;
}

void check_side_data(const GreensJob& job, const JobGeometry& geometry,
                     std::vector<Violation>& violations) {
    const Domain& domain = geometry.domain();
    const meshing::Box& box = domain.box();
    const meshing::BoxFrame frame(box.azimuth_rad);
    for (const PrescribedSide& data : job.boundaries.data) {
        const auto side = static_cast<mesh::Side>(data.place);
        const int axis = domain.normal_axis(side);
        if (job.boundaries.kind[data.place] == BoundaryKind::Roller && axis >= 0 &&
            data.given[axis]) {
            violations.push_back(held_already(data, axis));
        }
        if (data.path.empty()) {
            continue;
        }
        // A side is a rectangle (but for relief) and a table's hull convex: the corners tell.
        const double a = 0.5 * box.size_north_m;
        const double b = 0.5 * box.size_east_m;
        std::vector<Vec3> corners;
        for (int corner = 0; corner < 8; ++corner) {
            const bool north = (corner & 1) != 0, east = (corner & 2) != 0, top = (corner & 4) != 0;
            const bool on[mesh::kSideCount] = {!east, east, !north, north, !top, top};
            if (on[data.place]) {
                Vec3 corner_at = frame.to_map(north ? a : -a, east ? b : -b, -box.depth_m);
                if (top) {
                    corner_at.z = domain.ground_m(corner_at.x, corner_at.y);
                }
                corners.push_back(corner_at);
            }
        }
        const Vec3 normal = cross(corners[1] - corners[0], corners[2] - corners[0]);
        try {
            SideData field(data, domain, corners[0], normal);
            for (const Vec3& corner : corners) {
                (void)field.at(corner);
            }
        } catch (const ValidationError& error) {
            violations.insert(violations.end(), error.violations().begin(),
                              error.violations().end());
        }
    }
}

}  // namespace kaname::jobs
