// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/layer_guides.hpp"

#include <algorithm>
#include <cmath>

namespace kaname {
namespace {

constexpr double kStiffer = 1.3;  // of shear moduli: layers that differ right after the slip
constexpr double kAlike = 0.25;   // of what relaxed: layers that relax together
constexpr double kLeast = 0.05;   // guides that stand out less are none

bool relaxes(std::span<const RockLayer> layers) {
    return std::ranges::any_of(layers, [](const RockLayer& of) { return of.maxwell_times > 0.0; });
}

/// Part of each layer that has relaxed, over the largest.
std::vector<double> relaxed(std::span<const RockLayer> layers) {
    std::vector<double> parts;
    for (const RockLayer& of : layers) {
        parts.push_back(of.maxwell_times / (1.0 + of.maxwell_times));
    }
    const double largest = *std::ranges::max_element(parts);
    for (double& part : parts) {
        part /= largest > 0.0 ? largest : 1.0;
    }
    return parts;
}

std::vector<Guide> guide_at_once(std::span<const RockLayer> layers) {
    const auto differ = [](const RockLayer& a, const RockLayer& b) {
        return std::max(a.mu_pa, b.mu_pa) > kStiffer * std::min(a.mu_pa, b.mu_pa);
    };
    if (layers.size() < 2 || std::ranges::adjacent_find(layers, differ) == layers.end()) {
        return {};
    }
    return {{0, layers.size() - 2, layers[layers.size() - 2].bottom_m - layers[0].top_m, 1.0}};
}

}  // namespace

std::vector<Guide> guides_in(std::span<const RockLayer> layers) {
    if (!relaxes(layers)) {
        return guide_at_once(layers);
    }
    const std::vector<double> part = relaxed(layers);
    std::vector<Guide> guides;
    for (std::size_t first = 0; first + 1 < layers.size(); ++first) {
        double sum = 0.0;
        for (std::size_t last = first; last + 1 < layers.size(); ++last) {
            sum += part[last] * layers[last].thickness_m();
            const double thickness_m = layers[last].bottom_m - layers[first].top_m;
            const double mean = sum / thickness_m;
            const double below = mean - part[last + 1];
            const double above = first > 0 ? mean - part[first - 1] : below;  // the air
            const double out = std::min(std::abs(above), std::abs(below));
            if (above * below > 0.0 && out > kLeast) {
                guides.push_back({first, last, thickness_m, out});
            }
        }
    }
    return guides;
}

std::vector<LidLayer> lid_layers_in(std::span<const RockLayer> layers) {
    std::vector<LidLayer> found;
    if (layers.empty()) {
        return found;
    }
    const bool late = relaxes(layers);
    const std::vector<double> part = relaxed(layers);
    for (std::size_t first = 0, end = 0; first < layers.size(); first = end) {
        double stiffness = 0.0, thickness_m = 0.0;
        for (end = first; end < layers.size() && std::abs(part[end] - part[first]) <= kAlike;
             ++end) {
            if (end + 1 == layers.size() && (late || end == first)) {
                return found;  // rock like the lowest
            }
            if (end + 1 == layers.size()) {
                break;
            }
            stiffness += layers[end].mu_pa * layers[end].thickness_m();
            thickness_m += layers[end].thickness_m();
        }
        for (std::size_t k = first; k < end; ++k) {
            found.push_back({k, std::abs(layers[k].mu_pa - stiffness / thickness_m) *
                                    layers[k].thickness_m() / stiffness});
        }
    }
    return found;
}

double guide_lost(double thickness_m, const std::function<double(double)>& size_m) {
    constexpr double kStep = 1.03, kNearest = 1.0 / 16.0, kFarthest = 8.0;
    double lost = 0.0, rho = kNearest;
    for (const double gone : {2.25, 2.5, 2.75}) {
        while (rho < kFarthest && size_m(rho) <= gone * thickness_m) {
            rho *= kStep;
        }
        lost += std::pow(rho, rho > 1.0 ? -3.0 : -2.0) / 3.0;
    }
    return lost;
}

}  // namespace kaname
