// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/volume_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <utility>

#include "solvers/base/layer_guides.hpp"
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

/// Moment tensors act on a ball of some elements, which are all of the size at a fault.
std::vector<Vec3> around_moments(const GreensJob& job, const Domain& domain) {
    std::vector<Vec3> around;
    for (const Vec3& at : moment_places(job, domain)) {
        around.push_back(at);
        for (int comp = 0; comp < 3; ++comp) {
            for (const double side : {-1.0, 1.0}) {
                around.push_back(at);
                around.back()[comp] += side * job.mesh.size_at_fault_m;
            }
        }
    }
    return around;
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
    if (std::vector<Vec3> around = around_moments(job, domain); !around.empty()) {
        params.sizes.points.push_back({job.mesh.size_at_fault_m, std::move(around)});
    }
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
    const bool far = at_stations_.farthest_m > cleaving::kNearFault_m;
    const std::vector<cleaving::LayerKept> as_far =
        far ? cleaving::layers_kept(request_, at_stations_.farthest_m) : kept;
    const auto lost = [](const cleaving::LayerKept& of) {
        return of.model_m3 > 0.0 ? 1.0 - of.left_m3 / of.model_m3 : 0.0;
    };
    const auto text_of = [&](std::size_t k, const cleaving::LayerKept& of, double around_m,
                             const std::string& station) {
        char text[400];
        std::snprintf(text, sizeof text,
                      "mesh: volume '%s' loses %.0f %% of its %.3g km3 within %.0f km of the "
                      "fault%s to its neighbours, where it is thinner than %g of the elements "
                      "(mesh.thinnest_layer); smaller sizes keep it",
                      request_.model->volumes[k].name.c_str(), 100.0 * lost(of), of.model_m3 / 1e9,
                      around_m / 1e3, station.c_str(), request_.thinnest);
        return std::string(text);
    };
    for (std::size_t k = 0; k < kept.size(); ++k) {
        if (lost(kept[k]) > kLost) {
            result.push_back(text_of(k, kept[k], cleaving::kNearFault_m, ""));
        } else if (lost(as_far[k]) > kLost) {
            result.push_back(text_of(k, as_far[k], at_stations_.farthest_m,
                                     ", as far as station '" + at_stations_.farthest + "',"));
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
constexpr double kPerThickness = 2.0, kPerLayer = 1.75;  // of sizes that keep a guide, a layer
constexpr double kReach = 2.5;                           // over the station's distance

/// The rock on a vertical line, with the names of its volumes.
struct RockProfile {
    std::vector<RockLayer> layers;
    std::vector<std::string> volumes;

    [[nodiscard]] std::string names(std::size_t first, std::size_t last) const {
        return volumes[first] == volumes[last]
                   ? "'" + volumes[first] + "'"
                   : "'" + volumes[first] + "' to '" + volumes[last] + "'";
    }
};

/// `end_s`: 0 for rock right after the slip.
RockProfile profile_under(const earth::VolumeModel& model, double u, double v, double end_s) {
    const earth::Column column(model, earth::Column::heights_at(model, u, v));
    RockProfile line;
    for (int r = 0; r < column.runs; ++r) {
        const earth::Column::Run& run = column.run[r];
        if (run.volume == earth::kAir || !(run.thickness_m() > 0.0)) {
            continue;
        }
        const earth::Volume& volume = model.volumes[run.volume];
        const earth::Material& rock = model.materials.at(static_cast<std::size_t>(
            volume.material->material_at(u, v, 0.5 * (run.top_m + run.bottom_m))));
        const auto tau_s = viscoelastic::shortest_relaxation_time_s(rock);
        line.layers.push_back(
            {-run.top_m, -run.bottom_m, rock.mu_pa, tau_s ? end_s / *tau_s : 0.0});
        line.volumes.push_back(volume.name);
    }
    return line;
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

/// Places on the way from the nearest fault through a station, at so many times its distance.
struct Ray {
    Vec3 from, to;
    [[nodiscard]] Vec3 at(double times) const { return from + times * (to - from); }
};
Ray ray_to(const Vec3& place, const std::vector<Vec3>& faults) {
    const auto away = [&](const Vec3& fault) {
        return std::hypot(fault.x - place.x, fault.y - place.y);
    };
    const auto nearest = std::ranges::min_element(faults, {}, away);
    return {nearest == faults.end() ? place : *nearest, place};
}

std::vector<double> depths_of_faults(const cleaving::VolumeMeshParams& request) {
    std::vector<double> depths_m;
    for (const cleaving::FaultRequest& fault : request.faults) {
        for (const Vec3& x : fault.samples) {
            depths_m.push_back(-x.z);
        }
    }
    std::ranges::sort(depths_m);
    return depths_m;
}

struct Worst {
    std::string layers;
    std::size_t station = 0;
    double size_m = 0.0, thickness_m = 0.0, bottom_m = 0.0;
    bool stiffness = false;  ///< of a layer beside those of its lid
    double error = 0.0;
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
        (worst.stiffness ? kPerLayer : kPerThickness) * worst.thickness_m / 1e3,
        worst.bottom_m / 1e3,
        worst.stiffness ? "the station's distance"
                        : (formatted("%g", kReach) + " times the station's distance").c_str());
    return text;
}

/// Walks over the stations of a job.
class Stations {
public:
    Stations(const GreensJob& job, const Domain& domain, const cleaving::VolumeMeshParams& request)
        : request_(request),
          places_(domain.stations()),
          sizes_(request.sizes, request.box, request.model),
          frame_(request.box.azimuth_rad),
          faults_(middles_of_faults(request)),
          depths_m_(depths_of_faults(request)) {
        for (const Vec3& at : moment_places(job, domain)) {
            faults_.push_back(at);
            depths_m_.insert(std::ranges::upper_bound(depths_m_, -at.z), -at.z);
        }
    }

    [[nodiscard]] double size_at_m(std::size_t station) const {
        return sizes_.at(in_box(places_[station], places_[station].z));
    }

    /// Returns the distance on the map from the nearest sample of a fault.
    [[nodiscard]] double away_m(std::size_t station) const {
        double nearest_m = std::numeric_limits<double>::infinity();
        for (const cleaving::FaultRequest& fault : request_.faults) {
            for (const Vec3& x : fault.samples) {
                nearest_m = std::min(
                    nearest_m, std::hypot(x.x - places_[station].x, x.y - places_[station].y));
            }
        }
        return nearest_m;
    }

    /// Returns the error of layers at each station until `end_s`, when the rock that relaxes first
    /// has done so for so many Maxwell times; `worst` is the one that is worst off, `above` the
    /// number of those above what is worth telling.
    [[nodiscard]] std::vector<double> errors(double end_s, double maxwell_times, Worst& worst,
                                             std::size_t& above) const {
        std::vector<double> errors;
        for (std::size_t k = 0; k < places_.size(); ++k) {
            Worst here;
            const auto take = [&](Worst of) {
                of.station = k;
                if (of.error > here.error) {
                    here = std::move(of);
                }
            };
            const Ray ray = ray_to(places_[k], faults_);
            const Vec3 at = in_box(places_[k], 0.0);
            const RockProfile line = profile_under(*request_.model, at.x, at.y, end_s);
            for (const Guide& guide : guides_in(line.layers)) {
                const double top_m = line.layers[guide.first].top_m;
                const double bottom_m = line.layers[guide.last].bottom_m;
                const auto size_m = [&](double times) {
                    return size_within_m(ray.at(times), -0.5 * (top_m + bottom_m));
                };
                const GuideCase of{guide_lost(guide.thickness_m, size_m), maxwell_times,
                                   guide.stands_out, share_between(top_m, bottom_m)};
                take({line.names(guide.first, guide.last), k,
                      size_m(maxwell_times > 0.0 ? kReach : 1.0), guide.thickness_m, bottom_m,
                      false, guide_error(of)});
            }
            for (const LidLayer& of : lid_layers_in(line.layers)) {
                const RockLayer& layer = line.layers[of.layer];
                const double size_m =
                    size_within_m(places_[k], -0.5 * (layer.top_m + layer.bottom_m));
                take({line.names(of.layer, of.layer), k, size_m, layer.thickness_m(),
                      layer.bottom_m, true,
                      stiffness_error({size_m, layer.thickness_m(), of.share, maxwell_times})});
            }
            above += here.error > kWorthTelling ? 1 : 0;
            errors.push_back(here.error);
            if (here.error > worst.error) {
                worst = std::move(here);
            }
        }
        return errors;
    }

private:
    /// Axes of the box.
    [[nodiscard]] Vec3 in_box(const Vec3& x, double z) const {
        return {frame_.b(x.x, x.y), frame_.a(x.x, x.y), z};
    }
    /// Returns the share of the faults that lies between two depths.
    [[nodiscard]] double share_between(double top_m, double bottom_m) const {
        if (depths_m_.empty()) {
            return 1.0;
        }
        const auto inside = std::ranges::upper_bound(depths_m_, bottom_m) -
                            std::ranges::lower_bound(depths_m_, top_m);
        return static_cast<double>(inside) / static_cast<double>(depths_m_.size());
    }
    /// Beyond the box its sides' elements count.
    [[nodiscard]] double size_within_m(const Vec3& place, double z) const {
        Vec3 at = in_box(place, z);
        const double east_m = 0.5 * request_.box.size_east_m;
        const double north_m = 0.5 * request_.box.size_north_m;
        at.x = std::clamp(at.x, -east_m, east_m);
        at.y = std::clamp(at.y, -north_m, north_m);
        return sizes_.at(at);
    }

    const cleaving::VolumeMeshParams& request_;
    const std::vector<Vec3>& places_;
    cleaving::SizeField sizes_;
    meshing::BoxFrame frame_;
    std::vector<Vec3> faults_;
    std::vector<double> depths_m_;  ///< of the faults' samples, in their order
};

}  // namespace

ElementsAtStations elements_at_stations(const GreensJob& job, const Domain& domain,
                                        const cleaving::VolumeMeshParams& request) {
    ElementsAtStations found;
    const Stations stations(job, domain, request);
    for (std::size_t k = 0; k < domain.stations().size(); ++k) {
        found.at.push_back({stations.size_at_m(k), 0.0, 0.0});
    }
    if (!std::ranges::all_of(request.model->surfaces, [](const earth::ModelSurface& surface) {
            return surface.height.constant();
        })) {
        for (std::size_t k = 0; k < domain.stations().size(); ++k) {
            const double away_m = stations.away_m(k);
            if (away_m > found.farthest_m && std::isfinite(away_m)) {
                found.farthest_m = away_m;
                found.farthest = job.stations[k].id;
            }
        }
        return found;
    }
    const auto tau_s = viscoelastic::shortest_relaxation_time_s(job.structure);
    const double maxwell_times = tau_s ? job.time.end_s / *tau_s : 0.0;
    Worst worst;
    std::size_t above = 0;
    std::vector<double> errors = stations.errors(0.0, 0.0, worst, above);
    for (std::size_t k = 0; k < errors.size(); ++k) {
        found.at[k].layers_at_once = errors[k];
    }
    if (maxwell_times > 0.0) {
        worst = {};
        above = 0;
        errors = stations.errors(job.time.end_s, maxwell_times, worst, above);
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
