// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/fault_request.hpp"

#include <algorithm>
#include <cmath>

namespace kaname::registry {
namespace {

constexpr double kSpacing = 0.45;  // of the size: less than half, for slopes between samples

/// Keeps samples that the mesh can use.
class Samples {
public:
    Samples(const VolumeGeometry& volumes, const meshing::Box& box, double size_m)
        : volumes_(volumes), box_(box), frame_(box.azimuth_rad), above_m_(size_m) {}

    void add(const Vec3& x) {
        if (std::abs(frame_.b(x.x, x.y)) <= 0.5 * box_.size_east_m &&
            std::abs(frame_.a(x.x, x.y)) <= 0.5 * box_.size_north_m && x.z >= -box_.depth_m &&
            x.z <= volumes_.ground_m(x.x, x.y) + above_m_) {
            kept_.push_back(x);
        }
    }
    [[nodiscard]] std::vector<Vec3> take() { return std::move(kept_); }

private:
    const VolumeGeometry& volumes_;
    const meshing::Box& box_;
    meshing::BoxFrame frame_;
    double above_m_;  // so that a fault goes on up to the ground
    std::vector<Vec3> kept_;
};

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

    SectionEdges(const sources::InterfaceFault& fault, const SectionFrame& frame,
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

    [[nodiscard]] int size() const { return n_ + 1; }
    [[nodiscard]] const Section& section(int i) const { return sections_[i]; }
    [[nodiscard]] const Vec3& across() const { return across_; }
    /// Map place of a section's point.
    [[nodiscard]] Vec3 map(int i, double q) const { return origin_ + s(i) * along_ + q * across_; }
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

cleaving::FaultRequest interface_request(const VolumeGeometry& volumes, const meshing::Box& box,
                                         int surface, const sources::InterfaceFault& fault,
                                         const SectionFrame& frame, const FaultPart& part) {
    const double spacing = kSpacing * part.size_m;
    // Asked by the mesher as long as it lives: not a reference.
    const auto edges = std::make_shared<const SectionEdges>(fault, frame, part.window, spacing);
    Samples samples(volumes, box, part.size_m);
    for (int i = 0; i < edges->size(); ++i) {
        const double end = edges->section(i).bottom.q;
        for (double q = edges->section(i).top.q; q < end;) {
            Vec3 x = edges->map(i, q);
            x.z = volumes.height_m(surface, x.x, x.y);
            samples.add(x);
            q += spacing / std::hypot(1.0, volumes.slope_along(surface, x, edges->across()));
        }
        Vec3 last = edges->map(i, end);
        last.z = volumes.height_m(surface, last.x, last.y);
        samples.add(last);
    }
    cleaving::FaultRequest request;
    request.name = "fault";
    request.surface = surface;
    request.samples = samples.take();
    request.inside_m = [edges](const Vec3& x) { return edges->inside_m(x); };
    return request;
}

cleaving::FaultRequest plane_request(const VolumeGeometry& volumes, const meshing::Box& box,
                                     const sources::PlaneFault& fault, const FaultPart& part) {
    const meshing::FaultWindow& w = part.window;
    const int n_s = cells(w.s_max - w.s_min, kSpacing * part.size_m);
    const int n_d = cells(w.d_max - w.d_min, kSpacing * part.size_m);
    Samples samples(volumes, box, part.size_m);
    for (int j = 0; j <= n_d; ++j) {
        for (int i = 0; i <= n_s; ++i) {
            samples.add(fault.point({w.s_min + i * (w.s_max - w.s_min) / n_s,
                                     w.d_min + j * (w.d_max - w.d_min) / n_d}));
        }
    }
    cleaving::FaultRequest request;
    request.name = "fault";
    request.plane = cleaving::FaultRequest::Plane{fault.point({}), fault.normal({})};
    request.samples = samples.take();
    request.outline = {fault.point({w.s_min, w.d_min}), fault.point({w.s_max, w.d_min}),
                       fault.point({w.s_max, w.d_max}), fault.point({w.s_min, w.d_max})};
    request.inside_m = [fault, w](const Vec3& x) {
        const sources::FaultCoordinates at = fault.coordinates(x);
        return std::min({at.s - w.s_min, w.s_max - at.s, at.d - w.d_min, w.d_max - at.d});
    };
    return request;
}

}  // namespace kaname::registry
