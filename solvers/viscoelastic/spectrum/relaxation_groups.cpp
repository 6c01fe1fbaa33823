// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/relaxation_groups.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/error.hpp"

namespace kaname::viscoelastic {
namespace {

constexpr double kSameRate = 1e-9;

bool same_law(const Relaxation& a, const Relaxation& b) {
    const auto close = [](double x, double y) {
        return std::abs(x - y) <= kSameRate * std::max(std::abs(x), std::abs(y));
    };
    return std::equal(a.branches.begin(), a.branches.end(), b.branches.begin(), b.branches.end(),
                      [&](const Relaxation::Branch& x, const Relaxation::Branch& y) {
                          return close(x.share, y.share) && close(x.rate_per_s, y.rate_per_s);
                      });
}

/// [materials]: of(group), and `else_where` where there is none.
template <class Of>
std::vector<Share> per_material(const RelaxationGroups& groups, double elsewhere, const Of& of) {
    std::vector<Share> shares;
    for (std::size_t material = 0; material < groups.group_of.size(); ++material) {
        const auto part = [&](int group) { return group < 0 ? elsewhere : of(group); };
        shares.push_back({part(groups.group_of[material]), part(groups.bulk_group_of[material])});
    }
    return shares;
}

/// Index of the parameter, made at its first material; -1: the viscosity has no range.
int parameter_of(const std::string& name, const std::optional<earth::ViscosityRange>& range,
                 double reference_pa_s, std::vector<ViscosityParameter>& parameters) {
    if (!range) {
        return -1;
    }
    const auto found = std::ranges::find(parameters, name, &ViscosityParameter::name);
    if (found == parameters.end()) {
        parameters.push_back({name, range->from_pa_s, range->to_pa_s, reference_pa_s});
        return static_cast<int>(parameters.size()) - 1;
    }
    if (found->from_pa_s != range->from_pa_s || found->to_pa_s != range->to_pa_s ||
        found->reference_pa_s != reference_pa_s) {
        throw Error(ErrorCode::InvalidArgument,
                    "all materials of viscosity_group '" + name + "' must have one range");
    }
    return static_cast<int>(found - parameters.begin());
}

GroupLaw law_of(const earth::Material& material, std::vector<ViscosityParameter>& parameters) {
    const std::string& name =
        material.viscosity_group.empty() ? material.name : material.viscosity_group;
    GroupLaw law;
    law.mu_pa = material.mu_pa;
    law.relaxed_mu_pa = material.relaxed_mu_pa.value_or(0.0);
    law.kelvin_mu_pa = material.kelvin_mu_pa.value_or(0.0);
    law.viscosity_pa_s = *material.viscosity_pa_s;
    law.kelvin_viscosity_pa_s = material.kelvin_viscosity_pa_s.value_or(0.0);
    law.viscosity = parameter_of(name, material.viscosity_range, law.viscosity_pa_s, parameters);
    law.kelvin_viscosity = parameter_of(name + ".kelvin", material.kelvin_viscosity_range,
                                        law.kelvin_viscosity_pa_s, parameters);
    return law;
}

}  // namespace

std::vector<Share> RelaxationGroups::shares(std::span<const double> g) const {
    return per_material(*this, 1.0, [&](int group) { return g[group]; });
}

std::vector<Share> RelaxationGroups::only(int group) const {
    return per_material(*this, 0.0, [group](int of) { return of == group ? 1.0 : 0.0; });
}

std::vector<Share> RelaxationGroups::elastic() const {
    return per_material(*this, 1.0, [](int) { return 0.0; });
}

RelaxationGroups relaxation_groups(const std::vector<earth::Material>& materials, Element element) {
    RelaxationGroups groups;
    std::vector<GroupLaw>& laws = groups.range.laws;
    for (const earth::Material& material : materials) {
        if (!material.viscosity_pa_s) {
            groups.group_of.push_back(-1);
            continue;
        }
        const Relaxation relaxation = relaxation_of(material);
        const GroupLaw law = law_of(material, groups.range.parameters);
        std::size_t group = 0;
        while (group < laws.size() && !(same_law(relaxation, groups.relaxation[group]) &&
                                        law.viscosity == laws[group].viscosity &&
                                        law.kelvin_viscosity == laws[group].kelvin_viscosity)) {
            ++group;
        }
        groups.group_of.push_back(static_cast<int>(group));
        if (group == laws.size()) {
            groups.relaxation.push_back(relaxation);
            laws.push_back(law);
        }
    }
    groups.bulk_group_of.assign(materials.size(), -1);
    if (element == Element::NodalDilatation) {
        const auto n_shear = static_cast<int>(groups.relaxation.size());
        for (int group = 0; group < n_shear; ++group) {
            groups.relaxation.push_back(bulk_relaxation(groups.relaxation[group]));
            laws.push_back(laws[group]);
            laws.back().bulk = true;
        }
        std::transform(groups.group_of.begin(), groups.group_of.end(), groups.bulk_group_of.begin(),
                       [&](int group) { return group < 0 ? -1 : n_shear + group; });
    }
    return groups;
}

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
