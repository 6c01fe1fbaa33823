// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/relaxation_groups.hpp"

#include <algorithm>
#include <cmath>

namespace kaname::viscoelastic {
namespace {

constexpr double kSameRate = 1e-9;

bool alike(const Relaxation& a, const Relaxation& b) {
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
std::vector<Share> each(const RelaxationGroups& groups, double elsewhere, const Of& of) {
    std::vector<Share> shares;
    for (std::size_t material = 0; material < groups.group_of.size(); ++material) {
        const auto part = [&](int group) { return group < 0 ? elsewhere : of(group); };
        shares.push_back({part(groups.group_of[material]), part(groups.bulk_group_of[material])});
    }
    return shares;
}

}  // namespace

std::vector<Share> RelaxationGroups::shares(std::span<const double> g) const {
    return each(*this, 1.0, [&](int group) { return g[group]; });
}

std::vector<Share> RelaxationGroups::only(int group) const {
    return each(*this, 0.0, [group](int of) { return of == group ? 1.0 : 0.0; });
}

std::vector<Share> RelaxationGroups::elastic() const {
    return each(*this, 1.0, [](int) { return 0.0; });
}

RelaxationGroups relaxation_groups(const std::vector<earth::Material>& materials, Element element) {
    RelaxationGroups groups;
    for (const earth::Material& material : materials) {
        if (!material.viscosity_pa_s) {
            groups.group_of.push_back(-1);
            continue;
        }
        const Relaxation relaxation = relaxation_of(material);
        const auto same =
            std::find_if(groups.relaxation.begin(), groups.relaxation.end(),
                         [&](const Relaxation& other) { return alike(relaxation, other); });
        groups.group_of.push_back(static_cast<int>(same - groups.relaxation.begin()));
        if (same == groups.relaxation.end()) {
            groups.relaxation.push_back(relaxation);
        }
    }
    groups.bulk_group_of.assign(materials.size(), -1);
    if (element == Element::NodalDilatation) {
        const auto n_shear = static_cast<int>(groups.relaxation.size());
        for (int group = 0; group < n_shear; ++group) {
            groups.relaxation.push_back(bulk_relaxation(groups.relaxation[group]));
        }
        std::transform(groups.group_of.begin(), groups.group_of.end(), groups.bulk_group_of.begin(),
                       [&](int group) { return group < 0 ? -1 : n_shear + group; });
    }
    return groups;
}

}  // namespace kaname::viscoelastic
