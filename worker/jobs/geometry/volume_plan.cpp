// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/volume_plan.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "solvers/base/text.hpp"
#include "solvers/meshing/cleaving/layers_kept.hpp"
#include "solvers/meshing/cleaving/volume_mesh.hpp"
#include "worker/jobs/geometry/available_memory.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"

namespace kaname::jobs {
namespace {

// Peak of the mesh stage: up to 240 were measured, of elements in the end, of which there may be
// twice as many as estimated.
constexpr double kMeshBytesPerTet = 500.0;
constexpr double kMostTets = 5e8;  // 32-bit ids of their faces

// Sizes of the ground, of depths and of volumes hold so far from the fault, or half its length.
constexpr double kLeastDetail_m = 100e3;

double extent_m(const std::vector<Vec3>& points) {
    Vec3 low = points.empty() ? Vec3{} : points.front();
    Vec3 high = low;
    for (const Vec3& x : points) {
        low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
        high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
    }
    return norm(high - low);
}

ValidationError too_many_elements(double count) {
    return ValidationError(std::vector<Violation>{
        {"mesh", "the mesh must fit in memory: the sizes come to about " +
                     formatted("%.3g million", count / 1e6) + " elements, which take " +
                     gib(count * kMeshBytesPerTet) + " while they are made, available are " +
                     gib(available_bytes()) + "; enlarge size_at_fault, size_far or other sizes"}});
}

cleaving::VolumeMeshParams request_of(const GreensJob& job, const Domain& domain,
                                      std::vector<RequestedFault> faults) {
    cleaving::VolumeMeshParams params;
    params.box = domain.box();
    params.model = domain.volumes().model();
    params.sizes.far_m = job.mesh.size_far_m;
    params.sizes.growth = job.mesh.growth;
    params.sizes.at_surface_m = job.mesh.sizes.at_surface_m;
    double extent = 0.0;
    for (RequestedFault& fault : faults) {
        extent = std::max(extent, extent_m(fault.request.samples));
        std::ranges::move(fault.sizes, std::back_inserter(params.sizes.points));
        params.faults.push_back(std::move(fault.request));
    }
    params.sizes.detail_reach_m = std::max(kLeastDetail_m, 0.5 * extent);
    if (job.mesh.sizes.at_stations_m > 0.0) {
        params.sizes.points.push_back({job.mesh.sizes.at_stations_m, domain.stations()});
    }
    for (const VolumeSizes::Depth& depth : job.mesh.sizes.by_depth) {
        params.sizes.depths.push_back({depth.depth_m, depth.size_m, depth.reach_m});
    }
    params.thinnest = job.mesh.sizes.thinnest_layer;
    params.max_tets = most_elements();
    return params;
}

}  // namespace

std::int64_t most_elements() {
    return static_cast<std::int64_t>(std::min(available_bytes() / kMeshBytesPerTet, kMostTets));
}

void require_room_for(double elements) {
    const double available = available_bytes();
    if (available > 0.0 && elements * kMeshBytesPerTet > available) {
        throw too_many_elements(elements);
    }
}

VolumePlan::VolumePlan(const GreensJob& job, const Domain& domain,
                       std::vector<RequestedFault> faults)
    : request_(request_of(job, domain, std::move(faults))),
      at_stations_(layers_at_stations(job, domain, request_)),
      source_(cleaving::make_volume_mesh(request_)) {}

ValidationError VolumePlan::too_large() const {
    return too_many_elements(
        std::max(rough_count(request_), static_cast<double>(request_.max_tets)));
}

meshing::MeshSource::Count VolumePlan::estimate() const {
    try {
        return source_->estimate();
    } catch (const Error& error) {
        if (error.code() != ErrorCode::Exhausted) {
            throw;
        }
        throw too_large();
    }
}

mesh::TetMesh VolumePlan::build(const meshing::Progress& progress) const {
    try {
        return source_->build(progress);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::Exhausted) {
            throw;
        }
        throw too_large();
    }
}

std::vector<std::string> VolumePlan::warnings() const {
    constexpr double kLost = 0.2, kMostlyThin = 0.5;
    std::vector<std::string> result = at_stations_;
    std::string rough;
    const std::vector<cleaving::LayerKept> kept =
        cleaving::layers_kept(request_, cleaving::kNearFault_m);
    for (std::size_t k = 0; k < kept.size(); ++k) {
        const double lost = 1.0 - kept[k].left_m3 / std::max(kept[k].model_m3, 1.0);
        if (kept[k].model_m3 > 0.0 && lost > kLost) {
            char text[400];
            std::snprintf(text, sizeof text,
                          "mesh: volume '%s' loses %.0f %% of its %.3g km3 within %.0f km of the "
                          "fault to its neighbours, where it is thinner than %g of the elements "
                          "(mesh.thinnest_layer); smaller sizes keep it",
                          request_.model->volumes[k].name.c_str(), 100.0 * lost,
                          kept[k].model_m3 / 1e9, cleaving::kNearFault_m / 1e3, request_.thinnest);
            result.emplace_back(text);
        } else if (kept[k].thin_m2 > kMostlyThin * kept[k].extent_m2) {
            rough += (rough.empty() ? "'" : ", '") + request_.model->volumes[k].name + "'";
        }
    }
    if (!rough.empty()) {
        result.push_back(
            "mesh: most of " + rough + " within " + number(cleaving::kNearFault_m / 1e3) +
            " km of the fault is thinner than a third of an element: interfaces there may "
            "be a third of an element off; sizes of at most three times the thickness show "
            "them");
    }
    return result;
}

}  // namespace kaname::jobs
