// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/alike_shifts.hpp"

#include <algorithm>
#include <cmath>

namespace kaname::viscoelastic {
namespace {

/// Returns true if the moduli at the larger shift exceed those at the smaller one by a factor of
/// kAlikeModuli at most. Without a larger shift the moduli of the elastic body take its place.
bool moduli_alike(std::span<const Relaxation> relaxation, double smaller,
                  std::optional<double> larger) {
    return std::ranges::all_of(relaxation, [&](const Relaxation& of) {
        return (larger ? of.at(*larger) : 1.0) <= kAlikeModuli * of.at(smaller);
    });
}

}  // namespace

std::map<double, std::optional<double>> alike_shifts(std::span<const Relaxation> relaxation,
                                                     std::span<const double> shifts) {
    std::map<double, std::optional<double>> result;
    auto next = shifts.rbegin();
    for (; next != shifts.rend() && moduli_alike(relaxation, *next, std::nullopt); ++next) {
        result[*next] = std::nullopt;
    }
    while (next != shifts.rend()) {
        const auto largest = next;
        auto middle = next;  // the smallest that is like the largest
        for (auto it = next; it != shifts.rend() && moduli_alike(relaxation, *it, *largest); ++it) {
            middle = it;
        }
        for (; next != shifts.rend() &&
               (*next >= *middle || moduli_alike(relaxation, *next, *middle));
             ++next) {
            result[*next] = *middle;
        }
    }
    return result;
}

std::optional<std::vector<double>> alike_moduli(std::span<const double> g) {
    if (std::ranges::all_of(g, [](double of) { return of * kAlikeModuli >= 1.0; })) {
        return std::nullopt;
    }
    const double width = 2.0 * std::log(kAlikeModuli);
    std::vector<double> middle;
    for (const double of : g) {
        middle.push_back(std::min(1.0, std::exp(width * std::round(std::log(of) / width))));
    }
    return middle;
}

}  // namespace kaname::viscoelastic
