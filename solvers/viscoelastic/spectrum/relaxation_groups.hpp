// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "solvers/viscoelastic/model/model.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "solvers/viscoelastic/spectrum/rheology_range.hpp"

namespace kaname::viscoelastic {

/// Parts of a body that relax each by one law: the shear moduli of materials alike, and with nodal
/// dilatation also the fully integrated parts of their bulk moduli.
struct RelaxationGroups {
    std::vector<Relaxation> relaxation;  ///< [groups]
    std::vector<int> group_of;           ///< [materials] of the shear modulus, -1: elastic
    std::vector<int> bulk_group_of;      ///< [materials], -1: the bulk modulus does not relax
    RheologyRange range;  ///< laws [groups]; parameters where viscosities have ranges

    /// Returns the parts of the moduli [materials] that are left once group j has relaxed to g[j].
    [[nodiscard]] std::vector<Share> shares(std::span<const double> g) const;
    /// Returns all of the moduli of one group [materials], nothing of the others.
    [[nodiscard]] std::vector<Share> only(int group) const;
    /// Returns all of the moduli that belong to no group [materials].
    [[nodiscard]] std::vector<Share> elastic() const;
};

/// Relaxation of viscous materials; alike: shares and rates within 1e-9, and the same parameters.
/// Throws InvalidArgument when ranges of one viscosity_group differ.
[[nodiscard]] RelaxationGroups relaxation_groups(const std::vector<earth::Material>& materials,
                                                 Element element = Element::P2);

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
