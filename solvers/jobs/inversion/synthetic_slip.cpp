// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/inversion/synthetic_slip.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/jobs/inversion/match_stations.hpp"

namespace kaname::jobs {
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
