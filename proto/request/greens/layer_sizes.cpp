// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/layer_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "proto/request/greens/box.hpp"
#include "proto/request/greens/volumes.hpp"
#include "solvers/base/predicted_error.hpp"

namespace kaname::request {
namespace {

constexpr double kMostLeft = 1.4;  // of kLayerError, without sizes for layers
constexpr double kAlike = 3.0;     // of relaxation times: layers that relax together
constexpr double kStiffer = 1.3;   // of shear moduli: layers that differ right after the slip
// Sizes over the thickness of a layer, and how far they reach over the farthest station's distance:
// at once, as the mantle relaxes, which makes of a lid a guide, and beyond that.
constexpr double kPerThickness = 1.75;
constexpr double kReachAtOnce = 1.1, kReachLate = 2.0, kLeastReach = 0.4;
// Sizes over the thickness of a layer that is stiffer or softer than its lid: smaller ones change
// nothing, larger ones keep none of it.
constexpr double kLeastPerLayer = 1.2, kMostPerLayer = 2.8;
constexpr double kMostTetsOfLayers =
    100e3;  // there are some three times as many, cut by the layers
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

/// A layer of a lid, and how its stiffness stands out (StiffnessCase::share).
struct LidLayer {
    double bottom_m = 0.0, thickness_m = 0.0, share = 0.0;
};
void add_lid(const std::vector<RockLayer>& lid, std::vector<LidLayer>& layers) {
    double sum = 0.0, thickness_m = 0.0;
    for (const RockLayer& layer : lid) {
        sum += layer.rock.mu_pa * layer.thickness_m();
        thickness_m += layer.thickness_m();
    }
    for (const RockLayer& layer : lid) {
        layers.push_back(
            {layer.bottom_m, layer.thickness_m(),
             std::abs(layer.rock.mu_pa - sum / thickness_m) * layer.thickness_m() / sum});
    }
}

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
        const std::vector<RockLayer> layers = layers_of(batch.structure(), below);
        for (const RockLayer& layer : layers) {
            tau_s_ = std::min(tau_s_, layer.rock.tau_s);
        }
        tau_s_ = std::min(tau_s_, below.tau_s);
        std::vector<RockLayer> lid;
        for (const RockLayer& layer : layers) {
            if (groups_.empty() || differ(groups_.back().rock, layer.rock)) {
                groups_.push_back(layer);
            }
            groups_.back().bottom_m = layer.bottom_m;
            if (late() && !lid.empty() && differ(lid.back().rock, layer.rock)) {
                add_lid(lid, in_lids_);
                lid.clear();
            }
            lid.push_back(layer);
        }
        // A layer that is like the rock below it is none.
        const bool ends = !groups_.empty() && differ(groups_.back().rock, below);
        if (!groups_.empty() && !ends) {
            groups_.pop_back();
        }
        if (ends || !late()) {
            add_lid(lid, in_lids_);
        }
    }

    [[nodiscard]] bool none() const { return groups_.empty(); }
    [[nodiscard]] double maxwell_times() const {
        return std::isfinite(tau_s_) ? end_s_ / tau_s_ : 0.0;
    }
    [[nodiscard]] bool late() const { return maxwell_times() > 0.0; }
    /// Returns the largest error of all layers, whose elements have these sizes twice as far away
    /// as the station, and beside it.
    [[nodiscard]] double error(double there_m, double here_m) const {
        double worst = 0.0;
        for (const RockLayer& group : groups_) {
            worst = std::max(worst,
                             layer_error({there_m, group.thickness_m(), maxwell_times(), here_m}));
        }
        return worst;
    }
    /// Returns the largest error of layers within lids, whose elements have this size.
    [[nodiscard]] double stiffness(double size_m) const {
        double worst = 0.0;
        for (const LidLayer& layer : in_lids_) {
            worst = std::max(
                worst, stiffness_error({size_m, layer.thickness_m, layer.share, maxwell_times()}));
        }
        return worst;
    }
    /// Sizes that keep the layers of lids that stand out, `times` as large as would be right.
    [[nodiscard]] std::vector<Wish> wishes_in_lids(double times) const {
        std::vector<Wish> all;
        for (const LidLayer& layer : in_lids_) {
            // The motion right after the slip: the change since would take smaller ones still.
            const double error =
                stiffness_error({1e3 * layer.thickness_m, layer.thickness_m, layer.share, 0.0});
            const double c =
                times * std::max(kLeastPerLayer, 3.0 * std::pow(kLayerError / error, 0.25));
            if (error > kLayerError && c <= kMostPerLayer) {
                all.push_back({layer.bottom_m, c * layer.thickness_m});
            }
        }
        return ascending(all);
    }
    /// Depths and sizes both ascend.
    [[nodiscard]] std::vector<Wish> wishes() const {
        std::vector<Wish> all;
        for (const RockLayer& group : groups_) {
            all.push_back({group.bottom_m, kPerThickness * group.thickness_m()});
        }
        return ascending(all);
    }

private:
    /// A wish holds for all that is above it: larger ones there are none.
    static std::vector<Wish> ascending(const std::vector<Wish>& all) {
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
    [[nodiscard]] bool differ(const Rock& a, const Rock& b) const {
        if (!late()) {
            return std::max(a.mu_pa, b.mu_pa) > kStiffer * std::min(a.mu_pa, b.mu_pa);
        }
        const bool elastic = std::isinf(a.tau_s) && std::isinf(b.tau_s);
        return !elastic && !(std::max(a.tau_s, b.tau_s) <= kAlike * std::min(a.tau_s, b.tau_s));
    }
    double end_s_;
    std::vector<RockLayer> groups_;  ///< of layers that relax alike
    std::vector<LidLayer> in_lids_;
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

/// Sizes in layers, and how far from the fault they hold.
struct Chosen {
    std::vector<Wish> in_lids, lids;
    double reach_m = 0.0, beyond_m = 0.0;  ///< of lids, and of larger ones behind it
    [[nodiscard]] Wish beyond() const {
        return {1.001 * lids.back().depth_m, kBeyond / kPerThickness * lids.back().size_m};
    }
};

/// Layers of lids that stand out are kept where that takes no more elements than there may be, or
/// not at all: elements between blunt them as much as large ones.
Chosen layers_kept(const Layers& layers, double away_m, double growth) {
    Chosen chosen{.in_lids = {},
                  .lids = layers.wishes(),
                  .reach_m = (layers.late() ? kReachLate : kReachAtOnce) * away_m,
                  .beyond_m = layers.late() ? kReachBeyond * away_m : 0.0};
    const auto tets = [&] {
        return chosen.lids.empty()
                   ? 0.0
                   : tets_of(chosen.lids, 0.0, chosen.reach_m, growth) +
                         tets_of({chosen.beyond()}, chosen.reach_m, chosen.beyond_m, growth);
    };
    // Larger elements would blunt the layer for all stations, a shorter reach does for far ones.
    while (tets() > kMostTets && chosen.reach_m > kLeastReach * away_m) {
        chosen.reach_m *= 0.98;
        chosen.beyond_m *= 0.98;
    }
    while (tets() > kMostTets) {
        for (Wish& wish : chosen.lids) {
            wish.size_m *= 1.02;
        }
    }
    for (double times = 1.0;; times *= 1.02) {
        std::vector<Wish> in_lids = layers.wishes_in_lids(times);
        // Sizes of the uppermost lid are kept, as far as they are smaller than its own.
        std::erase_if(in_lids, [&](const Wish& wish) {
            return !chosen.lids.empty() && (wish.depth_m > chosen.lids.front().depth_m ||
                                            wish.size_m >= chosen.lids.front().size_m);
        });
        if (in_lids.empty() ||
            tets_of(in_lids, 0.0, kReachAtOnce * away_m, growth) <= kMostTetsOfLayers) {
            chosen.in_lids = std::move(in_lids);
            break;
        }
    }
    // Depths ascend, those of a lid behind those of its layers.
    if (!chosen.lids.empty() && !chosen.in_lids.empty()) {
        chosen.lids.front().depth_m =
            std::max(chosen.lids.front().depth_m, 1.0005 * chosen.in_lids.back().depth_m);
    }
    return chosen;
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

std::string choose_layer_sizes(v1::GreensBatch& batch, const SlipPlaces& slip,
                               const std::vector<SpecStation>& stations, bool sizes_open) {
    v1::Mesh& mesh = *batch.mutable_mesh();
    if (!sizes_open || mesh.has_file() || !batch.region().crs().empty() || has_volumes(batch) ||
        slip.at.empty() || stations.empty() || !(mesh.size_far_m() > 0.0) ||
        !(mesh.growth() > 0.0)) {
        return "";
    }
    const Layers layers(batch);
    const Far far = farthest(slip, stations);
    const auto grown_m = [&](double away_m) {
        return std::min(mesh.size_far_m(), mesh.size_at_fault_m() + mesh.growth() * away_m);
    };
    const double there_m = grown_m(kLayersBeyond * far.away_m), at_station_m = grown_m(far.away_m);
    if (std::max(layers.error(there_m, at_station_m), layers.stiffness(at_station_m)) <=
        kMostLeft * kLayerError) {
        return "";
    }
    const Chosen chosen = layers_kept(layers, far.away_m, mesh.growth());
    std::string sizes;
    for (const Wish& wish : chosen.in_lids) {
        sizes += add(wish, kReachAtOnce * far.away_m, mesh);
    }
    for (const Wish& wish : chosen.lids) {
        sizes += add(wish, chosen.reach_m, mesh);
    }
    if (layers.late() && !chosen.lids.empty() && !sizes.empty()) {
        sizes += add(chosen.beyond(), chosen.beyond_m, mesh);
    }
    if (sizes.empty()) {
        return "";
    }
    return "mesh: sizes_by_depth " + sizes;
}

}  // namespace kaname::request
