// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/interface_surface.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/earth/depth_limits.hpp"
#include "solvers/earth/grid_fill.hpp"
#include "solvers/earth/lon_lat_box.hpp"

namespace kaname::earth {
namespace {

constexpr double kSpacing_m = 4000.0;  ///< Slab2 has 5.5 km
constexpr int kLeastCells = 64;        ///< fewest cells over half the square
constexpr int kMostCells = 300;

void check_params(const InterfaceSurface::Params& p) {
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

}  // namespace

InterfaceSurface::InterfaceSurface(const GriddedSurface& data, const Projection& projection,
                                   const Params& params) {
    check_params(params);
    const int half_cells = std::clamp(static_cast<int>(std::ceil(params.half_size_m / kSpacing_m)),
                                      kLeastCells, kMostCells);
    spacing_m_ = params.half_size_m / half_cells;
    half_size_m_ = params.half_size_m;
    n_ = 2 * (half_cells + 2) + 1;

    std::vector<double> depth_m = sample(data, projection);
    data_.resize(depth_m.size());
    const PlanGrid grid{n_, n_, spacing_m_};
    const DepthLimits limit(params.min_depth_m, params.max_depth_m);
    std::vector<unsigned char> known(depth_m.size());
    std::size_t extended = 0;
    for (std::size_t at = 0; at < depth_m.size(); ++at) {
        const double depth = depth_m[at];
        known[at] = std::isfinite(depth);
        data_[at] = known[at] && depth >= limit.low && depth <= limit.high;
        depth_m[at] = known[at] ? limit.clip(depth) : 0.0;
        const int i = static_cast<int>(at % n_);
        const int j = static_cast<int>(at / n_);
        const bool in_square = std::min(i, j) >= 2 && std::max(i, j) < n_ - 2;
        extended += in_square && !data_[at];
    }
    extended_fraction_ = static_cast<double>(extended) / ((n_ - 4.0) * (n_ - 4.0));

    fill_smoothly(grid, known, kSlopeDecay_m, depth_m);
    smooth_gaussian(grid, params.smoothing_length_m, depth_m);
    std::transform(depth_m.begin(), depth_m.end(), depth_m.begin(), limit);
    depth_ = HeightField({node(0), node(0), spacing_m_, spacing_m_, n_, n_}, depth_m);
    find_steepest();
}

std::vector<double> InterfaceSurface::sample(const GriddedSurface& data,
                                             const Projection& projection) const {
    std::vector<double> depth_m(static_cast<std::size_t>(n_) * n_);
    LonLatBox region;
    bool any = false;
    for (int j = 0; j < n_; ++j) {
        for (int i = 0; i < n_; ++i) {
            const LonLat place = projection.inverse({node(i), node(j)});
            const double depth = data.depth_at(place.lon_deg, place.lat_deg);
            depth_m[static_cast<std::size_t>(j) * n_ + i] = depth;
            const bool in_square =
                std::max(std::abs(node(i)), std::abs(node(j))) <= half_size_m_ * (1 + 1e-9);
            if (in_square) {
                region.add(place);
                any = any || std::isfinite(depth);
            }
        }
    }
    if (!any) {
        throw Error(ErrorCode::InvalidArgument, "the interface's surface (" + extent(data).text() +
                                                    ") has no data inside the region (" +
                                                    region.text() + ")");
    }
    return depth_m;
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
    return depth_.z(std::clamp(x, -half_size_m_, half_size_m_),
                    std::clamp(y, -half_size_m_, half_size_m_));
}

bool InterfaceSurface::has_data(double x, double y) const {
    const auto nearest = [this](double at) {
        return std::clamp(static_cast<int>(std::lround((at - node(0)) / spacing_m_)), 0, n_ - 1);
    };
    return data_[static_cast<std::size_t>(nearest(y)) * n_ + nearest(x)] != 0;
}

}  // namespace kaname::earth
