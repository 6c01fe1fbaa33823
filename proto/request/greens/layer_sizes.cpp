// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

#include "proto/request/greens/box.hpp"
#include "proto/request/greens/volumes.hpp"
#include "solvers/base/layer_guides.hpp"
#include "solvers/base/predicted_error.hpp"

namespace kaname::request {
namespace {

constexpr double kMostLeft = 1.4;  // of kLayerError, without sizes for layers
// Sizes over the thickness of a guide, and how far they reach over the farthest station's distance:
// at once, and as the mantle relaxes, when the motion comes back from beyond the station.
constexpr double kPerThickness = 2.0, kMostPerThickness = 2.2;
constexpr double kReachAtOnce = 1.1, kReachLate = 2.5, kReachShort = 1.4, kLeastReach = 0.4;
constexpr double kStandsOut = 0.3;  // of guides that have sizes of their own
// Sizes over the thickness of a layer that is stiffer or softer than its lid: smaller ones change
// nothing, larger ones keep none of it.
constexpr double kLeastPerLayer = 1.2, kEnoughPerLayer = 2.4, kMostPerLayer = 2.8;
constexpr double kMostTetsOfLayers =
    100e3;  // there are some three times as many, cut by the layers
constexpr double kMostTets = 80e3;
constexpr double kTetsPerSizeCubed = 8.5, kCutToo = 1.5;

constexpr double kNoBottom_m = std::numeric_limits<double>::infinity();

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

/// The layers, the last of which has no bottom.
std::vector<RockLayer> layers_of(const v1::GreensBatch& batch) {
    std::vector<RockLayer> layers;
    double top_m = 0.0;
    for (const v1::Layer& layer : batch.structure().layers()) {
        for (const v1::Material& material : batch.structure().materials()) {
            if (material.name() != layer.material()) {
                continue;
            }
            const Rock rock = rock_of(material);
            const double bottom_m =
                layer.bottom_depth_m() > top_m ? layer.bottom_depth_m() : kNoBottom_m;
            layers.push_back({top_m, bottom_m, rock.mu_pa, batch.time().end_s() / rock.tau_s});
            top_m = bottom_m;
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
    explicit Layers(const v1::GreensBatch& batch)
        : layers_(layers_of(batch)), guides_(guides_in(layers_)), in_lids_(lid_layers_in(layers_)) {
        for (const RockLayer& layer : layers_) {
            maxwell_times_ = std::max(maxwell_times_, layer.maxwell_times);
        }
    }

    [[nodiscard]] bool late() const { return maxwell_times_ > 0.0; }
    /// Returns the largest error of all guides at a station; elements have sizes that grow with
    /// the distance.
    [[nodiscard]] double error(double away_m, const std::function<double(double)>& grown_m) const {
        double worst = 0.0;
        for (const Guide& guide : guides_) {
            const double lost = guide_lost(guide.thickness_m,
                                           [&](double times) { return grown_m(times * away_m); });
            worst = std::max(worst, guide_error({lost, maxwell_times_, guide.stands_out, 1.0}));
        }
        return worst;
    }
    /// Returns the largest error of layers within lids, whose elements have this size.
    [[nodiscard]] double stiffness(double size_m) const {
        double worst = 0.0;
        for (const LidLayer& of : in_lids_) {
            worst = std::max(worst, stiffness_error({size_m, layers_[of.layer].thickness_m(),
                                                     of.share, maxwell_times_}));
        }
        return worst;
    }
    /// Sizes that keep the layers of lids that stand out, `times` as large as would be right.
    [[nodiscard]] std::vector<Wish> wishes_in_lids(double times) const {
        std::vector<Wish> all;
        for (const LidLayer& of : in_lids_) {
            // The motion right after the slip: the change since would take smaller ones still.
            const double thickness_m = layers_[of.layer].thickness_m();
            const double error = stiffness_error({1e3 * thickness_m, thickness_m, of.share, 0.0});
            const double c = times * std::clamp(3.5 * std::pow(kLayerError / error, 1.0 / 6.0),
                                                kLeastPerLayer, kEnoughPerLayer);
            if (error > kLayerError && c <= kMostPerLayer) {
                all.push_back({layers_[of.layer].bottom_m, c * thickness_m});
            }
        }
        return ascending(all);
    }
    /// Depths and sizes both ascend.
    [[nodiscard]] std::vector<Wish> wishes() const {
        std::vector<Wish> all;
        for (const Guide& guide : guides_) {
            if (guide.stands_out > kStandsOut) {
                all.push_back({layers_[guide.last].bottom_m, kPerThickness * guide.thickness_m});
            }
        }
        std::ranges::stable_sort(all, {}, &Wish::depth_m);
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
    std::vector<RockLayer> layers_;
    std::vector<Guide> guides_;
    std::vector<LidLayer> in_lids_;
    double maxwell_times_ = 0.0;
};

struct Far {
    std::string id;
    double away_m = 0.0;
};

Far farthest(const SlipPlaces& slip, const std::vector<RequestStation>& stations) {
    Far far;
    for (const RequestStation& station : stations) {
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

/// Elements that wishes take as far as they reach; what grows below the last is most of it.
double tets_of(const std::vector<Wish>& wishes, double reach_m, double growth) {
    const double area = 3.14159 * reach_m * reach_m;
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
    double reach_m = 0.0;  ///< of lids
};

/// Layers of lids that stand out are kept where that takes no more elements than there may be, or
/// not at all: elements between blunt them as much as large ones.
Chosen layers_kept(const Layers& layers, double away_m, double growth) {
    Chosen chosen{.in_lids = {},
                  .lids = layers.wishes(),
                  .reach_m = (layers.late() ? kReachLate : kReachAtOnce) * away_m};
    const auto tets = [&] {
        return chosen.lids.empty() ? 0.0 : tets_of(chosen.lids, chosen.reach_m, growth);
    };
    // A shorter reach loses the guide for far stations, larger elements lose it for all.
    const auto shrink_to = [&](double reach_m) {
        while (tets() > kMostTets && chosen.reach_m > reach_m) {
            chosen.reach_m *= 0.98;
        }
    };
    const auto enlarge_to = [&](double per_thickness) {
        for (double times = 1.0; tets() > kMostTets && times < per_thickness / kPerThickness;
             times *= 1.02) {
            for (Wish& wish : chosen.lids) {
                wish.size_m *= 1.02;
            }
        }
    };
    shrink_to(kReachShort * away_m);
    enlarge_to(kMostPerThickness);
    shrink_to(kLeastReach * away_m);
    enlarge_to(kNoBottom_m);
    for (double times = 1.0;; times *= 1.02) {
        std::vector<Wish> in_lids = layers.wishes_in_lids(times);
        // Sizes of the uppermost lid are kept, as far as they are smaller than its own.
        std::erase_if(in_lids, [&](const Wish& wish) {
            return !chosen.lids.empty() && (wish.depth_m > chosen.lids.front().depth_m ||
                                            wish.size_m >= chosen.lids.front().size_m);
        });
        if (in_lids.empty() ||
            tets_of(in_lids, kReachAtOnce * away_m, growth) <= kMostTetsOfLayers) {
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
                               const std::vector<RequestStation>& stations, bool sizes_open) {
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
    if (std::max(layers.error(far.away_m, grown_m), layers.stiffness(grown_m(far.away_m))) <=
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
    if (sizes.empty()) {
        return "";
    }
    return "mesh: sizes_by_depth " + sizes;
}

}  // namespace kaname::request
