// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "solvers/viscoelastic/model/relaxation.hpp"

namespace kaname::viscoelastic {

/// Largest ratio of the moduli of a shift to those that its preconditioner is of: a condition
/// number grows by no more, and neighbours of eight shifts per decade are within it.
inline constexpr double kAlikeModuli = 1.34;

/// Maps each shift to the one whose hierarchy it takes, nullopt for that of the elastic body. The
/// moduli of the two are within kAlikeModuli. The map depends only on the rock and the shifts, so
/// that results do not depend on what earlier packs asked for. shifts: ascending.
[[nodiscard]] std::map<double, std::optional<double>> alike_shifts(
    std::span<const Relaxation> relaxation, std::span<const double> shifts);

/// Returns the moduli whose hierarchy the moduli g [groups] take, within kAlikeModuli of each;
/// nullopt for the elastic body's. They are the middles of a grid in ln g, so that they depend on
/// nothing else.
[[nodiscard]] std::optional<std::vector<double>> alike_moduli(std::span<const double> g);

}  // namespace kaname::viscoelastic
