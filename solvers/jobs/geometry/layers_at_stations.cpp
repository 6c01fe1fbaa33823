// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/layers_at_stations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "solvers/base/layer_error.hpp"
#include "solvers/earth/column.hpp"
#include "solvers/meshing/box_frame.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"

namespace kaname::jobs {
namespace {

constexpr double kWorthTelling = 0.02;
constexpr double kPerThickness = 1.75;  // of sizes that keep a layer
constexpr double kAlike = 3.0;          // of relaxation times
constexpr double kStiffer = 1.3;        // of shear moduli, right after the slip

/// Rock on a vertical line that behaves as one.
struct Group {
    const earth::Material* rock = nullptr;
    std::string first, last;  ///< volumes
    double top_m = 0.0, bottom_m = 0.0;
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
    }
    if (!groups.empty()) {
        groups.pop_back();
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
    Group group;
    std::size_t station = 0;
    LayerCase of;
    double error = 0.0;
};

}  // namespace

std::vector<std::string> layers_at_stations(const GreensJob& job, const Domain& domain,
                                            const cleaving::VolumeMeshParams& request) {
    if (!std::ranges::all_of(request.model->surfaces, [](const earth::ModelSurface& surface) {
            return surface.height.constant();
        })) {
        return {};
    }
    const auto tau_s = viscoelastic::shortest_relaxation_time_s(job.structure);
    const double maxwell_times = tau_s ? job.time.end_s / *tau_s : 0.0;
    const cleaving::SizeField sizes(request.sizes, request.box, request.model);
    const meshing::BoxFrame frame(request.box.azimuth_rad);
    const std::vector<Vec3> faults = middles_of_faults(request);
    Worst worst;
    std::size_t above = 0;
    const std::vector<Vec3>& places = domain.stations();
    for (std::size_t k = 0; k < places.size(); ++k) {
        const double u = frame.b(places[k].x, places[k].y);
        const double v = frame.a(places[k].x, places[k].y);
        // Beyond the station, but within the box.
        const Vec3 far = beyond(places[k], faults);
        const double u_beyond = std::clamp(frame.b(far.x, far.y), -0.5 * request.box.size_east_m,
                                           0.5 * request.box.size_east_m);
        const double v_beyond = std::clamp(frame.a(far.x, far.y), -0.5 * request.box.size_north_m,
                                           0.5 * request.box.size_north_m);
        double here = 0.0;
        for (const Group& group : groups_under(*request.model, u, v, maxwell_times > 0.0)) {
            const double middle_m = 0.5 * (group.top_m + group.bottom_m);
            const LayerCase of{sizes.at({u_beyond, v_beyond, middle_m}),
                               group.top_m - group.bottom_m, maxwell_times};
            const double error = layer_error(of);
            here = std::max(here, error);
            if (error > worst.error) {
                worst = {group, k, of, error};
            }
        }
        above += here > kWorthTelling ? 1 : 0;
    }
    if (worst.error <= kWorthTelling) {
        return {};
    }
    const std::string layers = worst.group.first == worst.group.last
                                   ? "'" + worst.group.first + "'"
                                   : "'" + worst.group.first + "' to '" + worst.group.last + "'";
    const std::string others =
        above > 1 ? " (and of " + std::to_string(above - 1) + " others by more than 2 %)" : "";
    char text[600];
    std::snprintf(text, sizeof text,
                  "mesh: elements of %.3g km about the %.3g km of %s change the motion of station "
                  "'%s' %s by about %.0f %%%s (predicted); sizes_by_depth of %.2g km down to %.4g "
                  "km, with a reach of twice the station's distance, keep the layer",
                  worst.of.size_m / 1e3, worst.of.thickness_m / 1e3, layers.c_str(),
                  job.stations[worst.station].id.c_str(),
                  maxwell_times > 0.0 ? "since the slip" : "right after the slip",
                  100.0 * worst.error, others.c_str(), kPerThickness * worst.of.thickness_m / 1e3,
                  -worst.group.bottom_m / 1e3);
    return {text};
}

}  // namespace kaname::jobs
