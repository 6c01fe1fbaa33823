// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/volume_mesh_of_waves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/aderdg/layout.hpp"
#include "solvers/base/text.hpp"
#include "solvers/earth/columns.hpp"
#include "solvers/meshing/cleaving/layers_kept.hpp"
#include "solvers/meshing/cleaving/octree.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/cleaving/volume_mesh.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "worker/jobs/geometry/available_memory.hpp"
#include "worker/jobs/geometry/volume_plan.hpp"

namespace kaname::jobs {
namespace {

// Longest edges of the lattice over those wanted (SeismicMeshPlan).
constexpr double kLongest = 1.2;
// Insphere diameter of a body-centred tet over the edge of its cubes, 1 / sqrt(8).
constexpr double kInspherePerEdge = 0.35355;
// kLevelCut (level sheets) and kCut (others) are the smallest insphere diameter over that of an
// uncut element, in a cube that a sheet goes through or ends at (measured).
constexpr double kLevelCut = 0.48, kCut = 0.3;
constexpr double kCutShare = 0.5;  // of the elements of such a cube
// kHalved is this ratio at a vertical fault along the box's sides, which halves tets and does no
// more. kSmallAtFault is the share of small elements in the cubes at a fault.
constexpr double kHalved = 0.74, kSmallAtFault = 0.5;
// Level layers thinner than kSuits of the elements' size, but not than a third of thinnest_layer,
// have elements of a size that suits them.
constexpr double kSuits = 0.4;
constexpr double kInside = 1e-6;   // of what is left of a piece
constexpr int kLinesOfSteps = 32;  // along the longer side

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

void suit_thin_layers(earth::VolumeModel& model, double thinnest) {
    earth::ModelColumns columns(model);
    for (const earth::ColumnPiece& piece : columns.cut(0.0, 0.0)) {
        double& size_m = model.volumes[piece.volume].size_m;
        const double thickness = piece.top_m - piece.bottom_m;
        if (thickness >= thinnest * size_m) {
            size_m = std::min(size_m, thickness / kSuits);
        }
    }
}

bool parts_box(const SeismicMeshRequest& request) {
    const auto* box = std::get_if<LayeredBox>(&request.model);
    return box != nullptr && !box->plus_materials.empty();
}

cleaving::VolumeMeshParams params_of(const SeismicMeshRequest& request, earth::VolumeModel model,
                                     double azimuth_rad, std::vector<AddedFault>& faults) {
    const std::vector<VolumeSpeeds> speeds = speeds_of_volumes(model);
    cleaving::VolumeMeshParams params;
    params.box = {model.size_u_m, model.size_v_m, model.depth_m, azimuth_rad};
    params.sizes.growth = request.growth;
    params.sizes.volumes_grow = false;
    params.thinnest = request.thinnest_layer;
    const bool level = is_level(model);
    for (std::size_t k = 0; k < speeds.size(); ++k) {
        double& size_m = model.volumes[k].size_m;
        if (speeds[k].slowest_m_per_s > 0.0) {
            const double wanted =
                size_for_edge_m(kLongest * speeds[k].slowest_m_per_s /
                                (request.max_frequency_hz * request.wanted_per_wavelength()));
            size_m = size_m > 0.0 ? std::min(size_m, wanted) : wanted;
        }
    }
    if (level) {
        suit_thin_layers(model, params.thinnest / 3.0);
    }
    for (const earth::Volume& volume : model.volumes) {
        params.sizes.far_m = std::max(params.sizes.far_m, volume.size_m);
    }
    if (request.fine_size_m > 0.0 && !request.fine_at.empty()) {
        params.sizes.points.push_back({request.fine_size_m, request.fine_at});
    }
    params.max_tets = most_elements();
    if (request.max_elements > 0 &&
        (params.max_tets == 0 || request.max_elements < params.max_tets)) {
        params.max_tets = request.max_elements;
    }
    params.model = std::make_shared<const earth::VolumeModel>(std::move(model));
    if (!request.faults.empty()) {
        faults = add_faults(request.faults, params, parts_box(request));
    } else if (level) {
        params.roots = roots_for_layers(params, speeds);
    }
    return params;
}

/// Leaves of the octree that a vertical line goes through.
class Leaves {
public:
    explicit Leaves(const cleaving::VolumeMeshParams& params)
        : sizes_(params.sizes, params.box, params.model) {
        const Vec3 root = cleaving::choose_roots(params).edge;
        root_m_ = std::cbrt(root.x * root.y * root.z);
    }

    /// Edge of the leaf at a place.
    [[nodiscard]] double edge_at(const Vec3& x) const {
        double edge = root_m_;
        while (cleaving::kSizePerEdge * edge > cleaving::kLargest * sizes_.at(x)) {
            edge *= 0.5;
        }
        return edge;
    }
    /// visit(edge, height of its middle, part of it in the piece, whether that ends there)
    template <class Visit>
    void for_each(double u, double v, const earth::ColumnPiece& piece, const Visit& visit) const {
        double edge = 0.0;
        for (double z = piece.top_m; z > piece.bottom_m; z -= edge) {
            const double left = z - piece.bottom_m;
            // Inside the piece: its ends belong to the neighbours as well.
            edge = edge_at({u, v, z - kInside * left});
            const double height = std::min(edge, left);
            visit(edge, z - 0.5 * height, height / edge, z == piece.top_m || left <= edge);
        }
    }

private:
    cleaving::SizeField sizes_;
    double root_m_ = 0.0;
};

}  // namespace

VolumeMeshOfWaves::VolumeMeshOfWaves(const SeismicMeshRequest& request, earth::VolumeModel model,
                                     double azimuth_rad)
    : params_(params_of(request, std::move(model), azimuth_rad, faults_)),
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

aderdg::Clusters VolumeMeshOfWaves::clusters(std::int64_t tets,
                                             const aderdg::WaveParams& params) const {
    const earth::VolumeModel& model = *params_.model;
    const Leaves leaves(params_);
    const double cut = is_level(model) ? kLevelCut : kCut;
    std::vector<double> largest_s, count;
    double sum = 0.0;
    const auto add = [&](double edge_m, double vp_m_per_s, double tets) {
        if (tets > 0.0) {
            largest_s.push_back(
                aderdg::largest_step_s(kInspherePerEdge * edge_m, vp_m_per_s, params));
            count.push_back(tets);
            sum += tets;
        }
    };
    earth::ModelColumns columns(model);
    const auto plan = columns.plan(kLinesOfSteps);
    for (int line = 0; line < plan.nu * plan.nv; ++line) {
        const double u = columns.u(plan, line % plan.nu), v = columns.v(plan, line / plan.nu);
        for (const earth::ColumnPiece& piece : columns.cut(u, v)) {
            const earth::MaterialRule& rule = *model.volumes[piece.volume].material;
            leaves.for_each(u, v, piece, [&](double edge, double z, double part, bool at_end) {
                const double vp = fastest_m_per_s(model.materials[rule.material_at(u, v, z)]);
                const double share = at_end ? kCutShare : 0.0;
                const double tets = part / (edge * edge);
                add(cut * edge, vp, share * tets);
                add(edge, vp, (1.0 - share) * tets);
            });
        }
    }
    // Lines are too far apart to meet the elements that faults cut.
    const meshing::BoxFrame frame(params_.box.azimuth_rad);
    const double line_m2 = model.size_u_m * model.size_v_m / (plan.nu * plan.nv);
    for (std::size_t k = 0; k < params_.faults.size(); ++k) {
        const cleaving::FaultRequest& fault = params_.faults[k];
        for (const Vec3& x : fault.samples) {
            const Vec3 at{frame.b(x.x, x.y), frame.a(x.x, x.y), x.z};
            const int volume = model.volume_at(at.x, at.y, at.z);
            if (volume == earth::kAir) {
                continue;
            }
            const double edge = leaves.edge_at(at);
            const double vp = fastest_m_per_s(
                model.materials[model.volumes[volume].material->material_at(at.x, at.y, at.z)]);
            add((faults_[k].along_side ? kHalved : kCut) * edge, vp,
                kSmallAtFault * faults_[k].sample_m2 / (edge * edge * line_m2));
        }
    }
    for (double& share : count) {
        share *= static_cast<double>(tets) / sum;
    }
    return clusters_of_steps(largest_s, count, params.local_time_steps ? params.least_wiggle : 1.0);
}

std::optional<int> VolumeMeshOfWaves::material_at(const Vec3& x) const {
    const earth::VolumeModel& model = *params_.model;
    const meshing::BoxFrame frame(params_.box.azimuth_rad);
    const double u = frame.b(x.x, x.y), v = frame.a(x.x, x.y);
    const int volume = model.volume_at(u, v, x.z);
    if (volume == earth::kAir) {
        return std::nullopt;
    }
    return model.volumes[volume].material->material_at(u, v, x.z);
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
