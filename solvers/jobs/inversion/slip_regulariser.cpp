// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "solvers/base/error.hpp"
#include "solvers/inversion/smoothing.hpp"
#include "solvers/jobs/inversion/slip_amounts.hpp"

namespace kaname::jobs {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Weight of each patch: its moment per metre over the mean, or 1.
std::vector<double> patch_weights(const InversionJob& job, const SlipAmounts& amounts) {
    std::vector<double> weights(amounts.patches.size(), 1.0);
    if (job.regularisation.weight == Regularisation::Weight::None) {
        return weights;
    }
    double mean = 0.0;
    for (const SlipPatch& patch : amounts.patches) {
        mean += patch.moment_per_m / static_cast<double>(amounts.patches.size());
    }
    for (std::size_t p = 0; p < weights.size(); ++p) {
        weights[p] = amounts.patches[p].moment_per_m / mean;
    }
    return weights;
}

std::vector<inversion::PatchNode> patch_nodes(const InversionJob& job, const SlipAmounts& amounts,
                                              const io::GreensDataset& greens,
                                              const std::vector<double>& weights) {
    std::map<std::int32_t, std::int32_t> patch_of;
    for (std::size_t p = 0; p < amounts.patches.size(); ++p) {
        for (const int source : amounts.patches[p].sources) {
            patch_of[source] = static_cast<std::int32_t>(p);
        }
    }
    std::vector<inversion::PatchNode> nodes;
    for (std::size_t p = 0; p < amounts.patches.size(); ++p) {
        inversion::PatchNode node;
        for (const int index : amounts.patches[p].sources) {
            const io::GreensDataset::Source& source = greens.sources[index];
            node.centre = {source.x_m, source.y_m, -source.depth_m};
            for (const std::int32_t beside : source.neighbours) {
                if (const auto found = patch_of.find(beside);
                    found != patch_of.end() && found->second != static_cast<std::int32_t>(p)) {
                    node.neighbours.push_back(found->second);
                }
            }
        }
        std::ranges::sort(node.neighbours);
        const auto doubled = std::ranges::unique(node.neighbours);
        node.neighbours.erase(doubled.begin(), doubled.end());
        const io::GreensDataset::Source& first = greens.sources[amounts.patches[p].sources.front()];
        if (job.regularisation.edges == Regularisation::Edges::Zero && first.grid_row >= 0) {
            node.edges = static_cast<int>(std::ranges::count(first.neighbours, -1));
        }
        node.weight = weights[p];
        nodes.push_back(std::move(node));
    }
    return nodes;
}

/// sum over components c of T_c' L'L T_c, T_c [patch][amount] what an amount is of the component.
MatrixXd smoothness_of(const SlipAmounts& amounts, const io::GreensDataset& greens,
                       const MatrixXd& l, int n) {
    std::map<std::string, std::vector<std::pair<int, SlipAmounts::Term>>> by_component;
    for (int j = 0; j < amounts.n(); ++j) {
        for (const SlipAmounts::Term& term : amounts.amounts[j].terms) {
            by_component[greens.sources[term.source].component].push_back({j, term});
        }
    }
    const MatrixXd of_patches = l.transpose() * l;
    MatrixXd r = MatrixXd::Zero(n, n);
    for (const auto& [component, terms] : by_component) {
        for (const auto& [j, a] : terms) {
            for (const auto& [k, b] : terms) {
                if (amounts.amounts[j].window == amounts.amounts[k].window) {
                    r(j, k) += a.factor * b.factor *
                               of_patches(amounts.amounts[j].patch, amounts.amounts[k].patch);
                }
            }
        }
    }
    return r;
}

}  // namespace

inversion::Regulariser slip_regulariser(const InversionJob& job, const SlipAmounts& amounts,
                                        const io::GreensDataset& greens, int n_nuisance) {
    const int n_slip = amounts.n(), n = n_slip + n_nuisance;
    const std::vector<double> weights = patch_weights(job, amounts);
    inversion::Regulariser result;
    result.r = smoothness_of(amounts, greens,
                             inversion::laplacian(patch_nodes(job, amounts, greens, weights)), n);
    result.w = VectorXd::Zero(n);
    result.bounds = {VectorXd::Constant(n, -kInfinity), VectorXd::Constant(n, kInfinity)};
    for (int j = 0; j < n_slip; ++j) {
        result.w[j] = weights[amounts.amounts[j].patch];
        result.bounds.lower[j] = job.slip.min_m;
        result.bounds.upper[j] = job.slip.max_m;
    }
    if (job.slip.moment) {
        using From = MomentRule::Relation;
        using To = inversion::LinearCondition::Relation;
        inversion::LinearCondition condition{VectorXd::Zero(n), job.slip.moment->moment_n_m};
        const From relation = job.slip.moment->relation;
        condition.relation = relation == From::Equal    ? To::Equal
                             : relation == From::AtMost ? To::AtMost
                                                        : To::AtLeast;
        for (int j = 0; j < n_slip; ++j) {
            const SlipAmounts::Amount& amount = amounts.amounts[j];
            if (!job.slip.windows[amount.window].is_rate()) {
                condition.a[j] = amounts.patches[amount.patch].moment_per_m;
            }
        }
        result.condition = std::move(condition);
    }
    return result;
}

}  // namespace kaname::jobs
