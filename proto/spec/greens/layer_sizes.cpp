// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/layer_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "proto/spec/greens/mesh_sizes.hpp"
#include "proto/spec/greens/slip_places.hpp"
#include "proto/spec/greens/volumes.hpp"
#include "solvers/base/layer_error.hpp"

namespace kaname::spec {
namespace {

constexpr double kMostLeft = 1.4;  // of kLayerError, without sizes for layers
constexpr double kAlike = 3.0;     // of relaxation times: layers that relax together
constexpr double kStiffer = 1.3;   // of shear moduli: layers that differ right after the slip
// Sizes over the thickness of a layer, and how far they reach over the farthest station's distance:
// at once, as the mantle relaxes, which makes of a lid a guide, and beyond that.
constexpr double kPerThickness = 1.75;
constexpr double kReachAtOnce = 1.1, kReachLate = 2.0;
constexpr double kBeyond = 3.0, kReachBeyond = 3.2;
constexpr double kMostTets = 80e3;
constexpr double kTetsPerSizeCubed = 8.5, kCutToo = 1.5;

struct Rock {
    double mu_pa = 0.0, tau_s = 0.0;  ///< tau infinite: elastic
};

Rock rock_of(const v1::Material& material) {
    Rock rock;
    rock.mu_pa = material.has_mu_pa()
                     ? material.mu_pa()
                     : material.density_kg_per_m3() * material.vs_m_per_s() * material.vs_m_per_s();
    rock.tau_s = std::numeric_limits<double>::infinity();
    const auto add = [&](double viscosity_pa_s, double mu_pa) {
        if (viscosity_pa_s > 0.0 && mu_pa > 0.0) {
            rock.tau_s = std::min(rock.tau_s, viscosity_pa_s / mu_pa);
        }
    };
    add(material.has_viscosity_range_pa_s() ? material.viscosity_range_pa_s().from()
                                            : material.viscosity_pa_s(),
        rock.mu_pa - material.relaxed_mu_pa());
    add(material.has_kelvin_viscosity_range_pa_s() ? material.kelvin_viscosity_range_pa_s().from()
                                                   : material.kelvin_viscosity_pa_s(),
        material.kelvin_mu_pa());
    return rock;
}

struct RockLayer {
    Rock rock;
    double top_m = 0.0, bottom_m = 0.0;
    [[nodiscard]] double thickness_m() const { return bottom_m - top_m; }
};

/// The layers above the last one, which has no bottom.
std::vector<RockLayer> layers_of(const v1::Structure& structure, Rock& below) {
    std::vector<RockLayer> layers;
    double top_m = 0.0;
    for (const v1::Layer& layer : structure.layers()) {
        for (const v1::Material& material : structure.materials()) {
            if (material.name() != layer.material()) {
                continue;
            }
            below = rock_of(material);
            if (layer.bottom_depth_m() > top_m) {
                layers.push_back({below, top_m, layer.bottom_depth_m()});
                top_m = layer.bottom_depth_m();
            }
        }
    }
    return layers;
}

/// A largest size down to a depth.
struct Wish {
    double depth_m, size_m;
};

class Layers {
public:
    explicit Layers(const v1::GreensBatch& batch) : end_s_(batch.time().end_s()) {
        Rock below;
        for (const RockLayer& layer : layers_of(batch.structure(), below)) {
            if (groups_.empty() || differ(groups_.back().rock, layer.rock)) {
                groups_.push_back(layer);
            }
            groups_.back().bottom_m = layer.bottom_m;
            tau_s_ = std::min(tau_s_, layer.rock.tau_s);
        }
        tau_s_ = std::min(tau_s_, below.tau_s);
        // A layer that is like the rock below it is none.
        if (!groups_.empty() && !differ(groups_.back().rock, below)) {
            groups_.pop_back();
        }
    }

    [[nodiscard]] bool none() const { return groups_.empty(); }
    [[nodiscard]] double maxwell_times() const {
        return std::isfinite(tau_s_) ? end_s_ / tau_s_ : 0.0;
    }
    [[nodiscard]] bool late() const { return maxwell_times() > 0.0; }
    /// Returns the largest error of all layers; elements have size_m(depth).
    template <class Size>
    [[nodiscard]] double error(const Size& size_m) const {
        double worst = 0.0;
        for (const RockLayer& group : groups_) {
            worst = std::max(
                worst, layer_error({size_m(group.bottom_m), group.thickness_m(), maxwell_times()}));
        }
        return worst;
    }
    /// Depths and sizes both ascend.
    [[nodiscard]] std::vector<Wish> wishes() const {
        std::vector<Wish> all;
        for (const RockLayer& group : groups_) {
            all.push_back({group.bottom_m, kPerThickness * group.thickness_m()});
        }
        double least_m = std::numeric_limits<double>::infinity();
        std::vector<Wish> kept;
        for (auto wish = all.rbegin(); wish != all.rend(); ++wish) {
            if (wish->size_m < least_m) {
                least_m = wish->size_m;
                kept.insert(kept.begin(), *wish);
            }
        }
        return kept;
    }

private:
    [[nodiscard]] bool differ(const Rock& a, const Rock& b) const {
        if (end_s_ == 0.0) {
            return std::max(a.mu_pa, b.mu_pa) > kStiffer * std::min(a.mu_pa, b.mu_pa);
        }
        const bool elastic = std::isinf(a.tau_s) && std::isinf(b.tau_s);
        return !elastic && !(std::max(a.tau_s, b.tau_s) <= kAlike * std::min(a.tau_s, b.tau_s));
    }
    double end_s_;
    std::vector<RockLayer> groups_;  ///< of layers that relax alike
    double tau_s_ = std::numeric_limits<double>::infinity();
};

struct Far {
    std::string id;
    double away_m = 0.0;
};

Far farthest(const SlipPlaces& slip, const std::vector<SpecStation>& stations) {
    Far far;
    for (const SpecStation& station : stations) {
        double away_m = std::numeric_limits<double>::infinity();
        for (const LonLat& at : slip.at) {
            away_m = std::min(away_m, distance_m(at, {station.lon_deg, station.lat_deg}));
        }
        if (away_m > far.away_m) {
            far = {station.id, away_m};
        }
    }
    return far;
}

/// Elements that wishes take between two distances; what grows below the last is most of it.
double tets_of(const std::vector<Wish>& wishes, double from_m, double to_m, double growth) {
    const double area = 3.14159 * std::max(to_m * to_m - from_m * from_m, 0.0);
    double tets = 0.0, top_m = 0.0;
    for (const Wish& wish : wishes) {
        tets += (wish.depth_m - top_m) / std::pow(wish.size_m, 3.0);
        top_m = wish.depth_m;
    }
    tets += 0.5 / (growth * std::pow(wishes.back().size_m, 2.0));
    return kCutToo * kTetsPerSizeCubed * area * tets;
}

/// Returns its text, empty where far elements are as small.
std::string add(const Wish& wish, double reach_m, v1::Mesh& mesh) {
    const double size_m = rounded_down(wish.size_m);
    if (size_m >= mesh.size_far_m()) {
        return "";
    }
    const bool first = mesh.sizes_by_depth().empty();
    if (!first && mesh.sizes_by_depth().rbegin()->size_m() >= size_m) {  // but for rounding
        mesh.mutable_sizes_by_depth()->rbegin()->set_depth_m(wish.depth_m);
        return "";
    }
    v1::DepthSize& entry = *mesh.add_sizes_by_depth();
    entry.set_depth_m(wish.depth_m);
    entry.set_size_m(size_m);
    entry.set_reach_m(rounded_down(reach_m));
    char text[120];
    std::snprintf(text, sizeof text, "%s%.4g km down to %.4g km within %.4g km of the fault",
                  first ? "" : ", ", size_m / 1e3, wish.depth_m / 1e3, entry.reach_m() / 1e3);
    return text;
}

}  // namespace

std::string choose_layer_sizes(v1::GreensBatch& batch, const std::vector<SpecStation>& stations,
                               bool sizes_open) {
    const SlipPlaces slip = places_of_slip(batch);
    v1::Mesh& mesh = *batch.mutable_mesh();
    if (!sizes_open || mesh.has_file() || !batch.region().crs().empty() || has_volumes(batch) ||
        slip.at.empty() || stations.empty() || !(mesh.size_far_m() > 0.0) ||
        !(mesh.growth() > 0.0)) {
        return "";
    }
    const Layers layers(batch);
    const Far far = farthest(slip, stations);
    const double there_m = std::min(
        mesh.size_far_m(), mesh.size_at_fault_m() + mesh.growth() * kLayersBeyond * far.away_m);
    if (layers.none() || layers.error([&](double) { return there_m; }) <= kMostLeft * kLayerError) {
        return "";
    }
    std::vector<Wish> wishes = layers.wishes();
    const double reach_m = (layers.late() ? kReachLate : kReachAtOnce) * far.away_m;
    const double beyond_m = layers.late() ? kReachBeyond * far.away_m : 0.0;
    const auto beyond = [&] {
        return Wish{1.001 * wishes.back().depth_m, kBeyond / kPerThickness * wishes.back().size_m};
    };
    const auto tets = [&] {
        return tets_of(wishes, 0.0, reach_m, mesh.growth()) +
               tets_of({beyond()}, reach_m, beyond_m, mesh.growth());
    };
    while (tets() > kMostTets) {
        for (Wish& wish : wishes) {
            wish.size_m *= 1.02;
        }
    }
    std::string sizes;
    for (const Wish& wish : wishes) {
        sizes += add(wish, reach_m, mesh);
    }
    if (layers.late() && !sizes.empty()) {
        sizes += add(beyond(), beyond_m, mesh);
    }
    if (sizes.empty()) {
        return "";
    }
    const double error = layers.error([&](double depth_m) {
        const auto found =
            std::ranges::find_if(wishes, [&](const Wish& wish) { return depth_m <= wish.depth_m; });
        return found == wishes.end() ? there_m : found->size_m;
    });
    char text[200];
    std::snprintf(text, sizeof text,
                  "; elements in layers change the motion of station '%s' %s by about %.1f %% "
                  "(predicted)",
                  far.id.c_str(), layers.late() ? "since the slip" : "right after the slip",
                  100.0 * error);
    return "mesh: sizes_by_depth " + sizes + text;
}

}  // namespace kaname::spec
