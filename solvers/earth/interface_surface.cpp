// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/interface_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/earth/grid_fill.hpp"

namespace kaname::earth {
namespace {

constexpr double kSpacing_m = 4000.0;  ///< Slab2 has 5.5 km
constexpr int kLeastCells = 64;        ///< over half the square
constexpr int kMostCells = 300;
constexpr double kSlopeDecay_m = 30e3;
constexpr double kUpperBend_m = 2000.0;
constexpr double kBendOfRange = 0.1;

void check(const InterfaceSurface::Params& p) {
    if (!(p.min_depth_m >= 0.0) || !(p.max_depth_m > p.min_depth_m)) {
        throw Error(ErrorCode::InvalidArgument,
                    "interface depths must satisfy 0 <= min_depth_m < max_depth_m, got " +
                        std::to_string(p.min_depth_m) + " and " + std::to_string(p.max_depth_m));
    }
    if (!(p.smoothing_length_m >= 0.0) || !(p.half_size_m > 0.0)) {
        throw Error(ErrorCode::InvalidArgument,
                    "smoothing_length_m must be >= 0 and half_size_m > 0, got " +
                        std::to_string(p.smoothing_length_m) + " and " +
                        std::to_string(p.half_size_m));
    }
}

/// Limits with a parabola of half-width `bend` about each limit: slope 1 inside, 0 outside.
struct Limiter {
    explicit Limiter(const InterfaceSurface::Params& p)
        : low(p.min_depth_m),
          high(p.max_depth_m),
          bend_low(std::min(kUpperBend_m, kBendOfRange * (high - low))),
          bend_high(kBendOfRange * (high - low)) {}

    [[nodiscard]] double operator()(double depth) const {
        const double up = (depth - (low - bend_low)) / (2.0 * bend_low);
        if (up < 1.0) {
            return up <= 0.0 ? low : low + bend_low * up * up;
        }
        const double down = ((high + bend_high) - depth) / (2.0 * bend_high);
        if (down < 1.0) {
            return down <= 0.0 ? high : high - bend_high * down * down;
        }
        return depth;
    }
    /// The data's part that the limits let through; beyond it their result is constant.
    [[nodiscard]] double clip(double depth) const {
        return std::clamp(depth, low - bend_low, high + bend_high);
    }

    double low, high, bend_low, bend_high;
};

/// Values of the four cubic B-splines over a cell at 0 <= t <= 1; they sum to 1.
std::array<double, 4> bspline(double t) {
    const double s = 1.0 - t;
    return {s * s * s / 6.0, (4.0 + 3.0 * t * t * (t - 2.0)) / 6.0,
            (4.0 + 3.0 * s * s * (s - 2.0)) / 6.0, t * t * t / 6.0};
}

struct LonLatBox {
    double west = std::numeric_limits<double>::infinity(), east = -west, south = west,
           north = -west;

    void add(LonLat place) {
        west = std::min(west, place.lon_deg);
        east = std::max(east, place.lon_deg);
        south = std::min(south, place.lat_deg);
        north = std::max(north, place.lat_deg);
    }
    [[nodiscard]] std::string text() const {
        char out[96];
        std::snprintf(out, sizeof out, "longitude %.2f..%.2f, latitude %.2f..%.2f", west, east,
                      south, north);
        return out;
    }
};

}  // namespace

InterfaceSurface::InterfaceSurface(const GriddedSurface& data, const Projection& projection,
                                   const Params& params) {
    check(params);
    const int half_cells = std::clamp(static_cast<int>(std::ceil(params.half_size_m / kSpacing_m)),
                                      kLeastCells, kMostCells);
    spacing_m_ = params.half_size_m / half_cells;
    half_size_m_ = params.half_size_m + 2.0 * spacing_m_;
    n_ = 2 * (half_cells + 2) + 1;

    sample(data, projection, params);
    const SquareGrid grid{n_, spacing_m_};
    const Limiter limit(params);
    std::vector<unsigned char> known(depth_m_.size());
    std::size_t extended = 0;
    for (std::size_t at = 0; at < depth_m_.size(); ++at) {
        const double depth = depth_m_[at];
        known[at] = std::isfinite(depth);
        data_[at] = known[at] && depth >= limit.low && depth <= limit.high;
        depth_m_[at] = known[at] ? limit.clip(depth) : 0.0;
        const int i = static_cast<int>(at % n_);
        const int j = static_cast<int>(at / n_);
        const bool in_square = std::min(i, j) >= 2 && std::max(i, j) < n_ - 2;
        extended += in_square && !data_[at];
    }
    extended_fraction_ = static_cast<double>(extended) / ((n_ - 4.0) * (n_ - 4.0));

    fill_smoothly(grid, known, kSlopeDecay_m, depth_m_);
    smooth_gaussian(grid, params.smoothing_length_m, depth_m_);
    std::transform(depth_m_.begin(), depth_m_.end(), depth_m_.begin(), limit);
    find_steepest();
}

void InterfaceSurface::sample(const GriddedSurface& data, const Projection& projection,
                              const Params& params) {
    depth_m_.resize(static_cast<std::size_t>(n_) * n_);
    data_.resize(depth_m_.size());
    LonLatBox region;
    bool any = false;
    for (int j = 0; j < n_; ++j) {
        for (int i = 0; i < n_; ++i) {
            const LonLat place = projection.inverse({node(i), node(j)});
            const double depth = data.depth_at(place.lon_deg, place.lat_deg);
            depth_m_[static_cast<std::size_t>(j) * n_ + i] = depth;
            const bool in_square =
                std::max(std::abs(node(i)), std::abs(node(j))) <= params.half_size_m * (1 + 1e-9);
            if (in_square) {
                region.add(place);
                any = any || std::isfinite(depth);
            }
        }
    }
    if (!any) {
        LonLatBox surface;
        surface.add({data.lon0_deg, data.lat0_deg});
        surface.add({data.lon0_deg + (data.n_lon - 1) * data.spacing_lon_deg,
                     data.lat0_deg + (data.n_lat - 1) * data.spacing_lat_deg});
        throw Error(ErrorCode::InvalidArgument, "the interface's surface (" + surface.text() +
                                                    ") has no data inside the region (" +
                                                    region.text() + ")");
    }
}

void InterfaceSurface::find_steepest() {
    double steepest = -1.0;
    for (int j = 2; j < n_ - 2; ++j) {
        for (int i = 2; i < n_ - 2; ++i) {
            const double x = node(i);
            const double y = node(j);
            const double h = 0.5 * spacing_m_;
            const double slope = std::hypot(depth_m(x + h, y) - depth_m(x - h, y),
                                            depth_m(x, y + h) - depth_m(x, y - h)) /
                                 spacing_m_;
            if (slope > steepest) {
                steepest = slope;
                steepest_ = {x, y, std::atan(slope)};
            }
        }
    }
}

double InterfaceSurface::depth_m(double x, double y) const {
    const double last = n_ - 3.0;
    const double u = std::clamp((x + half_size_m_) / spacing_m_, 2.0, last);
    const double v = std::clamp((y + half_size_m_) / spacing_m_, 2.0, last);
    const int i = std::min(static_cast<int>(u), n_ - 4);
    const int j = std::min(static_cast<int>(v), n_ - 4);
    const std::array<double, 4> wx = bspline(u - i);
    const std::array<double, 4> wy = bspline(v - j);
    double depth = 0.0;
    for (int row = 0; row < 4; ++row) {
        const double* line = &depth_m_[static_cast<std::size_t>(j - 1 + row) * n_ + (i - 1)];
        depth += wy[row] * (wx[0] * line[0] + wx[1] * line[1] + wx[2] * line[2] + wx[3] * line[3]);
    }
    return depth;
}

bool InterfaceSurface::has_data(double x, double y) const {
    const auto nearest = [this](double at) {
        return std::clamp(static_cast<int>(std::lround((at + half_size_m_) / spacing_m_)), 0,
                          n_ - 1);
    };
    return data_[static_cast<std::size_t>(nearest(y)) * n_ + nearest(x)] != 0;
}

}  // namespace kaname::earth
