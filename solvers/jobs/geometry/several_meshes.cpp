// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/several_meshes.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/units.hpp"
#include "solvers/fault/fault_surface.hpp"
#include "solvers/mesh/mesh_parts.hpp"

namespace kaname::jobs {
namespace {

/// A plane's rectangle, its middle and half of its diagonal.
struct Rectangle {
    fault::PlaneFault plane;
    double half_m, width_m;
    Vec3 middle;
    double radius_m;

    explicit Rectangle(const PlaneOutline& outline)
        : plane(outline.top_centre, outline.strike_rad, outline.dip_rad),
          half_m(0.5 * outline.length_m),
          width_m(outline.width_m),
          middle(plane.point({0.0, 0.5 * outline.width_m})),
          radius_m(std::hypot(half_m, 0.5 * outline.width_m)) {}

    [[nodiscard]] double distance_m(const Vec3& x) const {
        const fault::FaultCoordinates at = plane.coordinates(x);
        return norm(
            x - plane.point({std::clamp(at.s, -half_m, half_m), std::clamp(at.d, 0.0, width_m)}));
    }
};

/// Returns true if a sample of `a` is nearer to `b` than `apart_m`. Samples are at most half of
/// this distance apart along strike and down dip.
bool comes_near(const Rectangle& a, const Rectangle& b, double apart_m) {
    const double step_m = 0.5 * apart_m;
    const int n_s = std::max(1, static_cast<int>(std::ceil(2.0 * a.half_m / step_m)));
    const int n_d = std::max(1, static_cast<int>(std::ceil(a.width_m / step_m)));
    for (int i = 0; i <= n_s; ++i) {
        for (int j = 0; j <= n_d; ++j) {
            const Vec3 x = a.plane.point(
                {(2.0 * i / n_s - 1.0) * a.half_m, static_cast<double>(j) / n_d * a.width_m});
            if (b.distance_m(x) < apart_m) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

std::vector<int> meshes_of_planes(std::span<const PlaneOutline> planes, double apart_m) {
    std::vector<Rectangle> all;
    for (const PlaneOutline& plane : planes) {
        all.emplace_back(plane);
    }
    std::vector<int> mesh(all.size(), 0);
    for (std::size_t k = 0; k < all.size(); ++k) {
        std::vector<bool> taken(k + 1, false);
        for (std::size_t other = 0; other < k; ++other) {
            const double between_m = norm(all[k].middle - all[other].middle);
            taken[static_cast<std::size_t>(mesh[other])] =
                taken[static_cast<std::size_t>(mesh[other])] ||
                (between_m < all[k].radius_m + all[other].radius_m + apart_m &&
                 comes_near(all[k], all[other], apart_m));
        }
        mesh[k] = static_cast<int>(std::ranges::find(taken, false) - taken.begin());
    }
    return mesh;
}

SeveralMeshes::SeveralMeshes(const GreensJob& job, const Domain& domain,
                             std::vector<RequestedFault> faults, std::vector<int> mesh,
                             std::vector<std::string> names)
    : names_(std::move(names)) {
    for (int part = 0; part <= std::ranges::max(mesh); ++part) {
        std::vector<RequestedFault> here;
        for (std::size_t k = 0; k < faults.size(); ++k) {
            if (mesh[k] == part) {
                here.push_back(std::move(faults[k]));
            }
        }
        parts_.push_back(std::make_unique<VolumePlan>(job, domain, std::move(here)));
    }
}

meshing::MeshSource::Count SeveralMeshes::estimate() const {
    meshing::MeshSource::Count sum;
    for (const auto& part : parts_) {
        const meshing::MeshSource::Count count = part->estimate();
        sum.vertices += count.vertices;
        sum.tets += count.tets;
    }
    return sum;
}

mesh::TetMesh SeveralMeshes::build(const meshing::Progress& progress) const {
    std::vector<mesh::TetMesh> meshes;
    for (const auto& part : parts_) {
        meshes.push_back(part->build(progress));
    }
    return mesh::joined(std::move(meshes), names_);
}

std::vector<std::string> SeveralMeshes::warnings() const {
    std::vector<std::string> all;
    for (const auto& part : parts_) {
        for (std::string& warning : part->warnings()) {
            if (std::ranges::find(all, warning) == all.end()) {
                all.push_back(std::move(warning));
            }
        }
    }
    return all;
}

}  // namespace kaname::jobs
