// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/rheology_range.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
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

namespace {

constexpr std::string_view kKelvin = ".kelvin";
constexpr std::string_view kKelvinRatio = ".kelvin_mu_ratio";
constexpr double kRigid = 1e9;  ///< ratio from which a Kelvin element does not give way
constexpr std::string_view kRelaxedRatio = ".relaxed_mu_ratio";

/// Body holds the given numbers of the body that stands for a parameter.
struct Body {
    std::optional<double> kelvin_pa_s, kelvin_ratio, relaxed_ratio;
};

[[noreturn]] void refuse(const std::string& text) {
    throw Error(ErrorCode::InvalidArgument, text);
}

void require_value(bool holds, const std::string& name, const char* rule, double value) {
    if (!holds) {
        std::ostringstream text;
        text << '\'' << name << "' " << rule << ", got " << value;
        refuse(text.str());
    }
}

int parameter(const RheologyRange& range, std::string_view name) {
    const auto found = std::ranges::find(range.parameters, name, &ViscosityParameter::name);
    return found == range.parameters.end() ? -1
                                           : static_cast<int>(found - range.parameters.begin());
}

bool stands_for(const RheologyRange& range, const std::string& base) {
    return parameter(range, base) >= 0 || parameter(range, base + std::string(kKelvin)) >= 0;
}

[[noreturn]] void refuse_name(const RheologyRange& range, const std::string& name) {
    std::string known;
    for (const ViscosityParameter& of : range.parameters) {
        known += (known.empty() ? "" : ", ") + of.name;
    }
    refuse("'" + name + "' is no viscosity with a range here; there are: " + known);
}

/// Returns true if the name is a part of a body, and then records its value.
bool note(const RheologyRange& range, const std::string& name, double value,
          std::map<std::string, Body>& bodies) {
    const auto base_of = [&](std::string_view ending) -> std::optional<std::string> {
        if (!name.ends_with(ending)) {
            return std::nullopt;
        }
        std::string base = name.substr(0, name.size() - ending.size());
        return stands_for(range, base) ? std::optional(std::move(base)) : std::nullopt;
    };
    if (const auto base = base_of(kKelvin)) {
        require_value(value > 0.0 && std::isfinite(value), name, "must be positive [Pa s]", value);
        bodies[*base].kelvin_pa_s = value;
        return true;
    }
    if (const auto base = base_of(kKelvinRatio)) {
        require_value(value > 0.0, name, "must be above 0", value);
        bodies[*base].kelvin_ratio = value;
        return true;
    }
    if (const auto base = base_of(kRelaxedRatio)) {
        require_value(value >= 0.0 && value < 1.0, name, "must be within 0 to below 1", value);
        bodies[*base].relaxed_ratio = value;
        return true;
    }
    return false;
}

void set_kelvin(const std::string& base, const Body& body, GroupLaw& law) {
    if (body.kelvin_ratio) {
        law.kelvin_mu_pa = *body.kelvin_ratio < kRigid ? *body.kelvin_ratio * law.mu_pa : 0.0;
    }
    if (body.kelvin_pa_s) {
        law.kelvin_viscosity_pa_s = *body.kelvin_pa_s;
        law.kelvin_viscosity = -1;
    }
    if (law.kelvin_mu_pa > 0.0 && law.kelvin_viscosity < 0 && law.kelvin_viscosity_pa_s <= 0.0) {
        refuse("'" + base + std::string(kKelvinRatio) + "' needs '" + base + std::string(kKelvin) +
               "', the viscosity of the Kelvin element [Pa s]");
    }
    if (body.kelvin_pa_s && law.kelvin_mu_pa <= 0.0) {
        refuse("'" + base + std::string(kKelvin) + "' needs '" + base + std::string(kKelvinRatio) +
               "', the modulus of the Kelvin element over mu");
    }
}

void apply(const std::string& base, const Body& body, GroupLaw& law) {
    const bool kelvin = body.kelvin_pa_s || body.kelvin_ratio;
    if (kelvin && body.relaxed_ratio.value_or(0.0) > 0.0) {
        refuse("'" + base + "' is a standard linear solid or a Burgers body: leave out '" + base +
               std::string(kRelaxedRatio) + "' or what is said of its Kelvin element");
    }
    if (kelvin) {
        law.relaxed_mu_pa = 0.0;
        set_kelvin(base, body, law);
    }
    if (body.relaxed_ratio) {
        law.relaxed_mu_pa = *body.relaxed_ratio * law.mu_pa;
        law.kelvin_mu_pa = *body.relaxed_ratio > 0.0 ? 0.0 : law.kelvin_mu_pa;
    }
}

}  // namespace

bool is_modulus_ratio(std::string_view name) {
    return name.ends_with(kKelvinRatio) || name.ends_with(kRelaxedRatio);
}

NamedRheology named_rheology(const RheologyRange& range, const NamedNumbers& said, double end_s) {
    std::vector<double> viscosities = range.reference();
    NamedNumbers others;
    std::map<std::string, Body> bodies;
    for (const auto& [name, value] : said) {
        if (std::ranges::count(said, name, &NamedNumbers::value_type::first) > 1) {
            refuse("'" + name + "' is said twice");
        }
        if (const int k = parameter(range, name); k >= 0) {
            viscosities[k] = value;
        } else if (note(range, name, value, bodies)) {
            others.emplace_back(name, value);
        } else {
            refuse_name(range, name);
        }
    }
    NamedRheology rheology;
    for (std::size_t k = 0; k < viscosities.size(); ++k) {
        rheology.values.emplace_back(range.parameters[k].name, viscosities[k]);
    }
    rheology.values.insert(rheology.values.end(), others.begin(), others.end());
    if (bodies.empty()) {
        rheology.relaxation = range.at(viscosities);
        return rheology;
    }
    // Another body's viscosity means something else: its moduli decide.
    rheology.other_body = true;
    std::vector<GroupLaw> laws = range.laws;
    std::vector<double> held = viscosities;
    for (const auto& [base, body] : bodies) {
        const int of[] = {parameter(range, base), parameter(range, base + std::string(kKelvin))};
        for (GroupLaw& law : laws) {
            if ((of[0] >= 0 && law.viscosity == of[0]) ||
                (of[1] >= 0 && law.kelvin_viscosity == of[1])) {
                apply(base, body, law);
            }
        }
        for (const int k : of) {
            if (k >= 0) {
                require_value(viscosities[k] > 0.0 && std::isfinite(viscosities[k]),
                              range.parameters[k].name, "must be positive [Pa s]", viscosities[k]);
                held[k] = range.parameters[k].reference_pa_s;
            }
        }
    }
    (void)range.at(held);  // the other viscosities are within their ranges
    for (const GroupLaw& law : laws) {
        rheology.relaxation.push_back(law.at(viscosities));
    }
    range.require_covered(rheology.relaxation, end_s);
    return rheology;
}

}  // namespace kaname::viscoelastic
