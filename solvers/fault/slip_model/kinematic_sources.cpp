// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/kinematic_sources.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/fault/slip_model/segment_grid.hpp"

namespace kaname::slip_model {
namespace {

using source_time::TimeFunction;

constexpr std::size_t kMostPoints = 2000000;

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorCode::InvalidArgument, what);
}

void require_positive(const std::optional<double>& value, const char* name) {
    if (value && !(*value > 0.0 && std::isfinite(*value))) {
        refuse(std::string(name) + ": must be > 0, got " + number(*value));
    }
}

/// From time 0 on.
TimeFunction rate_of(RateShape shape, double rise_s) {
    switch (shape) {
        case RateShape::Triangle:
            return TimeFunction::triangle(rise_s, 0.0);
        case RateShape::Cosine:
            return TimeFunction::cosine(rise_s, 0.0);
        case RateShape::Yoffe:
            break;
    }
    return TimeFunction::yoffe(rise_s, source_time::kYoffeSmoothing * rise_s, 0.0);
}

TimeFunction rate_of(const SlipRate& rate) {
    std::vector<double> times_s, values;
    for (const double value : rate.rate_m_per_s) {
        times_s.push_back(static_cast<double>(times_s.size()) * rate.interval_s);
        values.push_back(value);
    }
    times_s.push_back(static_cast<double>(times_s.size()) * rate.interval_s);
    values.push_back(0.0);
    return TimeFunction::table(std::move(times_s), std::move(values));
}

/// Unit vector in the plane, rake after Aki and Richards.
Vec3 along_rake(const PlacedPatch& patch, double rake_deg) {
    const PlaneAxes axes = plane_axes(patch.strike_rad, patch.dip_rad);
    return std::cos(rake_deg * kDegree) * axes.along_strike -
           std::sin(rake_deg * kDegree) * axes.down_dip;
}

class PointMaker {
public:
    PointMaker(const SlipModel& model, const PlacedModel& placed,
               const std::function<double(const Vec3&)>& mu_pa, const KinematicOptions& options)
        : model_(model), placed_(placed), mu_pa_(mu_pa), options_(options), times_(model, placed) {}

    std::vector<KinematicPoint> make() {
        for (std::size_t k = 0; k < model_.patches.size(); ++k) {
            const SlipPatch& patch = model_.patches[k];
            if (patch.opening_m != 0.0) {
                refuse("patch " + patch.id + ": opening: " + number(patch.opening_m) +
                       " m, must be 0 in a rupture that makes waves");
            }
            const double moment_nm = patch_moment(placed_.patches[k], mu_pa_);
            if (moment_nm > 0.0) {
                divide(k, moment_nm);
            }
        }
        return std::move(points_);
    }

private:
    /// Rupture time [s] at a point of the patch.
    [[nodiscard]] double time_at(std::size_t k, const Vec3& x, double along, double down) const {
        if (options_.hypocentre_m) {
            return norm(x - *options_.hypocentre_m) / *options_.rupture_velocity_m_per_s;
        }
        if (!model_.patches[k].rupture_time_s) {
            refuse("patch " + model_.patches[k].id +
                   ": rupture time: the slip model has none, state rupture velocity and "
                   "hypocentre");
        }
        return times_.at(k, along, down);
    }

    [[nodiscard]] double rise_time(const SlipPatch& patch) const {
        const double stated_s = patch.rise_time_s.value_or(0.0);
        if (stated_s > 0.0) {
            return stated_s;
        }
        if (!options_.rise_time_s) {
            refuse("patch " + patch.id +
                   ": rise time: the slip model has none, or 0, state one for such patches");
        }
        return *options_.rise_time_s;
    }

    /// The patch's double couples of 1 N m of moment in all, from time 0 on, at no place yet.
    [[nodiscard]] std::vector<KinematicPoint> couples(std::size_t k) const {
        const SlipPatch& patch = model_.patches[k];
        const PlacedPatch& where = placed_.patches[k];
        const auto couple = [&](double moment_nm, double rake_deg) {
            return double_couple(moment_nm, along_rake(where, rake_deg), where.normal());
        };
        if (patch.rates.empty()) {
            return {{{}, couple(1.0, patch.rake_deg), rate_of(options_.shape, rise_time(patch))}};
        }
        std::vector<KinematicPoint> result;
        for (const SlipRate& rate : patch.rates) {
            result.push_back(
                {{}, couple(rate.slip_m / patch.slip_m, rate.rake_deg), rate_of(rate)});
        }
        return result;
    }

    void divide(std::size_t k, double moment_nm) {
        const PlacedPatch& patch = placed_.patches[k];
        const auto parts = [&](double side_m) {
            if (model_.format == SlipFormat::Srf) {
                return 1.0;
            }
            return std::max(1.0, std::ceil(side_m / options_.spacing_m * (1.0 - 1e-9)));
        };
        const double n_along = parts(patch.length_m), n_down = parts(patch.width_m);
        if (n_along * n_down + static_cast<double>(points_.size()) > kMostPoints) {
            refuse("spacing: " + number(options_.spacing_m) + " m makes more than " +
                   std::to_string(kMostPoints) + " points");
        }
        struct Part {
            Vec3 at;
            double along, down, mu_pa;
        };
        std::vector<Part> divided;
        const Vec3 length = patch.length_m * patch.along_strike();
        const Vec3 width = patch.width_m * patch.down_dip();
        double sum_pa = 0.0;
        for (int j = 0; j < n_down; ++j) {
            for (int i = 0; i < n_along; ++i) {
                const double along = (i + 0.5) / n_along - 0.5, down = (j + 0.5) / n_down - 0.5;
                const Vec3 at = patch.centre + along * length + down * width;
                divided.push_back({at, along, down, mu_pa_(at)});
                sum_pa += divided.back().mu_pa;
            }
        }
        const std::vector<KinematicPoint> sources = couples(k);
        for (const Part& part : divided) {
            // Where all points miss the rigid layers the patch has, its moment is spread evenly.
            const double share =
                sum_pa > 0.0 ? part.mu_pa / sum_pa : 1.0 / static_cast<double>(divided.size());
            if (share == 0.0) {
                continue;
            }
            const double onset_s = time_at(k, part.at, part.along, part.down);
            for (const KinematicPoint& source : sources) {
                KinematicPoint point{part.at, source.moment_nm, source.rate.later(onset_s)};
                for (double& component : point.moment_nm) {
                    component *= share * moment_nm;
                }
                points_.push_back(std::move(point));
            }
        }
    }

    const SlipModel& model_;
    const PlacedModel& placed_;
    const std::function<double(const Vec3&)>& mu_pa_;
    const KinematicOptions& options_;
    RuptureTimes times_;
    std::vector<KinematicPoint> points_;
};

}  // namespace

std::array<double, 6> double_couple(double moment_nm, const Vec3& s, const Vec3& n) {
    const double m = moment_nm;
    return {2.0 * m * s.x * n.x,         2.0 * m * s.y * n.y,         2.0 * m * s.z * n.z,
            m * (s.y * n.z + s.z * n.y), m * (s.x * n.z + s.z * n.x), m * (s.x * n.y + s.y * n.x)};
}

double scalar_moment(const std::array<double, 6>& m) {
    // Terms off the diagonal count twice.
    return std::sqrt(0.5 * (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) + m[3] * m[3] + m[4] * m[4] +
                     m[5] * m[5]);
}

std::vector<KinematicPoint> kinematic_sources(const SlipModel& model, const PlacedModel& placed,
                                              const std::function<double(const Vec3& x)>& mu_pa,
                                              const KinematicOptions& options) {
    require_positive(options.spacing_m, "spacing");
    require_positive(options.rise_time_s, "rise time");
    require_positive(options.rupture_velocity_m_per_s, "rupture velocity");
    if (options.rupture_velocity_m_per_s.has_value() != options.hypocentre_m.has_value()) {
        refuse("rupture velocity and hypocentre: must be given both or neither");
    }
    return PointMaker(model, placed, mu_pa, options).make();
}

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
