// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/rupture_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "solvers/fault/slip_model/segment_grid.hpp"

namespace kaname::slip_model {
namespace {

/// Times of a segment's patches that slip, by their place in its grid.
class TimeGrid {
public:
    TimeGrid(const PatchGrid& grid, const SlipModel& model, const std::vector<std::size_t>& patches)
        : grid_(grid) {
        for (const std::int32_t at : grid.patch) {
            const SlipPatch* patch =
                at < 0 ? nullptr : &model.patches[patches[static_cast<std::size_t>(at)]];
            const bool slips = patch != nullptr && patch->slip_m > 0.0;
            times_s_.push_back(slips ? patch->rupture_time_s : std::nullopt);
        }
    }

    [[nodiscard]] std::optional<double> at(int i, int j) const {
        const bool inside = i >= 0 && i < grid_.n_strike && j >= 0 && j < grid_.n_dip;
        return inside ? times_s_[static_cast<std::size_t>(j * grid_.n_strike + i)] : std::nullopt;
    }

    /// The neighbour's time, else on along the line from the other side, else the patch's own.
    [[nodiscard]] double beside(int i, int j, int di, int dj) const {
        const double own = *at(i, j);
        if (const auto next = at(i + di, j + dj)) {
            return *next;
        }
        return 2.0 * own - at(i - di, j - dj).value_or(own);
    }

private:
    const PatchGrid& grid_;
    std::vector<std::optional<double>> times_s_;
};

}  // namespace

RuptureTimes::RuptureTimes(const SlipModel& model, const PlacedModel& placed)
    : around_s_(model.patches.size()), first_s_(std::numeric_limits<double>::infinity()) {
    std::vector<std::vector<std::size_t>> segments(placed.segments.size());
    for (std::size_t k = 0; k < model.patches.size(); ++k) {
        const SlipPatch& patch = model.patches[k];
        const double time_s = patch.rupture_time_s.value_or(0.0);
        for (auto& row : around_s_[k]) {
            row.fill(time_s);
        }
        if (patch.slip_m > 0.0 && patch.rupture_time_s) {
            first_s_ = std::min(first_s_, time_s);
        }
        segments.at(static_cast<std::size_t>(patch.segment)).push_back(k);
    }
    for (std::size_t segment = 0; segment < segments.size(); ++segment) {
        std::vector<PlacedPatch> patches;
        for (const std::size_t k : segments[segment]) {
            patches.push_back(placed.patches[k]);
        }
        const std::optional<PatchGrid> grid =
            patches.empty() ? std::nullopt : find_grid(patches, placed.segments[segment]);
        if (!grid) {
            continue;
        }
        const TimeGrid times(*grid, model, segments[segment]);
        for (int j = 0; j < grid->n_dip; ++j) {
            for (int i = 0; i < grid->n_strike; ++i) {
                const auto own = times.at(i, j);
                if (!own) {
                    continue;
                }
                const std::int32_t at =
                    grid->patch[static_cast<std::size_t>(j * grid->n_strike + i)];
                Around& around = around_s_[segments[segment][static_cast<std::size_t>(at)]];
                for (const int dj : {-1, 1}) {
                    around[static_cast<std::size_t>(1 + dj)][1] = times.beside(i, j, 0, dj);
                }
                for (const int di : {-1, 1}) {
                    const double along = times.beside(i, j, di, 0);
                    around[1][static_cast<std::size_t>(1 + di)] = along;
                    for (const int dj : {-1, 1}) {
                        auto& row = around[static_cast<std::size_t>(1 + dj)];
                        row[static_cast<std::size_t>(1 + di)] =
                            times.at(i + di, j + dj).value_or(along + row[1] - *own);
                    }
                }
            }
        }
    }
}

double RuptureTimes::at(std::size_t patch, double along, double down) const {
    const Around& around = around_s_[patch];
    const auto& own = around[1];
    const auto& beyond = around[down < 0.0 ? 0 : 2];
    const std::size_t side = along < 0.0 ? 0 : 2;
    const double a = std::abs(along), d = std::abs(down);
    const double time_s = (1.0 - d) * ((1.0 - a) * own[1] + a * own[side]) +
                          d * ((1.0 - a) * beyond[1] + a * beyond[side]);
    return std::max(time_s, first_s_);
}

}  // namespace kaname::slip_model
