// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/inversion/slip_amounts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::jobs {
namespace {

using Source = io::GreensDataset::Source;

/// Factors of two components of rakes a and b that together are unit slip of rake r.
std::pair<double, double> components_of(double r_deg, double a_deg, double b_deg) {
    const double det = std::sin((b_deg - a_deg) * kDegree);
    return {std::sin((b_deg - r_deg) * kDegree) / det, std::sin((r_deg - a_deg) * kDegree) / det};
}

/// Directions of slip on a patch, each as its terms.
std::vector<std::vector<SlipAmounts::Term>> directions(const SlipUnknowns& slip,
                                                       const SlipPatch& patch,
                                                       const io::GreensDataset& greens) {
    std::vector<std::vector<SlipAmounts::Term>> all;
    std::vector<double> rakes;
    if (slip.rake_from_deg) {
        rakes = {*slip.rake_from_deg, *slip.rake_to_deg};
    } else if (slip.azimuth_deg) {
        const Source& source = greens.sources[patch.sources.front()];
        rakes = {rake_towards(*slip.azimuth_deg, source.strike_deg, source.dip_deg)};
    } else {
        for (const int source : patch.sources) {
            all.push_back({{source, 1.0}});
        }
        return all;
    }
    const int first = patch.sources[0], second = patch.sources[1];
    for (const double rake : rakes) {
        const auto [a, b] =
            components_of(rake, greens.sources[first].rake_deg, greens.sources[second].rake_deg);
        all.push_back({{first, a}, {second, b}});
    }
    return all;
}

double moment_per_m(const Source& source) {
    return source.potency_m3 * source.rigidity_pa;
}

void check_components(const SlipUnknowns& slip, const io::GreensDataset& greens) {
    std::vector<Violation> broken;
    if (!greens.unit_slip || !greens.events.empty()) {
        broken.push_back({"greens", "must be a dataset of unit slip on patches, got '" +
                                        greens.name + "' of slip models or tables"});
    }
    std::set<std::string> known;
    for (const Source& source : greens.sources) {
        known.insert(source.component);
    }
    for (std::size_t i = 0; i < slip.components.size(); ++i) {
        if (!known.contains(slip.components[i])) {
            std::string list;
            for (const std::string& component : known) {
                list += (list.empty() ? "" : ", ") + component;
            }
            broken.push_back(
                {"slip.components[" + std::to_string(i) + "]",
                 "must be one of the dataset's (" + list + "), got '" + slip.components[i] + "'"});
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

}  // namespace

double rake_towards(double azimuth_deg, double strike_deg, double dip_deg) {
    const double turn = (azimuth_deg - strike_deg) * kDegree;
    return std::atan2(-std::sin(turn) / std::cos(dip_deg * kDegree), std::cos(turn)) / kDegree;
}

SlipAmounts slip_amounts(const SlipUnknowns& slip, const io::GreensDataset& greens) {
    check_components(slip, greens);
    SlipAmounts result;
    result.n_sources = static_cast<int>(greens.sources.size());
    result.n_windows = static_cast<int>(slip.windows.size());
    const bool along = slip.rake_from_deg || slip.azimuth_deg;
    std::map<std::string, std::size_t> at;
    std::vector<std::vector<int>> of_patch;
    std::vector<std::string> ids;
    for (int s = 0; s < result.n_sources; ++s) {
        const Source& source = greens.sources[s];
        const bool asked =
            slip.components.empty() ||
            std::ranges::find(slip.components, source.component) != slip.components.end();
        if (!asked) {
            continue;
        }
        if (source.status != io::GreensDataset::kDone) {
            result.missing.push_back(source.id);
            continue;
        }
        const auto [found, fresh] = at.try_emplace(source.patch_id, ids.size());
        if (fresh) {
            ids.push_back(source.patch_id);
            of_patch.emplace_back();
        }
        of_patch[found->second].push_back(s);
    }
    std::vector<Violation> broken;
    for (std::size_t p = 0; p < ids.size(); ++p) {
        SlipPatch patch{ids[p], of_patch[p]};
        if (along && patch.sources.size() != 2) {
            if (result.missing.empty()) {
                broken.push_back({slip.azimuth_deg ? "slip.azimuth_deg" : "slip.rake_from_deg",
                                  "needs two components of slip on each patch, patch '" + ids[p] +
                                      "' has " + std::to_string(patch.sources.size())});
                break;
            }
            continue;  // its other component is not done
        }
        double sum = 0.0;
        for (const int source : patch.sources) {
            sum += moment_per_m(greens.sources[source]);
        }
        patch.moment_per_m = sum / static_cast<double>(patch.sources.size());
        result.patches.push_back(std::move(patch));
    }
    if (broken.empty() && result.patches.empty()) {
        broken.push_back({"greens", "must hold at least one finished source, all " +
                                        std::to_string(result.missing.size()) + " are missing"});
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    for (int window = 0; window < result.n_windows; ++window) {
        for (std::size_t p = 0; p < result.patches.size(); ++p) {
            int direction = 0;
            for (auto& terms : directions(slip, result.patches[p], greens)) {
                result.amounts.push_back(
                    {window, static_cast<int>(p), direction++, std::move(terms)});
            }
        }
    }
    return result;
}

std::vector<double> SlipAmounts::slip_of_sources(const Eigen::VectorXd& x) const {
    std::vector<double> slip(static_cast<std::size_t>(n_windows) * n_sources);
    for (int j = 0; j < n(); ++j) {
        for (const Term& term : amounts[j].terms) {
            slip[static_cast<std::size_t>(amounts[j].window) * n_sources + term.source] +=
                term.factor * x[j];
        }
    }
    return slip;
}

void SlipAmounts::combine(const double* by_source, double* by_amount) const {
    for (int j = 0; j < n(); ++j) {
        const Amount& amount = amounts[j];
        const double* row = by_source + static_cast<std::ptrdiff_t>(amount.window) * n_sources;
        double sum = 0.0;
        for (const Term& term : amount.terms) {
            sum += term.factor * row[term.source];
        }
        by_amount[j] = sum;
    }
}

}  // namespace kaname::jobs
