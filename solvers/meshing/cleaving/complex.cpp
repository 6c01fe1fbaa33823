// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/complex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::cleaving {
namespace {

constexpr int kUnranked = 1'000'000;
constexpr double kOnPlane_m = 1e-6;  // rounding

Vec3 free_part(const Vec3& direction, Walls walls) {
    return {(walls & 1U) != 0 ? 0.0 : direction.x, (walls & 2U) != 0 ? 0.0 : direction.y,
            (walls & 4U) != 0 ? 0.0 : direction.z};
}

}  // namespace

Sheets::Sheets(std::shared_ptr<const earth::VolumeModel> model,
               std::span<const FaultRequest> faults, const meshing::Box& box)
    : model_(std::move(model)), surfaces_(static_cast<int>(model_->surfaces.size())) {
    const meshing::BoxFrame frame(box.azimuth_rad);
    rank_.assign(model_->surfaces.size(), kUnranked);
    rank_.front() = 0;
    int next = 1;
    for (const FaultRequest& fault : faults) {
        if (fault.sharp) {
            sharp_ |= SheetMask{1}
                      << (fault.surface >= 0 ? fault.surface
                                             : surfaces_ + static_cast<int>(planes_.size()));
        }
        if (fault.surface >= 0) {
            fault_sheet_.push_back(fault.surface);
            if (rank_[fault.surface] == kUnranked) {
                rank_[fault.surface] = next++;
            }
            continue;
        }
        const auto turned = [&](const Vec3& x) {
            return Vec3{frame.b(x.x, x.y), frame.a(x.x, x.y), x.z};
        };
        fault_sheet_.push_back(surfaces_ + static_cast<int>(planes_.size()));
        planes_.push_back({turned(fault.plane->point), normalized(turned(fault.plane->normal))});
        rank_.push_back(next++);
    }
    count_ = surfaces_ + static_cast<int>(planes_.size());
    lowest_precedence_ = next;
    if (count_ > earth::kMaxSurfaces) {
        throw Error(ErrorCode::InvalidArgument, "surfaces and planar faults must be at most " +
                                                    std::to_string(earth::kMaxSurfaces) + ", got " +
                                                    std::to_string(count_));
    }
    for (const earth::Volume& volume : model_->volumes) {
        for (const int surface : {volume.top, volume.bottom}) {
            if (surface >= 0 && rank_[surface] == kUnranked) {
                rank_[surface] = next++;
            }
        }
    }
}

double Sheets::above(int sheet, const Vec3& x) const {
    if (sheet < surfaces_) {
        return x.z - model_->surfaces[sheet].height.z(x.x, x.y);
    }
    const Plane& plane = planes_[sheet - surfaces_];
    const double above = dot(x - plane.point, plane.normal);
    return std::abs(above) < kOnPlane_m ? 0.0 : above;
}

double Sheets::distance_m(int sheet, const Vec3& x) const {
    if (sheet >= surfaces_) {
        return above(sheet, x);
    }
    const auto slope = model_->surfaces[sheet].height.slope(x.x, x.y);
    return (x.z - slope.z) / std::sqrt(1.0 + slope.dz_du * slope.dz_du + slope.dz_dv * slope.dz_dv);
}

Vec3 Sheets::project(int sheet, const Vec3& x, Walls walls) const {
    Vec3 at = x;
    const bool plane = sheet >= surfaces_;
    for (int round = 0; round < (plane ? 1 : 3); ++round) {  // Newton along the gradient
        double value = 0.0;
        Vec3 gradient;
        if (plane) {
            gradient = planes_[sheet - surfaces_].normal;
            value = above(sheet, at);
        } else {
            const auto slope = model_->surfaces[sheet].height.slope(at.x, at.y);
            gradient = {-slope.dz_du, -slope.dz_dv, 1.0};
            value = at.z - slope.z;
        }
        gradient = free_part(gradient, walls);
        const double length2 = dot(gradient, gradient);
        if (!(length2 > 1e-12)) {
            break;
        }
        at += (-value / length2) * gradient;
    }
    if (!plane && (walls & 4U) == 0) {
        at.z = model_->surfaces[sheet].height.z(at.x, at.y);
    }
    return at;
}

bool Sheets::project_all(SheetMask on, Vec3& x, Walls walls, double reach_m) const {
    if (on == 0) {
        return true;
    }
    Vec3 at = x;
    const bool one = (on & (on - 1)) == 0;
    for (int round = 0; round < (one ? 1 : 6); ++round) {
        for (int sheet = 0; sheet < count_; ++sheet) {
            if ((on >> sheet & 1U) != 0) {
                at = project(sheet, at, walls);
            }
        }
    }
    if (!(norm(at - x) <= reach_m)) {
        return false;
    }
    for (int sheet = 0; sheet < count_; ++sheet) {
        if ((on >> sheet & 1U) != 0 && !(std::abs(distance_m(sheet, at)) <= 0.02 * reach_m)) {
            return false;
        }
    }
    x = at;
    return true;
}

double Sheets::crossing(int sheet, const Vec3& p, const Vec3& q) const {
    double t0 = 0.0, t1 = 1.0;
    double f0 = above(sheet, p), f1 = above(sheet, q);
    if (f0 == f1) {
        return 0.5;
    }
    double t = f0 / (f0 - f1);
    if (sheet >= surfaces_ || model_->surfaces[sheet].height.constant()) {
        return std::clamp(t, 0.0, 1.0);
    }
    for (int round = 0; round < 6; ++round) {  // regula falsi, Illinois
        t = t0 + (t1 - t0) * f0 / (f0 - f1);
        const double f = above(sheet, p + t * (q - p));
        if (std::abs(f) < 1e-4 * std::abs(f0 - f1)) {
            break;
        }
        if ((f < 0.0) == (f0 < 0.0)) {
            t0 = t;
            f0 = f;
            f1 *= 0.5;
        } else {
            t1 = t;
            f1 = f;
            f0 *= 0.5;
        }
    }
    return std::clamp(t, 0.0, 1.0);
}

void ThinLayers::merge(double u, double v, earth::Column& column) const {
    const auto is_ground = [&](int r) {
        return r >= 0 && r < column.runs && column.run[r].volume != earth::kAir;
    };
    while (true) {
        int thinnest = -1;
        double least = std::numeric_limits<double>::infinity();
        for (int r = 0; r < column.runs; ++r) {
            const earth::Column::Run& run = column.run[r];
            const double thickness = run.thickness_m();
            if (is_ground(r) && (is_ground(r - 1) || is_ground(r + 1)) && thickness < least &&
                thickness < part_ * sizes_->at_up_to({u, v, 0.5 * (run.top_m + run.bottom_m)},
                                                     thickness / part_)) {
                thinnest = r;
                least = thickness;
            }
        }
        if (thinnest < 0) {
            return;
        }
        const bool up = is_ground(thinnest - 1) &&
                        (!is_ground(thinnest + 1) || column.run[thinnest - 1].thickness_m() <
                                                         column.run[thinnest + 1].thickness_m());
        column.join(up ? thinnest - 1 : thinnest);
    }
}

std::uint64_t ThinLayers::slabs_of(const earth::VolumeModel& model) {
    std::uint64_t slabs = 0;
    for (std::size_t k = 0; k < model.volumes.size(); ++k) {
        if (model.volumes[k].top >= 0 && model.volumes[k].bottom >= 0) {
            slabs |= volume_bit(static_cast<int>(k));
        }
    }
    return slabs;
}

void ThinLayers::add_run(const earth::Column& column, int run, VolumeSet& set) const {
    const int volume = column.run[run].volume;
    const std::uint64_t bit = volume_bit(volume);
    set.volumes |= bit;
    if (volume == earth::kAir) {
        set.upper |= bit;
        set.lower |= bit;
        return;
    }
    const std::uint64_t cutting = slabs_ & (bit - 1);  // named earlier
    const auto cut_by = [&](int first, int last) {
        for (int r = first; cutting != 0 && r < last; ++r) {
            if ((volume_bit(column.run[r].volume) & cutting) != 0) {
                return true;
            }
        }
        return false;
    };
    const bool lower = cut_by(0, run);
    const bool upper = !lower && cut_by(run + 1, column.runs);
    set.upper |= lower ? 0 : bit;
    set.lower |= upper ? 0 : bit;
}

VolumeSet ThinLayers::at(const Vec3& x, earth::SideMask on) const {
    const earth::Column::Heights heights = earth::Column::heights_at(*model_, x.x, x.y);
    const std::size_t n = model_->surfaces.size();
    earth::SideMask above = 0;
    for (std::size_t k = 0; k < n; ++k) {
        above |= static_cast<earth::SideMask>(x.z > heights[k]) << k;
    }
    earth::Column column(*model_, heights);
    if (part_ > 0.0) {
        merge(x.x, x.y, column);
    }
    VolumeSet set{0, 0, 0};
    const auto add = [&](earth::SideMask sides) {
        for (int piece = 0; piece < column.pieces; ++piece) {
            if (column.sides[piece] == sides) {
                add_run(column, column.run_of[piece], set);
                return;
            }
        }
        // Not on this line but beside it.
        const std::uint64_t bit = volume_bit(model_->volume_of(sides));
        set.volumes |= bit;
        set.upper |= bit;
        set.lower |= bit;
    };
    const earth::SideMask met = on & ((earth::SideMask{1} << n) - 1);
    // All ways to be above or below the surfaces in `met`: its subsets.
    earth::SideMask subset = met;
    while (true) {
        add((above & ~met) | subset);
        if (subset == 0) {
            set.upper |= ~set.volumes;
            set.lower |= ~set.volumes;
            return set;
        }
        subset = (subset - 1) & met;
    }
}

void compact(Complex& complex) {
    std::size_t kept = 0;
    for (std::size_t t = 0; t < complex.tets.size(); ++t) {
        if (complex.tets[t][0] >= 0) {
            complex.tets[kept] = complex.tets[t];
            complex.tet_labels[kept++] = complex.tet_labels[t];
        }
    }
    complex.tets.resize(kept);
    complex.tet_labels.resize(kept);
    std::vector<std::int32_t> number(complex.xyz.size(), -1);
    for (const Tet& tet : complex.tets) {
        for (const std::int32_t v : tet) {
            number[v] = 0;
        }
    }
    std::int32_t next = 0;
    for (std::size_t v = 0; v < number.size(); ++v) {
        if (number[v] == 0) {
            complex.xyz[next] = complex.xyz[v];
            complex.walls[next] = complex.walls[v];
            complex.on[next] = complex.on[v];
            complex.labels[next] = complex.labels[v];
            number[v] = next++;
        }
    }
    complex.xyz.resize(next);
    complex.walls.resize(next);
    complex.on.resize(next);
    complex.labels.resize(next);
    for (Tet& tet : complex.tets) {
        for (std::int32_t& v : tet) {
            v = number[v];
        }
    }
}

}  // namespace kaname::cleaving
