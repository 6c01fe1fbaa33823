// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/volume_mesh_of_waves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/base/text.hpp"
#include "solvers/earth/model_columns.hpp"
#include "solvers/jobs/geometry/rough_count.hpp"
#include "solvers/jobs/geometry/volume_plan.hpp"
#include "solvers/meshing/cleaving/layers_kept.hpp"
#include "solvers/meshing/cleaving/roots.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/cleaving/volume_mesh.hpp"

namespace kaname::jobs {
namespace {

// Longest edges of the lattice over those wanted (SeismicMeshPlan).
constexpr double kLongest = 1.2;
// Insphere diameter of a body-centred tet over the edge of its cubes, 1 / sqrt(8).
constexpr double kInspherePerEdge = 0.35355;
// Of that, the smallest among the elements of a cube that a sheet goes through or ends at,
// measured: level sheets, and others.
constexpr double kLevelCut = 0.48, kCut = 0.3;
constexpr double kInside = 1e-6;  // of what is left of a piece
constexpr int kLines = 32;        // along the longer side

/// Calls a function of the mesher; `too_large` is thrown for Exhausted.
template <class Call, class TooLarge>
auto with_limit(const Call& call, const TooLarge& too_large) {
    try {
        return call();
    } catch (const Error& error) {
        if (error.code() != ErrorCode::Exhausted) {
            throw;
        }
        throw too_large();
    }
}

bool is_level(const earth::VolumeModel& model) {
    return std::ranges::all_of(model.surfaces,
                               [](const auto& surface) { return surface.height.constant(); });
}

cleaving::VolumeMeshParams params_of(const SeismicMeshRequest& request, earth::VolumeModel model,
                                     double azimuth_rad) {
    const std::vector<VolumeSpeeds> speeds = speeds_of_volumes(model);
    cleaving::VolumeMeshParams params;
    params.box = {model.size_u_m, model.size_v_m, model.depth_m, azimuth_rad};
    params.sizes.growth = request.growth;
    params.sizes.volumes_grow = false;
    params.thinnest = request.thinnest_layer;
    for (std::size_t k = 0; k < speeds.size(); ++k) {
        double& size_m = model.volumes[k].size_m;
        if (speeds[k].slowest_m_per_s > 0.0) {
            const double wanted =
                size_for_edge_m(kLongest * speeds[k].slowest_m_per_s /
                                (request.max_frequency_hz * request.wanted_per_wavelength()));
            size_m = size_m > 0.0 ? std::min(size_m, wanted) : wanted;
            params.sizes.far_m = std::max(params.sizes.far_m, size_m);
        }
    }
    if (request.fine_size_m > 0.0 && !request.fine_at.empty()) {
        params.sizes.points.push_back({request.fine_size_m, request.fine_at});
    }
    params.max_tets = most_elements();
    if (request.max_elements > 0 &&
        (params.max_tets == 0 || request.max_elements < params.max_tets)) {
        params.max_tets = request.max_elements;
    }
    const bool level = is_level(model);
    params.model = std::make_shared<const earth::VolumeModel>(std::move(model));
    if (level) {
        params.roots = roots_for_layers(params, speeds);
    }
    return params;
}

}  // namespace

VolumeMeshOfWaves::VolumeMeshOfWaves(const SeismicMeshRequest& request, earth::VolumeModel model,
                                     double azimuth_rad)
    : params_(params_of(request, std::move(model), azimuth_rad)),
      source_(cleaving::make_volume_mesh(params_)) {}

ValidationError VolumeMeshOfWaves::too_large() const {
    const double elements = std::max(rough_count(params_), static_cast<double>(params_.max_tets));
    return ValidationError(std::vector<Violation>{
        {"max_elements",
         "must allow, within memory, for what the sizes come to, about " +
             formatted("%.3g", elements) + " elements; at most " +
             formatted("%.3g", static_cast<double>(params_.max_tets)) +
             " are possible; lower the highest frequency, or make the box smaller"}});
}

meshing::MeshSource::Count VolumeMeshOfWaves::count() const {
    const auto count = with_limit([&] { return source_->estimate(); }, [&] { return too_large(); });
    if (params_.max_tets > 0 && count.tets > params_.max_tets) {
        throw too_large();
    }
    return count;
}

mesh::TetMesh VolumeMeshOfWaves::build(const meshing::Progress& progress) const {
    (void)count();
    return with_limit([&] { return source_->build(progress); }, [&] { return too_large(); });
}

StepReport VolumeMeshOfWaves::steps(std::int64_t tets, int order, double cfl) const {
    const earth::VolumeModel& model = *params_.model;
    const cleaving::SizeField sizes(params_.sizes, params_.box, params_.model);
    const Vec3 root = cleaving::choose_roots(params_).edge;
    const double root_m = std::cbrt(root.x * root.y * root.z);
    const double cut = is_level(model) ? kLevelCut : kCut;
    std::vector<double> dt_s, count;
    double sum = 0.0;
    earth::ModelColumns columns(model);
    const auto plan = columns.plan(kLines);
    for (int j = 0; j < plan.nv; ++j) {
        for (int i = 0; i < plan.nu; ++i) {
            const double u = columns.u(plan, i), v = columns.v(plan, j);
            for (const earth::ColumnPiece& piece : columns.cut(u, v)) {
                const earth::MaterialRule& rule = *model.volumes[piece.volume].material;
                double edge = root_m;
                for (double z = piece.top_m; z > piece.bottom_m; z -= edge) {
                    // Inside the piece: its ends belong to the neighbours as well.
                    const double size = sizes.at({u, v, z - kInside * (z - piece.bottom_m)});
                    edge = root_m;
                    while (cleaving::kSizePerEdge * edge > cleaving::kLargest * size) {
                        edge *= 0.5;
                    }
                    const double height = std::min(edge, z - piece.bottom_m);
                    const bool at_end = z == piece.top_m || height < edge;
                    const double vp =
                        fastest_m_per_s(model.materials[rule.material_at(u, v, z - 0.5 * height)]);
                    dt_s.push_back(
                        step_of((at_end ? cut : 1.0) * kInspherePerEdge * edge, vp, order, cfl));
                    count.push_back(height / (edge * edge * edge));
                    sum += count.back();
                }
            }
        }
    }
    for (double& share : count) {
        share *= static_cast<double>(tets) / sum;
    }
    return report_steps(dt_s, count);
}

std::vector<std::string> VolumeMeshOfWaves::lost_layers() const {
    constexpr double kLost = 0.2;
    std::vector<std::string> notes;
    const auto kept = cleaving::layers_kept(params_, std::numeric_limits<double>::max());
    for (std::size_t k = 0; k < kept.size(); ++k) {
        const double lost = 1.0 - kept[k].left_m3 / std::max(kept[k].model_m3, 1.0);
        if (kept[k].model_m3 > 0.0 && lost > kLost) {
            notes.push_back("volume '" + params_.model->volumes[k].name + "' loses " +
                            formatted("%.0f", 100.0 * lost) + " % of its " +
                            formatted("%.3g", kept[k].model_m3 / 1e9) +
                            " km3 to its neighbours, where it is thinner than " +
                            number(params_.thinnest) + " of its elements");
        }
    }
    return notes;
}

}  // namespace kaname::jobs
