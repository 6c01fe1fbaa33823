// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/rheology_range.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "solvers/base/error.hpp"

namespace kaname::viscoelastic {
namespace {

// Roundings of a viscosity that was written and read again.
constexpr double kSlack = 1e-9;
constexpr int kShiftsPerDecade = 8;

template <class Of>
std::vector<double> per_parameter(const std::vector<ViscosityParameter>& parameters, const Of& of) {
    std::vector<double> values;
    for (const ViscosityParameter& parameter : parameters) {
        values.push_back(of(parameter));
    }
    return values;
}

}  // namespace

Relaxation GroupLaw::at(std::span<const double> viscosities_pa_s) const {
    earth::Material material;
    material.mu_pa = mu_pa;
    material.viscosity_pa_s = viscosity < 0 ? viscosity_pa_s : viscosities_pa_s[viscosity];
    if (relaxed_mu_pa > 0.0) {
        material.relaxed_mu_pa = relaxed_mu_pa;
    }
    if (kelvin_mu_pa > 0.0) {
        material.kelvin_mu_pa = kelvin_mu_pa;
        material.kelvin_viscosity_pa_s =
            kelvin_viscosity < 0 ? kelvin_viscosity_pa_s : viscosities_pa_s[kelvin_viscosity];
    }
    const Relaxation shear = relaxation_of(material);
    return bulk ? bulk_relaxation(shear) : shear;
}

std::vector<Relaxation> RheologyRange::at(std::span<const double> viscosities_pa_s) const {
    if (viscosities_pa_s.size() != parameters.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    "one viscosity per parameter is needed: " + std::to_string(parameters.size()) +
                        ", got " + std::to_string(viscosities_pa_s.size()));
    }
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        const ViscosityParameter& of = parameters[k];
        const double value = viscosities_pa_s[k];
        if (!(value >= of.from_pa_s * (1.0 - kSlack) && value <= of.to_pa_s * (1.0 + kSlack))) {
            std::ostringstream text;
            text << "viscosity of '" << of.name << "' must be within " << of.from_pa_s << " to "
                 << of.to_pa_s << " Pa s, for which it was solved, got " << value;
            throw Error(ErrorCode::InvalidArgument, text.str());
        }
    }
    std::vector<Relaxation> relaxation;
    for (const GroupLaw& law : laws) {
        relaxation.push_back(law.at(viscosities_pa_s));
    }
    return relaxation;
}

std::vector<double> RheologyRange::reference() const {
    return per_parameter(parameters,
                         [](const ViscosityParameter& of) { return of.reference_pa_s; });
}

std::vector<double> RheologyRange::softest() const {
    return per_parameter(parameters, [](const ViscosityParameter& of) { return of.from_pa_s; });
}

std::vector<double> RheologyRange::stiffest() const {
    return per_parameter(parameters, [](const ViscosityParameter& of) { return of.to_pa_s; });
}

std::vector<double> RheologyRange::between(std::span<const double> x) const {
    std::size_t k = 0;
    return per_parameter(parameters, [&](const ViscosityParameter& of) {
        return of.from_pa_s * std::pow(of.to_pa_s / of.from_pa_s, x[k++]);
    });
}

void RheologyRange::require_covered(std::span<const Relaxation> relaxation, double end_s) const {
    const std::vector<Relaxation> soft = at(softest()), stiff = at(stiffest());
    for (std::size_t group = 0; group < laws.size(); ++group) {
        const double low = 1.0 / end_s;
        const double high = std::max({10.0 * low, 10.0 * relaxation[group].fastest_rate_per_s(),
                                      10.0 * soft[group].fastest_rate_per_s()});
        const int count =
            1 + static_cast<int>(std::ceil(kShiftsPerDecade * std::log10(high / low)));
        for (int k = 0; k < count; ++k) {
            const double shift = low * std::pow(high / low, static_cast<double>(k) / (count - 1));
            const double g = relaxation[group].at(shift);
            const double least = soft[group].at(shift), most = stiff[group].at(shift);
            if (!(g >= least * (1.0 - kSlack) && g <= most * (1.0 + kSlack))) {
                const int named = laws[group].viscosity;
                std::ostringstream text;
                text << "rheology of "
                     << (named < 0 ? "group " + std::to_string(group)
                                   : "'" + parameters[named].name + "'")
                     << ": its modulus at the shift " << shift << " 1/s is " << g
                     << " of the unrelaxed one, must be within " << least << " to " << most
                     << ", for which it was solved";
                throw Error(ErrorCode::InvalidArgument, text.str());
            }
        }
    }
}

}  // namespace kaname::viscoelastic
