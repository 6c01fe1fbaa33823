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

/// Returns true if the number is one of the ratios and no viscosity.
[[nodiscard]] bool is_modulus_ratio(std::string_view name);

struct NamedRheology {
    /// `values` holds the viscosities of all parameters, in their order, and behind them the other
    /// numbers that were given.
    NamedNumbers values;
    std::vector<Relaxation> relaxation;  ///< [groups]
    bool other_body = false;             ///< than the specification's: parts of one were given
};

/// Returns the rheology that `said` gives; numbers left out are those of the reference and of the
/// specification's body. Throws InvalidArgument for names that are unknown or given twice, numbers
/// that no body has, and viscosities outside of their range. Throws it also for bodies other than
/// the specification's whose moduli at real shifts up to end_s leave the range
/// (RheologyRange::require_covered). That is not enough where several groups depend on one
/// viscosity: they relax together along a curve, off which another body may be. Only a certificate
/// bounds its error.
[[nodiscard]] NamedRheology named_rheology(const RheologyRange& range, const NamedNumbers& said,
                                           double end_s);

}  // namespace kaname::viscoelastic
