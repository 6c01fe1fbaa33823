// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/scenario/scenario_fields.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/fault/split_vertices.hpp"
#include "solvers/jobs/geometry/dataset_places.hpp"
#include "solvers/jobs/greens/surface_points.hpp"
#include "solvers/jobs/scenario/receivers.hpp"
#include "solvers/jobs/scenario/scenario_response.hpp"

namespace kaname::jobs {
namespace {

using Results = std::vector<std::optional<io::SourceResult>>;

/// Places in the model and on the globe, of either group.
template <class Fields>
void add_place(const Domain& domain, const Vec3& x, Fields& fields) {
    fields.xyz_m.insert(fields.xyz_m.end(), {x.x, x.y, x.z});
    if (domain.projected()) {
        const earth::LonLat at = domain.projection().inverse({x.x, x.y});
        fields.lon_deg.push_back(at.lon_deg);
        fields.lat_deg.push_back(at.lat_deg);
    }
}

/// Faces seen from above go round to the left.
std::array<std::int32_t, 6> upward(const SurfacePoints::Face& face, const mesh::TetMesh& mesh) {
    const auto& v = face.vertices;
    const auto& p = face.points;
    const Vec3 normal = cross(mesh.xyz[v[1]] - mesh.xyz[v[0]], mesh.xyz[v[2]] - mesh.xyz[v[0]]);
    return normal.z >= 0.0 ? p : std::array{p[0], p[2], p[1], p[5], p[4], p[3]};
}

class SurfaceSum {
public:
    SurfaceSum(const GreensJob& job, const Steps& steps, const Results& results,
               std::span<const double> epochs_s)
        : results_(results) {
        const ScenarioResponse response(*job.scenario, steps, job.time.end_s, epochs_s);
        const std::size_t n_models = job.scenario->models.size();
        for (std::size_t k = 0; k < results.size(); ++k) {
            if (k < n_models) {
                weights_.push_back(response.of_model(static_cast<int>(k), *results[k]));
                continue;
            }
            const SlipHistory& history = job.boundaries.sources[k - n_models].history;
            weights_.push_back(
                StepResponse(steps, SourceTimeFunction(history, job.time.end_s), epochs_s)
                    .weights(*results[k]));
        }
    }
    /// [P][3] in the model frame.
    [[nodiscard]] std::vector<double> at(std::size_t epoch, std::size_t n_points) const {
        const std::size_t width = 3 * n_points;
        std::vector<double> sum(width, 0.0);
        for (std::size_t source = 0; source < results_.size(); ++source) {
            const std::size_t n_fields = results_[source]->n_fields();
            for (std::size_t field = 0; field < n_fields; ++field) {
                const double w = weights_[source][epoch * n_fields + field];
                const float* u = results_[source]->surface_m.data() + field * width;
                for (std::size_t k = 0; k < width && w != 0.0; ++k) {
                    sum[k] += w * double{u[k]};
                }
            }
        }
        return sum;
    }

private:
    const Results& results_;
    std::vector<std::vector<double>> weights_;  ///< [sources] [epochs][F]
};

std::optional<io::SurfaceFields> surface_of(const GreensJob& job, const Domain& domain,
                                            const mesh::TetMesh& mesh, const SurfacePoints& points,
                                            const Results& results, const Steps& steps,
                                            const std::vector<double>& epochs_s) {
    const std::size_t n_points = points.places.size();
    const bool all_hold_it = std::ranges::all_of(results, [&](const auto& result) {
        return result->surface_m.size() == 3 * n_points * result->n_fields();
    });
    if (!all_hold_it || n_points == 0) {
        return std::nullopt;
    }
    io::SurfaceFields surface;
    surface.epochs_s = epochs_s;
    std::vector<double> turn;  // true north lies this far clockwise of grid north
    for (const p2::Location& place : points.places) {
        add_place(domain, place.snapped, surface);
        turn.push_back(convergence(domain, place.snapped));
    }
    for (const SurfacePoints::Face& face : points.faces) {
        const auto corners = upward(face, mesh);
        surface.faces.insert(surface.faces.end(), corners.begin(), corners.end());
    }
    const SurfaceSum sum(job, steps, results, epochs_s);
    for (std::size_t epoch = 0; epoch < epochs_s.size(); ++epoch) {
        const std::vector<double> u = sum.at(epoch, n_points);
        for (std::size_t k = 0; k < n_points; ++k) {
            const double c = std::cos(turn[k]);
            const double s = std::sin(turn[k]);
            for (const double value :
                 {c * u[3 * k] - s * u[3 * k + 1], s * u[3 * k] + c * u[3 * k + 1], u[3 * k + 2]}) {
                surface.displacement_m.push_back(static_cast<float>(value));
            }
        }
    }
    return surface;
}

/// Sum of one field over the sources, as float.
std::vector<float> sum_of_field(const Results& results,
                                std::vector<double> io::VolumeSnapshots::*field) {
    std::vector<double> sum((results.front()->volume.*field).size(), 0.0);
    for (const auto& result : results) {
        std::ranges::transform(sum, result->volume.*field, sum.begin(), std::plus<>());
    }
    return {sum.begin(), sum.end()};
}

std::optional<io::VolumeDataset> volume_of(const GreensJob& job, const Domain& domain,
                                           const mesh::TetMesh& mesh,
                                           const fault::SplitVertices& cut,
                                           const Results& results) {
    const std::size_t n = job.scenario->volume.epochs_s.size();
    const bool all_hold_it = std::ranges::all_of(results, [&](const auto& result) {
        const io::VolumeSnapshots& volume = result->volume;
        return volume.n_snapshots == n &&
               volume.displacement_m.size() == n * cut.vertex.size() * 3 &&
               volume.strain.size() == n * cut.tets.size() * 6 &&
               volume.stress_pa.size() == n * cut.tets.size() * 6;
    });
    if (!all_hold_it) {
        return std::nullopt;
    }
    io::VolumeDataset volume;
    volume.epochs_s = job.scenario->volume.epochs_s;
    for (const std::int32_t vertex : cut.vertex) {
        add_place(domain, mesh.xyz[vertex], volume);
    }
    for (const auto& tet : cut.tets) {
        volume.tets.insert(volume.tets.end(), tet.begin(), tet.end());
    }
    volume.material = mesh.material;
    for (const earth::Material& material : job.structure.materials) {
        volume.materials.push_back(material.name);
    }
    volume.displacement_m = sum_of_field(results, &io::VolumeSnapshots::displacement_m);
    volume.strain = sum_of_field(results, &io::VolumeSnapshots::strain);
    volume.stress_pa = sum_of_field(results, &io::VolumeSnapshots::stress_pa);
    add_receivers(job, domain, mesh, volume);
    return volume;
}

}  // namespace

void add_fields(const GreensJob& job, const Domain& domain, const mesh::TetMesh& mesh,
                const p2::DofMap& dofs, const Results& results, const Steps& steps,
                io::GreensDataset& dataset, int n_parts) {
    const bool all_done =
        std::ranges::all_of(results, [](const auto& result) { return result && !result->failed; });
    if (!all_done || results.empty()) {
        return;
    }
    const fault::SplitNodes split = fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
    if (job.output.surface) {
        dataset.surface =
            surface_of(job, domain, mesh, find_surface_points(mesh, dofs, split, n_parts), results,
                       steps, dataset.epochs_s);
    }
    if (wants_volume(job)) {
        dataset.volume = volume_of(job, domain, mesh, fault::split_vertices(mesh, split), results);
    }
}

}  // namespace kaname::jobs
