// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/build_volumes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "solvers/base/error.hpp"
#include "solvers/base/predicted_error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/columns.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "worker/jobs/geometry/sources/fault_patches.hpp"

namespace kaname::jobs {
namespace {

/// Fields of the model's description as the specification has them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kFields = {
    {{".outline_path", ".outline"},
     {"fault.interface.path", "fault.interface.surface"},
     {".profile_path", ".profile.file"},
     {".columns_path", ".columns.file"},
     {".columns_layer", ".columns.layer"},
     {".path", ".file"},
     {".steps", ".profile.steps"}}};

ValidationError in_fields_of_the_specification(const ValidationError& error) {
    std::vector<Violation> violations = error.violations();
    for (Violation& violation : violations) {
        for (const auto& [ours, theirs] : kFields) {
            if (violation.field.ends_with(ours)) {
                violation.field.replace(violation.field.size() - ours.size(), ours.size(), theirs);
                break;
            }
        }
    }
    return ValidationError(std::move(violations));
}

}  // namespace

earth::BuiltVolumeModel build_structure(const earth::VolumeModelSpec& spec,
                                        const earth::Projection& projection) {
    try {
        return earth::build_volume_model(spec, projection);
    } catch (const ValidationError& error) {
        throw in_fields_of_the_specification(error);
    }
}

void build_volumes(GreensJob& job) {
    if (std::holds_alternative<MeshFileSpec>(job.fault)) {
        return;
    }
    if (!job.volumes) {
        job.volumes = volumes_of_layers(job);
        if (auto* interface = std::get_if<InterfaceSpec>(&job.fault)) {
            interface->of = kInterfaceOfLayers;
        }
    }
    earth::VolumeModelSpec spec = *job.volumes;
    spec.size_u_m = job.region.size_east_m;
    spec.size_v_m = job.region.size_north_m;
    spec.depth_m = job.region.depth_m;
    spec.azimuth_rad = job.region.azimuth_deg * kDegree;
    std::optional<earth::Projection> projection;
    projection.emplace(earth::LonLat{job.region.centre_lon_deg, job.region.centre_lat_deg});
    spec.focus = plan_focus(job, projection);
    auto built = build_structure(spec, *projection);
    job.structure.materials = built.model->materials;
    job.volume_model = std::make_shared<const earth::BuiltVolumeModel>(std::move(built));
}

namespace {

// How far an interface that reaches the surface goes on over it: its data end at the ground or a
// little under it, and a bend there would be a bend of the fault.
constexpr double kOverTheGround_m = 3000.0;

earth::SurfaceSpec surface_of(const InterfaceSpec& interface) {
    earth::SurfaceSpec surface;
    surface.name = kInterfaceOfLayers;
    surface.field = "fault.interface";
    surface.path = interface.surface_path;
    surface.min_depth_m = interface.reaches_surface ? -kOverTheGround_m : interface.min_depth_m;
    surface.max_depth_m = interface.max_depth_m;
    surface.has_limits = true;
    surface.smoothing_length_m = interface.smoothing_length_m;
    return surface;
}

struct Stack {
    const std::vector<earth::Layer>& layers;
    std::string name, field;
    bool under_interface;  ///< each lies under the one before; else those before cut through it
};

/// Adds a stack of layers as volumes.
void add(const Stack& stack, earth::VolumeModelSpec& spec) {
    const std::vector<earth::Layer>& layers = stack.layers;
    std::string top = kInterfaceOfLayers;
    for (std::size_t k = 0; k < layers.size(); ++k) {
        const std::string number = std::to_string(k);
        const std::string field = stack.field + "[" + number + "]";
        earth::VolumeSpec volume;
        volume.name = stack.name + "-" + number;
        volume.field = field;
        volume.material = layers[k].material;
        volume.may_be_nowhere = true;  // beneath the box, or between the interface's depths
        if (stack.under_interface) {
            volume.top = top;
        }
        if (layers[k].bottom_depth_m) {
            earth::SurfaceSpec bottom;
            bottom.name = "bottom-of-" + volume.name;
            bottom.field = field;
            if (stack.under_interface) {
                bottom.below = kInterfaceOfLayers;
                bottom.thickness_m = *layers[k].bottom_depth_m;
                bottom.vertical = true;
            } else {
                bottom.depth_m = layers[k].bottom_depth_m;
            }
            top = volume.bottom = bottom.name;
            spec.surfaces.push_back(std::move(bottom));
        }
        spec.volumes.push_back(std::move(volume));
    }
}

}  // namespace

earth::VolumeModelSpec volumes_of_layers(const earth::LayeredStructure& layers) {
    earth::VolumeModelSpec spec;
    spec.materials = layers.materials;
    add({layers.layers, "layer", "structure.layers", false}, spec);
    return spec;
}

earth::VolumeModelSpec volumes_of_layers(const GreensJob& job) {
    earth::VolumeModelSpec spec;
    spec.materials = job.structure.materials;
    if (const auto* interface = std::get_if<InterfaceSpec>(&job.fault)) {
        spec.surfaces.push_back(surface_of(*interface));
        add({job.structure.below_interface, "below-interface", "structure.below_interface", true},
            spec);
    }
    add({job.structure.layers, "layer", "structure.layers", false}, spec);
    return spec;
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

    /// A lid, whose elements as far again from the fault have this size.
    void lid(const Group& group, double size_m) {
        const double thickness_m = group.top_m - group.bottom_m;
        take({group.first == group.last ? "'" + group.first + "'"
                                        : "'" + group.first + "' to '" + group.last + "'",
              station_, size_m, thickness_m, group.bottom_m, false,
              layer_error({size_m, thickness_m, maxwell_times_})});
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
        AtStation here(k, maxwell_times, worst);
        for (const Group& group : groups_under(*request.model, u, v, maxwell_times > 0.0)) {
            const double z = 0.5 * (group.top_m + group.bottom_m);
            const double beyond_m = sizes.at({u_beyond, v_beyond, z});
            // Right after the slip a layer guides less: sizes that end behind the station count as
            // if they grew on from there.
            here.lid(group, maxwell_times > 0.0
                                ? beyond_m
                                : std::min(beyond_m, kMostGrown * sizes.at({u, v, z})));
        }
        for (const Group& group : lids_under(*request.model, u, v, maxwell_times > 0.0)) {
            for (const Sublayer& layer : group.layers) {
                here.layer(group, layer, sizes.at({u, v, 0.5 * (layer.top_m + layer.bottom_m)}));
            }
        }
        above += here.largest() > kWorthTelling ? 1 : 0;
    }
    if (worst.error <= kWorthTelling) {
        return {};
    }
    return {text_of(worst, job.stations[worst.station].id, maxwell_times, above)};
}

}  // namespace kaname::jobs
