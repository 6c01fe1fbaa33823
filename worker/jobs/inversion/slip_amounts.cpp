// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/slip_amounts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/inversion/normal_equations.hpp"
#include "worker/jobs/inversion/observation_rows.hpp"

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

FaultParts fault_quarters(std::span<const Vec3> centres, const Vec3& strike) {
    constexpr std::array kWinds = {"north", "north-east", "east", "south-east",
                                   "south", "south-west", "west", "north-west"};
    const auto wind_of = [&](double east, double north) {
        const double turn = std::atan2(east, north) / (45.0 * kDegree);
        return kWinds[static_cast<std::size_t>(std::lround(turn) + 8) % 8];
    };
    const auto middle_of = [&](const auto& of_centre) {
        double least = kInfinity, most = -kInfinity;
        for (const Vec3& centre : centres) {
            least = std::min(least, of_centre(centre));
            most = std::max(most, of_centre(centre));
        }
        return 0.5 * (least + most);
    };
    const auto along = [&](const Vec3& centre) { return dot(centre, strike); };
    const auto depth = [](const Vec3& centre) { return -centre.z; };
    const double middle_along = middle_of(along), middle_depth = middle_of(depth);
    FaultParts parts;
    for (const Vec3& centre : centres) {
        const double sign = along(centre) > middle_along ? 1.0 : -1.0;
        const std::string name = std::string(depth(centre) > middle_depth ? "deep " : "shallow ") +
                                 wind_of(sign * strike.x, sign * strike.y);
        const auto known = std::ranges::find(parts.names, name);
        parts.of_patch.push_back(static_cast<std::int32_t>(known - parts.names.begin()));
        if (known == parts.names.end()) {
            parts.names.push_back(name);
        }
    }
    return parts;
}

namespace {

const char* text_of(SlipWindow::Kind kind) {
    switch (kind) {
        case SlipWindow::Kind::Step:
            return "step";
        case SlipWindow::Kind::Ramp:
            return "ramp";
        case SlipWindow::Kind::Steady:
            return "steady";
        case SlipWindow::Kind::Coupling:
            return "coupling";
        case SlipWindow::Kind::History:
            return "history";
    }
    return "";
}

}  // namespace

io::InversionDataset described_job(const InversionJob& job, const io::GreensDataset& greens) {
    io::InversionDataset result;
    result.name = job.name;
    result.title = job.title;
    result.specification_json = job.specification_json;
    result.kaname_version = job.version;
    result.greens_name = greens.name;
    result.greens_mesh_sha256 = greens.mesh_sha256;
    result.crs_wkt = greens.crs_wkt;
    result.projected = greens.projected;
    result.sources = greens.sources;
    return result;
}

void describe_slip(const InversionJob& job, const SlipAmounts& amounts,
                   const io::GreensDataset& greens, io::InversionDataset& result) {
    const std::size_t n_patches = amounts.patches.size();
    result.patch_slip.clear();
    double all = 0.0;
    for (std::size_t w = 0; w < job.slip.windows.size(); ++w) {
        const SlipWindow& window = job.slip.windows[w];
        double moment = 0.0;
        for (std::size_t p = 0; p < n_patches; ++p) {
            const SlipPatch& patch = amounts.patches[p];
            // The rake of opening is NaN; its slip has no place in a vector within the fault.
            double along = 0.0, up = 0.0;
            for (const int source : patch.sources) {
                const double rake = greens.sources[source].rake_deg * kDegree;
                const double m = result.slip[w * greens.sources.size() + source];
                if (!std::isnan(rake)) {
                    along += m * std::cos(rake);
                    up += m * std::sin(rake);
                }
            }
            const double amount = std::hypot(along, up);
            result.patch_slip.push_back(amount);
            result.patch_rake.push_back(amount > 0.0 ? std::atan2(up, along) / kDegree
                                                     : std::numeric_limits<double>::quiet_NaN());
            result.patch_moment.push_back(amount * patch.moment_per_m);
            moment += result.patch_moment.back();
            all += window.is_rate() ? 0.0 : result.patch_moment.back();
        }
        result.windows.push_back({window.name, text_of(window.kind), window.begin_s, window.end_s,
                                  moment, slip_model::moment_magnitude(moment)});
    }
    result.moment_magnitude =
        all > 0.0 ? slip_model::moment_magnitude(all) : std::numeric_limits<double>::quiet_NaN();
    for (const SlipPatch& patch : amounts.patches) {
        result.patches.push_back(patch.id);
    }
}

namespace {

/// Slip of a patch along a rake, on its sources; on its last component where there is no rake.
void slip_along(const SlipPatch& patch, const io::GreensDataset& greens,
                std::optional<double> rake_deg, double slip_m, std::vector<double>& into) {
    if (!rake_deg) {
        into[patch.sources.back()] += slip_m;
        return;
    }
    if (patch.sources.size() == 1) {
        const double own = greens.sources[patch.sources[0]].rake_deg;
        if (std::cos((own - *rake_deg) * kDegree) < 1.0 - 1e-9) {
            throw Error(ErrorCode::InvalidArgument,
                        "synthetic: slip of rake " + std::to_string(*rake_deg) +
                            " degrees needs two components on patch '" + patch.id + "'");
        }
        into[patch.sources[0]] += slip_m;
        return;
    }
    const double a = greens.sources[patch.sources[0]].rake_deg;
    const double b = greens.sources[patch.sources[1]].rake_deg;
    const double det = std::sin((b - a) * kDegree);
    into[patch.sources[0]] += slip_m * std::sin((b - *rake_deg) * kDegree) / det;
    into[patch.sources[1]] += slip_m * std::sin((*rake_deg - a) * kDegree) / det;
}

/// Part of the rupture's largest slip at a place.
double falloff(const SyntheticSlip::Rupture& rupture, double lon_deg, double lat_deg) {
    const double away = distance_m(rupture.lon_deg, rupture.lat_deg, lon_deg, lat_deg);
    const double north = (lat_deg - rupture.lat_deg);
    const double east = (lon_deg - rupture.lon_deg) * std::cos(rupture.lat_deg * kDegree);
    const double turn = std::atan2(east, north) - rupture.strike_deg * kDegree;
    const double along = 2.0 * away * std::cos(turn) / rupture.length_m;
    const double across = 2.0 * away * std::sin(turn) / rupture.width_m;
    const double q = std::hypot(along, across);
    const double cosine = std::cos(0.5 * std::numbers::pi * q);
    return q < 1.0 ? cosine * cosine : 0.0;
}

}  // namespace

std::vector<double> synthetic_slip(const SyntheticSlip& synthetic, const SlipUnknowns& slip,
                                   const SlipAmounts& amounts, const io::GreensDataset& greens) {
    std::vector<double> result(static_cast<std::size_t>(amounts.n_windows) * amounts.n_sources);
    const auto rake_of = [&](const io::GreensDataset::Source& source,
                             const std::optional<double>& azimuth) -> std::optional<double> {
        if (!azimuth) {
            return std::nullopt;
        }
        return rake_towards(*azimuth, source.strike_deg, source.dip_deg);
    };
    for (const SlipPatch& patch : amounts.patches) {
        const io::GreensDataset::Source& source = greens.sources[patch.sources.front()];
        if (const auto& board = synthetic.checkerboard) {
            if (source.grid_row < 0) {
                throw Error(ErrorCode::InvalidArgument,
                            "synthetic.checkerboard needs a grid of patches, patch '" + patch.id +
                                "' is of none");
            }
            const int field = source.grid_row / board->rows + source.grid_column / board->columns;
            std::optional<double> rake = rake_of(source, slip.azimuth_deg);
            if (slip.rake_from_deg) {
                rake = 0.5 * (*slip.rake_from_deg + *slip.rake_to_deg);
            }
            if (field % 2 == 0) {
                slip_along(patch, greens, rake, board->slip_m, result);
            }
        }
        if (const auto& rupture = synthetic.rupture) {
            const double part = falloff(*rupture, source.lon_deg, source.lat_deg);
            const std::optional<double> rake =
                rupture->rake_deg ? rupture->rake_deg : rake_of(source, rupture->slip_azimuth_deg);
            if (part > 0.0) {
                slip_along(patch, greens, rake, part * rupture->slip_m, result);
            }
        }
    }
    for (const SyntheticSlip::Amount& amount : synthetic.amounts) {
        const auto found =
            std::ranges::find(greens.sources, amount.source, &io::GreensDataset::Source::id);
        if (found == greens.sources.end()) {
            throw Error(ErrorCode::InvalidArgument,
                        "synthetic.slip: the dataset has no source '" + amount.source + "'");
        }
        result[found - greens.sources.begin()] += amount.slip_m;
    }
    if (std::ranges::all_of(result, [](double m) { return m == 0.0; })) {
        throw Error(ErrorCode::InvalidArgument, "synthetic: no patch slips");
    }
    return result;
}

}  // namespace kaname::jobs
