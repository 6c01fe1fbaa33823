// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/fault_request.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace kaname::jobs {
namespace {

constexpr double kSpacing = 0.45;  // in sizes: less than half, for slopes between samples

/// Keeps samples that the mesh can use, with the sizes that are asked for there.
class Samples {
public:
    Samples(const VolumeGeometry& volumes, const meshing::Box& box, const FaultPart& part)
        : volumes_(volumes), box_(box), frame_(box.azimuth_rad), part_(part) {}

    [[nodiscard]] double size_at(const Vec3& x, double dip_rad) const {
        return part_.size_at(volumes_.ground_m(x.x, x.y) - x.z, dip_rad);
    }
    void add(const Vec3& x, double size_m) {
        // A little above the ground, so that a fault goes on up to it.
        if (std::abs(frame_.b(x.x, x.y)) <= 0.5 * box_.size_east_m &&
            std::abs(frame_.a(x.x, x.y)) <= 0.5 * box_.size_north_m && x.z >= -box_.depth_m &&
            x.z <= volumes_.ground_m(x.x, x.y) + part_.above_m()) {
            all_.push_back(x);
            const double steps = std::log2(part_.size_m / size_m);
            by_size_[static_cast<int>(std::ceil(kStepsPerOctave * steps - 1e-9))].push_back(x);
        }
    }
    void take(RequestedFault& fault) {
        fault.request.samples = std::move(all_);
        for (auto& [step, samples] : by_size_) {
            fault.sizes.push_back(
                {part_.size_m * std::exp2(-step / kStepsPerOctave), std::move(samples)});
        }
    }

private:
    static constexpr double kStepsPerOctave = 2.0;

    const VolumeGeometry& volumes_;
    const meshing::Box& box_;
    meshing::BoxFrame frame_;
    FaultPart part_;
    std::vector<Vec3> all_;
    std::map<int, std::vector<Vec3>> by_size_;  ///< halvings of the size, in steps
};

/// Samples at the corners of a grid's cells, which are quartered while they are longer than the
/// spacing of the sizes at their corners. `at(u, v)`: a point of the fault, 0 <= u <= n_u,
/// 0 <= v <= n_v; `dip_rad(x)`: the fault's dip there.
template <class At, class Dip>
void sample(int n_u, int n_v, const At& at, const Dip& dip_rad, Samples& samples) {
    constexpr int kHalvings = 6, kParts = 1 << kHalvings;
    std::set<std::pair<int, int>> seen;  // corners with a sample, in parts of a cell
    const auto place = [&](int i, int j) {
        return at(static_cast<double>(i) / kParts, static_cast<double>(j) / kParts);
    };
    const auto divide = [&](const auto& self, int i, int j, int edge) -> void {
        const std::array<std::pair<int, int>, 4> corners = {
            {{i, j}, {i + edge, j}, {i, j + edge}, {i + edge, j + edge}}};
        std::array<Vec3, 4> x;
        std::array<double, 4> size{};
        for (std::size_t k = 0; k < 4; ++k) {
            x[k] = place(corners[k].first, corners[k].second);
            size[k] = samples.size_at(x[k], dip_rad(x[k]));
        }
        const double longest =
            std::max({norm(x[1] - x[0]), norm(x[3] - x[2]), norm(x[2] - x[0]), norm(x[3] - x[1])});
        if (edge > 1 && longest > (1.0 + 1e-9) * kSpacing * std::ranges::min(size)) {
            for (const int di : {0, edge / 2}) {
                for (const int dj : {0, edge / 2}) {
                    self(self, i + di, j + dj, edge / 2);
                }
            }
            return;
        }
        for (std::size_t k = 0; k < 4; ++k) {
            if (seen.insert(corners[k]).second) {
                samples.add(x[k], size[k]);
            }
        }
    };
    for (int j = 0; j < n_v; ++j) {
        for (int i = 0; i < n_u; ++i) {
            divide(divide, i * kParts, j * kParts, kParts);
        }
    }
}

int cells(double length_m, double spacing_m) {
    return std::max(1, static_cast<int>(std::ceil(length_m / spacing_m)));
}

/// The window's upper and lower edge on an interface, in sections across strike: q is the map
/// distance across it.
class SectionEdges {
public:
    struct Point {
        double q = 0.0, z = 0.0;
    };
    struct Section {
        Point top, bottom;
    };

    SectionEdges(const fault::InterfaceFault& fault, const SectionFrame& frame,
                 const meshing::FaultWindow& window, double spacing_m)
        : window_(window),
          origin_{frame.origin_x, frame.origin_y, 0.0},
          along_{std::sin(frame.strike_rad), std::cos(frame.strike_rad), 0.0},
          across_{along_.y, -along_.x, 0.0},
          n_(cells(window.s_max - window.s_min, spacing_m)),
          step_((window.s_max - window.s_min) / n_) {
        for (int i = 0; i <= n_; ++i) {
            const Vec3 top = fault.point({s(i), window.d_min});
            const Vec3 bottom = fault.point({s(i), window.d_max});
            sections_.push_back({{q_of(top), top.z}, {q_of(bottom), bottom.z}});
        }
    }

    [[nodiscard]] int size() const { return n_; }
    [[nodiscard]] const Vec3& along() const { return along_; }
    [[nodiscard]] const Vec3& across() const { return across_; }
    /// Width [m] of the longest section, as the crow flies.
    [[nodiscard]] double width_m() const {
        double width = 0.0;
        for (const Section& at : sections_) {
            width = std::max(width, std::hypot(at.bottom.q - at.top.q, at.bottom.z - at.top.z));
        }
        return width;
    }
    /// Map place between the upper edge (part 0) and the lower (1); u counts sections.
    [[nodiscard]] Vec3 map(double u, double part) const {
        const int i = std::min(static_cast<int>(u), n_ - 1);
        const auto q = [&](const Section& at) {
            return at.top.q + part * (at.bottom.q - at.top.q);
        };
        const double t = u - i;
        return origin_ + (window_.s_min + u * step_) * along_ +
               ((1.0 - t) * q(sections_[i]) + t * q(sections_[i + 1])) * across_;
    }
    /// Distance from the window's nearest edge: along strike on the map, down dip along the chord.
    [[nodiscard]] double inside_m(const Vec3& x) const {
        const double at_s = dot(x - origin_, along_);
        const double q = q_of(x);
        const double place = std::clamp((at_s - window_.s_min) / step_, 0.0, double(n_));
        const int i = std::min(static_cast<int>(place), n_ - 1);
        const double t = place - i;
        const auto between = [&](const Point& a, const Point& b) {
            return Point{a.q + t * (b.q - a.q), a.z + t * (b.z - a.z)};
        };
        const Point top = between(sections_[i].top, sections_[i + 1].top);
        const Point bottom = between(sections_[i].bottom, sections_[i + 1].bottom);
        return std::min({at_s - window_.s_min, window_.s_max - at_s,
                         std::copysign(std::hypot(q - top.q, x.z - top.z), q - top.q),
                         std::copysign(std::hypot(bottom.q - q, x.z - bottom.z), bottom.q - q)});
    }

private:
    [[nodiscard]] double s(int i) const { return window_.s_min + i * step_; }
    [[nodiscard]] double q_of(const Vec3& x) const { return dot(x - origin_, across_); }

    meshing::FaultWindow window_;
    Vec3 origin_, along_, across_;
    int n_;
    double step_;
    std::vector<Section> sections_;  // [n + 1]
};

}  // namespace

RequestedFault interface_request(const VolumeGeometry& volumes, const meshing::Box& box,
                                 int surface, const fault::InterfaceFault& fault,
                                 const SectionFrame& frame, const FaultPart& part) {
    const double spacing = kSpacing * part.size_m;
    // Asked by the mesher as long as it lives: not a reference.
    const auto edges = std::make_shared<const SectionEdges>(fault, frame, part.window, spacing);
    Samples samples(volumes, box, part);
    const int n_v = cells(edges->width_m(), spacing);
    sample(
        edges->size(), n_v,
        [&](double u, double v) {
            Vec3 x = edges->map(u, v / n_v);
            x.z = volumes.height_m(surface, x.x, x.y);
            return x;
        },
        [&](const Vec3& x) {
            return std::atan(std::hypot(volumes.slope_along(surface, x, edges->along()),
                                        volumes.slope_along(surface, x, edges->across())));
        },
        samples);
    RequestedFault requested;
    requested.part = part;
    requested.request.name = "fault";
    requested.request.surface = surface;
    requested.request.inside_m = [edges](const Vec3& x) { return edges->inside_m(x); };
    samples.take(requested);
    return requested;
}

RequestedFault plane_request(const VolumeGeometry& volumes, const meshing::Box& box,
                             const fault::PlaneFault& fault, const FaultPart& part) {
    const meshing::FaultWindow& w = part.window;
    const int n_s = cells(w.s_max - w.s_min, kSpacing * part.size_m);
    const int n_d = cells(w.d_max - w.d_min, kSpacing * part.size_m);
    const Vec3 normal = fault.normal({});
    const double dip_rad = std::acos(std::clamp(normal.z, -1.0, 1.0));
    Samples samples(volumes, box, part);
    sample(
        n_s, n_d,
        [&](double u, double v) {
            return fault.point(
                {w.s_min + u * (w.s_max - w.s_min) / n_s, w.d_min + v * (w.d_max - w.d_min) / n_d});
        },
        [&](const Vec3&) { return dip_rad; }, samples);
    RequestedFault requested;
    requested.part = part;
    requested.request.name = "fault";
    requested.request.plane = cleaving::FaultRequest::Plane{fault.point({}), normal};
    requested.request.outline = {fault.point({w.s_min, w.d_min}), fault.point({w.s_max, w.d_min}),
                                 fault.point({w.s_max, w.d_max}), fault.point({w.s_min, w.d_max})};
    requested.request.inside_m = [fault, w](const Vec3& x) {
        const fault::FaultCoordinates at = fault.coordinates(x);
        return std::min({at.s - w.s_min, w.s_max - at.s, at.d - w.d_min, w.d_max - at.d});
    };
    samples.take(requested);
    return requested;
}

}  // namespace kaname::jobs
