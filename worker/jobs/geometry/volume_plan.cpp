// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/volume_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "solvers/base/predicted_error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/earth/columns.hpp"
#include "solvers/meshing/cleaving/layers_kept.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/cleaving/volume_mesh.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "worker/jobs/geometry/available_memory.hpp"

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
      at_stations_(elements_at_stations(job, domain, request_)),
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
    std::vector<std::string> result = at_stations_.warnings;
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

namespace {

constexpr double kWorthTelling = 0.02;
constexpr double kPerThickness = 1.75;  // of sizes that keep a layer
constexpr double kMostGrown = 2.4;      // of sizes from a station to as far again
constexpr double kAlike = 3.0;          // of relaxation times
constexpr double kStiffer = 1.3;        // of shear moduli, right after the slip

/// A layer of a lid on a vertical line.
struct Sublayer {
    std::string volume;
    double top_m = 0.0, bottom_m = 0.0, mu_pa = 0.0;
    [[nodiscard]] double thickness_m() const { return top_m - bottom_m; }
};

/// Rock on a vertical line that behaves as one.
struct Group {
    const earth::Material* rock = nullptr;
    std::string first, last;  ///< volumes
    double top_m = 0.0, bottom_m = 0.0;
    std::vector<Sublayer> layers = {};

    /// Returns the deviation of a layer's stiffness from the mean (StiffnessCase::share).
    [[nodiscard]] double share(const Sublayer& layer) const {
        double sum = 0.0;
        for (const Sublayer& of : layers) {
            sum += of.mu_pa * of.thickness_m();
        }
        return std::abs(layer.mu_pa - sum / (top_m - bottom_m)) * layer.thickness_m() / sum;
    }
};

bool differ(const earth::Material& a, const earth::Material& b, bool relaxes) {
    if (!relaxes) {
        return std::max(a.mu_pa, b.mu_pa) > kStiffer * std::min(a.mu_pa, b.mu_pa);
    }
    const auto tau_a = viscoelastic::shortest_relaxation_time_s(a);
    const auto tau_b = viscoelastic::shortest_relaxation_time_s(b);
    return tau_a.has_value() != tau_b.has_value() ||
           (tau_a && std::max(*tau_a, *tau_b) > kAlike * std::min(*tau_a, *tau_b));
}

/// All but the lowest, which has no thickness.
std::vector<Group> groups_under(const earth::VolumeModel& model, double u, double v, bool relaxes) {
    const earth::Column column(model, earth::Column::heights_at(model, u, v));
    std::vector<Group> groups;
    for (int r = 0; r < column.runs; ++r) {
        const earth::Column::Run& run = column.run[r];
        if (run.volume == earth::kAir || !(run.thickness_m() > 0.0)) {
            continue;
        }
        const earth::Volume& volume = model.volumes[run.volume];
        const earth::Material& rock = model.materials.at(static_cast<std::size_t>(
            volume.material->material_at(u, v, 0.5 * (run.top_m + run.bottom_m))));
        if (groups.empty() || differ(*groups.back().rock, rock, relaxes)) {
            groups.push_back({&rock, volume.name, volume.name, run.top_m, run.bottom_m});
        }
        groups.back().last = volume.name;
        groups.back().bottom_m = run.bottom_m;
        groups.back().layers.push_back({volume.name, run.top_m, run.bottom_m, rock.mu_pa});
    }
    if (!groups.empty()) {
        groups.pop_back();
    }
    return groups;
}

/// Layers that are one lid to what relaxes; where nothing does, all above the lowest.
std::vector<Group> lids_under(const earth::VolumeModel& model, double u, double v, bool relaxes) {
    std::vector<Group> groups = groups_under(model, u, v, relaxes);
    while (!relaxes && groups.size() > 1) {
        Group lower = std::move(groups.back());
        groups.pop_back();
        groups.back().last = lower.last;
        groups.back().bottom_m = lower.bottom_m;
        std::ranges::move(lower.layers, std::back_inserter(groups.back().layers));
    }
    return groups;
}

std::vector<Vec3> middles_of_faults(const cleaving::VolumeMeshParams& request) {
    std::vector<Vec3> middles;
    for (const cleaving::FaultRequest& fault : request.faults) {
        Vec3 sum{};
        for (const Vec3& x : fault.samples) {
            sum = sum + x;
        }
        if (!fault.samples.empty()) {
            middles.push_back((1.0 / static_cast<double>(fault.samples.size())) * sum);
        }
    }
    return middles;
}

/// As far again from the nearest fault.
Vec3 beyond(const Vec3& place, const std::vector<Vec3>& faults) {
    const auto away = [&](const Vec3& fault) {
        return std::hypot(fault.x - place.x, fault.y - place.y);
    };
    const auto nearest = std::ranges::min_element(faults, {}, away);
    return nearest == faults.end() ? place : *nearest + kLayersBeyond * (place - *nearest);
}

struct Worst {
    std::string layers;
    std::size_t station = 0;
    double size_m = 0.0, thickness_m = 0.0, bottom_m = 0.0;
    bool stiffness = false;  ///< of a layer beside those of its lid
    double error = 0.0;
};

/// Predicts the effect of elements on one station.
class AtStation {
public:
    AtStation(std::size_t station, double maxwell_times, Worst& worst)
        : station_(station), maxwell_times_(maxwell_times), worst_(worst) {}

    /// A lid: the sizes of its elements as far again from the fault, and here.
    void lid(const Group& group, double size_m, double here_m) {
        const double thickness_m = group.top_m - group.bottom_m;
        take({group.first == group.last ? "'" + group.first + "'"
                                        : "'" + group.first + "' to '" + group.last + "'",
              station_, size_m, thickness_m, group.bottom_m, false,
              layer_error({size_m, thickness_m, maxwell_times_, here_m})});
    }
    /// A layer of a lid, whose elements here have this size.
    void layer(const Group& group, const Sublayer& layer, double size_m) {
        take({"'" + layer.volume + "'", station_, size_m, layer.thickness_m(), layer.bottom_m, true,
              stiffness_error({size_m, layer.thickness_m(), group.share(layer), maxwell_times_})});
    }
    [[nodiscard]] double largest() const { return largest_; }

private:
    void take(Worst of) {
        largest_ = std::max(largest_, of.error);
        if (of.error > worst_.error) {
            worst_ = std::move(of);
        }
    }
    std::size_t station_;
    double maxwell_times_;
    Worst& worst_;
    double largest_ = 0.0;
};

std::string text_of(const Worst& worst, const std::string& station, double maxwell_times,
                    std::size_t above) {
    const std::string others =
        above > 1 ? " (and of " + std::to_string(above - 1) + " others by more than 2 %)" : "";
    char text[700];
    std::snprintf(
        text, sizeof text,
        "mesh: elements of %.3g km about the %.3g km of %s%s change the motion of station '%s' %s "
        "by about %.*f %%%s (predicted); sizes_by_depth of %.2g km down to %.4g km, with a reach "
        "of %s, keep the layer",
        worst.size_m / 1e3, worst.thickness_m / 1e3, worst.layers.c_str(),
        worst.stiffness ? ", softer or stiffer than the layers beside it," : "", station.c_str(),
        maxwell_times > 0.0 ? "since the slip" : "right after the slip",
        worst.error < 0.1 && worst.stiffness ? 1 : 0, 100.0 * worst.error, others.c_str(),
        kPerThickness * worst.thickness_m / 1e3, -worst.bottom_m / 1e3,
        worst.stiffness ? "the station's distance" : "twice the station's distance");
    return text;
}

/// Walks over the stations of a job.
class Stations {
public:
    Stations(const Domain& domain, const cleaving::VolumeMeshParams& request)
        : request_(request),
          places_(domain.stations()),
          sizes_(request.sizes, request.box, request.model),
          frame_(request.box.azimuth_rad),
          faults_(middles_of_faults(request)) {}

    [[nodiscard]] double size_at_m(std::size_t station) const {
        return sizes_.at(in_box(places_[station], places_[station].z));
    }

    /// Returns the error of layers at each station; `worst` is the one that is worst off, `above`
    /// the number of those above what is worth telling.
    [[nodiscard]] std::vector<double> errors(double maxwell_times, Worst& worst,
                                             std::size_t& above) const {
        std::vector<double> errors;
        for (std::size_t k = 0; k < places_.size(); ++k) {
            const Vec3 at = in_box(places_[k], 0.0);
            // Beyond the station, but within the box.
            Vec3 far = in_box(beyond(places_[k], faults_), 0.0);
            const double east_m = 0.5 * request_.box.size_east_m;
            const double north_m = 0.5 * request_.box.size_north_m;
            far.x = std::clamp(far.x, -east_m, east_m);
            far.y = std::clamp(far.y, -north_m, north_m);
            AtStation here(k, maxwell_times, worst);
            const bool relaxes = maxwell_times > 0.0;
            for (const Group& group : groups_under(*request_.model, at.x, at.y, relaxes)) {
                const double z = 0.5 * (group.top_m + group.bottom_m);
                const double beyond_m = sizes_.at({far.x, far.y, z});
                const double here_m = sizes_.at({at.x, at.y, z});
                // Right after the slip a layer guides less: sizes that end behind the station count
                // as if they grew on from there.
                here.lid(group, relaxes ? beyond_m : std::min(beyond_m, kMostGrown * here_m),
                         here_m);
            }
            for (const Group& group : lids_under(*request_.model, at.x, at.y, relaxes)) {
                for (const Sublayer& layer : group.layers) {
                    const double z = 0.5 * (layer.top_m + layer.bottom_m);
                    here.layer(group, layer, sizes_.at({at.x, at.y, z}));
                }
            }
            above += here.largest() > kWorthTelling ? 1 : 0;
            errors.push_back(here.largest());
        }
        return errors;
    }

private:
    /// Axes of the box.
    [[nodiscard]] Vec3 in_box(const Vec3& x, double z) const {
        return {frame_.b(x.x, x.y), frame_.a(x.x, x.y), z};
    }

    const cleaving::VolumeMeshParams& request_;
    const std::vector<Vec3>& places_;
    cleaving::SizeField sizes_;
    meshing::BoxFrame frame_;
    std::vector<Vec3> faults_;
};

}  // namespace

ElementsAtStations elements_at_stations(const GreensJob& job, const Domain& domain,
                                        const cleaving::VolumeMeshParams& request) {
    ElementsAtStations found;
    const Stations stations(domain, request);
    for (std::size_t k = 0; k < domain.stations().size(); ++k) {
        found.at.push_back({stations.size_at_m(k), 0.0, 0.0});
    }
    if (!std::ranges::all_of(request.model->surfaces, [](const earth::ModelSurface& surface) {
            return surface.height.constant();
        })) {
        return found;
    }
    const auto tau_s = viscoelastic::shortest_relaxation_time_s(job.structure);
    const double maxwell_times = tau_s ? job.time.end_s / *tau_s : 0.0;
    Worst worst;
    std::size_t above = 0;
    std::vector<double> errors = stations.errors(0.0, worst, above);
    for (std::size_t k = 0; k < errors.size(); ++k) {
        found.at[k].layers_at_once = errors[k];
    }
    if (maxwell_times > 0.0) {
        worst = {};
        above = 0;
        errors = stations.errors(maxwell_times, worst, above);
        for (std::size_t k = 0; k < errors.size(); ++k) {
            found.at[k].layers_since = errors[k];
        }
    }
    if (worst.error > kWorthTelling) {
        found.warnings = {text_of(worst, job.stations[worst.station].id, maxwell_times, above)};
    }
    return found;
}

}  // namespace kaname::jobs
