// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solvers/viscoelastic/spectrum/rheology_range.hpp"

namespace kaname::viscoelastic {

/// NAME = number. NAME is a parameter's: its viscosity [Pa s]; with an ending it is a part of the
/// body that stands for it in place of the specification's:
///   NAME.kelvin            viscosity of a Kelvin element [Pa s]
///   NAME.kelvin_mu_ratio   its modulus over mu, > 0; from 1e9 on there is none
///   NAME.relaxed_mu_ratio  of a standard linear solid, what is left of mu, 0 <= ratio < 1
using NamedNumbers = std::vector<std::pair<std::string, double>>;

/// Whether it is a number of other units than a viscosity: one of the ratios.
[[nodiscard]] bool is_modulus_ratio(std::string_view name);

struct NamedRheology {
    /// Viscosities of all parameters, in their order, and behind them what else was said.
    NamedNumbers values;
    std::vector<Relaxation> relaxation;  ///< [groups]
    bool other_body = false;             ///< than the specification's: parts of one were said
};

/// The rheology that is `said`; what it leaves out is the reference, and the specification's body.
/// Throws InvalidArgument for names that are unknown or said twice, numbers that no body has,
/// viscosities outside of their range, and for other bodies than the specification's whose moduli
/// at real shifts up to end_s leave the range (RheologyRange::require_covered). That is not enough
/// where several groups hang on a viscosity: they relax together along a curve, off which another
/// body may be. Only a certificate tells.
[[nodiscard]] NamedRheology named_rheology(const RheologyRange& range, const NamedNumbers& said,
                                           double end_s);

}  // namespace kaname::viscoelastic
