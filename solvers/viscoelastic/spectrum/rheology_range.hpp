// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solvers/viscoelastic/model/relaxation.hpp"

namespace kaname::viscoelastic {

/// A viscosity that may be chosen after the solve.
struct ViscosityParameter {
    std::string name;  ///< of the material or group; NAME.kelvin: of its Kelvin element
    double from_pa_s = 0.0, to_pa_s = 0.0;
    double reference_pa_s = 0.0;  ///< within the range: where nothing else is asked for
    bool operator==(const ViscosityParameter&) const = default;
};

/// How a group of elements relaxes, as a function of the parameters. A Maxwell element, with
/// relaxed_mu_pa a standard linear solid, with kelvin_mu_pa a Burgers body.
struct GroupLaw {
    double mu_pa = 0.0;
    double relaxed_mu_pa = 0.0, kelvin_mu_pa = 0.0;            ///< 0: not that body
    double viscosity_pa_s = 0.0, kelvin_viscosity_pa_s = 0.0;  ///< where no parameter says it
    int viscosity = -1, kelvin_viscosity = -1;                 ///< parameters; -1: none
    bool bulk = false;  ///< bulk_relaxation() of it (nodal dilatation)

    /// Throws InvalidArgument as relaxation_of().
    [[nodiscard]] Relaxation at(std::span<const double> viscosities_pa_s) const;
};

/// All rheologies that one reduced model is to answer for.
struct RheologyRange {
    std::vector<ViscosityParameter> parameters;
    std::vector<GroupLaw> laws;  ///< [groups]

    /// [groups] for one choice of all parameters. Throws InvalidArgument for another number of
    /// them, or one that is outside of its range, which it names.
    [[nodiscard]] std::vector<Relaxation> at(std::span<const double> viscosities_pa_s) const;
    [[nodiscard]] std::vector<double> reference() const;  ///< [parameters]
    /// [parameters]: all at one end; moduli at every shift grow with every viscosity.
    [[nodiscard]] std::vector<double> softest() const;
    [[nodiscard]] std::vector<double> stiffest() const;
    /// Between softest and stiffest: from^(1 - x) to^x of each parameter, x [parameters] in 0..1.
    [[nodiscard]] std::vector<double> between(std::span<const double> x) const;
    /// Throws InvalidArgument unless at real shifts from 1/end_s to the fastest rate that is asked
    /// for every modulus lies between the softest and the stiffest: names group, shift, modulus and
    /// bounds. relaxation [groups].
    void require_covered(std::span<const Relaxation> relaxation, double end_s) const;
};

/// NAME = number. NAME is a parameter's: its viscosity [Pa s]; with an ending it is a part of the
/// body that stands for it in place of the request's:
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
    bool other_body = false;             ///< than the request's: parts of one were given
};

/// Returns the rheology that `said` gives; numbers left out are those of the reference and of the
/// request's body. Throws InvalidArgument for names that are unknown or given twice, numbers
/// that no body has, and viscosities outside of their range. Throws it also for bodies other than
/// the request's whose moduli at real shifts up to end_s leave the range
/// (RheologyRange::require_covered). That is not enough where several groups depend on one
/// viscosity: they relax together along a curve, off which another body may be. Only a certificate
/// bounds its error.
[[nodiscard]] NamedRheology named_rheology(const RheologyRange& range, const NamedNumbers& said,
                                           double end_s);

}  // namespace kaname::viscoelastic
