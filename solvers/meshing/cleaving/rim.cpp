// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/rim.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/fault_sides.hpp"
#include "solvers/meshing/cleaving/lattice.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::cleaving {
namespace {

constexpr double kOnSheet = 0.02;  // distance from another fault, of the longest edge

class Rim {
public:
    Rim(Complex& complex, const Sheets& sheets, const FaultRequest& fault, int index,
        const meshing::Box& box, SheetMask faults, const UnresolvedRegions& unresolved)
        : complex_(complex),
          sheets_(sheets),
          fault_(fault),
          index_(index),
          frame_(box.azimuth_rad),
          faults_(faults),
          unresolved_(unresolved) {
        for (const Vec3& x : fault.outline) {
            corners_.push_back({frame_.b(x.x, x.y), frame_.a(x.x, x.y), x.z});
        }
    }

    /// False where a vertex would have to go far.
    bool run() {
        const std::vector<std::int32_t> vertices = find_vertices();
        take_corners(vertices);
        for (const std::int32_t v : vertices) {
            if (!on_rim(complex_.walls[v]) && !unresolved_.holds(complex_.xyz[v])) {
                move(v);
            }
        }
        return !lost_;
    }

private:
    [[nodiscard]] Vec3 corner(std::size_t k) const { return corners_[k % corners_.size()]; }
    [[nodiscard]] bool in_air(const Vec3& x) const {
        return sheets_.above(0, x) > 1e-6 * norm(corner(2) - corner(0));
    }
    /// Sheets of other faults that a vertex is on, from where it must not be moved away.
    [[nodiscard]] SheetMask others(std::int32_t v) const {
        return complex_.on[v] & faults_ & ~(SheetMask{1} << sheets_.of_fault(index_));
    }
    [[nodiscard]] bool on_all(SheetMask sheets, const Vec3& x) const {
        for (; sheets != 0; sheets &= sheets - 1) {
            if (std::abs(sheets_.distance_m(__builtin_ctzll(sheets), x)) > kOnSheet * reach_m_) {
                return false;
            }
        }
        return true;
    }
    [[nodiscard]] bool at_surface(std::int32_t v) const {
        return (complex_.on[v] & 1U) != 0 || ((complex_.walls[v] & 4U) != 0 &&
                                              std::abs(sheets_.above(0, complex_.xyz[v])) < 1e-6);
    }
    /// A point of the outline.
    struct Place {
        Vec3 at;
        int side = -1;
        double away_m = std::numeric_limits<double>::infinity();
    };
    [[nodiscard]] Place nearest_place(std::int32_t v) const;
    [[nodiscard]] std::vector<std::int32_t> find_vertices();
    [[nodiscard]] std::vector<std::int32_t> free_vertices(const std::vector<Triangle>& faces) const;
    void take_corners(const std::vector<std::int32_t>& vertices);
    void move(std::int32_t v);

    Complex& complex_;
    const Sheets& sheets_;
    const FaultRequest& fault_;
    int index_;
    meshing::BoxFrame frame_;
    SheetMask faults_;  // sheets of all faults
    const UnresolvedRegions& unresolved_;
    std::vector<Vec3> corners_;  // box frame
    double reach_m_ = 0.0;
    bool lost_ = false;
};

std::vector<std::int32_t> Rim::find_vertices() {
    std::vector<Triangle> faces = faces_between_sides(complex_, index_);
    std::erase_if(faces, [&](const Triangle& face) {
        const Vec3 x =
            (1.0 / 3.0) * (complex_.xyz[face[0]] + complex_.xyz[face[1]] + complex_.xyz[face[2]]);
        return fault_.inside_m(frame_.to_map(x.y, x.x, x.z)) <= 0.0;
    });
    for (const Triangle& face : faces) {
        for (int k = 0; k < 3; ++k) {
            const Vec3 edge = complex_.xyz[face[k]] - complex_.xyz[face[(k + 1) % 3]];
            reach_m_ = std::max(reach_m_, norm(edge));
        }
    }
    // A face of which all corners would come to lie on one side of the outline is left out.
    while (true) {
        const std::vector<std::int32_t> vertices = free_vertices(faces);
        const auto flat = [&](const Triangle& face) {
            return std::ranges::all_of(face, [&](std::int32_t v) {
                return std::ranges::binary_search(vertices, v) &&
                       nearest_place(v).side == nearest_place(face[0]).side;
            });
        };
        if (std::erase_if(faces, flat) == 0) {
            return vertices;
        }
    }
}

std::vector<std::int32_t> Rim::free_vertices(const std::vector<Triangle>& faces) const {
    std::vector<Edge> edges;
    for (const Triangle& face : faces) {
        for (int k = 0; k < 3; ++k) {
            edges.push_back(std::minmax(face[k], face[(k + 1) % 3]));
        }
    }
    std::ranges::sort(edges);
    std::vector<std::int32_t> vertices;
    for (std::size_t e = 0; e < edges.size(); ++e) {
        if (e + 1 < edges.size() && edges[e] == edges[e + 1]) {
            ++e;
        } else if (!at_surface(edges[e].first) || !at_surface(edges[e].second)) {
            vertices.push_back(edges[e].first);
            vertices.push_back(edges[e].second);
        }
    }
    sort_unique(vertices);
    return vertices;
}

void Rim::take_corners(const std::vector<std::int32_t>& vertices) {
    const std::size_t n = corners_.size();
    for (std::size_t k = 0; k < n; ++k) {
        if (in_air(corner(k))) {
            continue;
        }
        std::int32_t nearest = -1;
        double least = std::numeric_limits<double>::infinity();
        for (const std::int32_t v : vertices) {
            const double away = norm(complex_.xyz[v] - corner(k));
            if (away < least && !on_rim(complex_.walls[v]) && !unresolved_.holds(complex_.xyz[v]) &&
                on_all(others(v), corner(k))) {
                least = away;
                nearest = v;
            }
        }
        if (nearest >= 0) {
            lost_ = lost_ || least > reach_m_;
            complex_.xyz[nearest] = corner(k);
            complex_.walls[nearest] = static_cast<Walls>(
                complex_.walls[nearest] | 1U << (kRimBit + k) | 1U << (kRimBit + (k + n - 1) % n));
        }
    }
}

Rim::Place Rim::nearest_place(std::int32_t v) const {
    const Vec3 x = complex_.xyz[v];
    Place best;
    for (std::size_t k = 0; k < corners_.size(); ++k) {
        const Vec3 from = corner(k);
        const Vec3 along = corner(k + 1) - from;
        if (in_air(from) && in_air(corner(k + 1))) {
            continue;  // no rim there
        }
        double t = std::clamp(dot(x - from, along) / dot(along, along), 0.0, 1.0);
        if (at_surface(v)) {
            if (in_air(from) == in_air(corner(k + 1))) {
                continue;
            }
            t = sheets_.crossing(0, from, corner(k + 1));
        }
        Vec3 at = from + t * along;
        if (const SheetMask sheets = others(v); sheets != 0 && !on_all(sheets, at)) {
            const int sheet = __builtin_ctzll(sheets);
            if (sheets_.above(sheet, from) * sheets_.above(sheet, corner(k + 1)) >= 0.0) {
                continue;  // this side does not cross the other fault
            }
            at = from + sheets_.crossing(sheet, from, corner(k + 1)) * along;
            if (!on_all(sheets, at)) {
                continue;
            }
        }
        if (norm(at - x) < best.away_m) {
            best = {at, static_cast<int>(k), norm(at - x)};
        }
    }
    return best;
}

void Rim::move(std::int32_t v) {
    const Place place = nearest_place(v);
    if (place.side < 0) {
        return;
    }
    lost_ = lost_ || place.away_m > reach_m_;
    complex_.xyz[v] = place.at;
    complex_.walls[v] = static_cast<Walls>(complex_.walls[v] | 1U << (kRimBit + place.side));
}

}  // namespace

bool fit_rims(Complex& complex, const Sheets& sheets, std::span<const FaultRequest> faults,
              const meshing::Box& box, const UnresolvedRegions& unresolved) {
    bool fitted = true;
    SheetMask sheets_of_faults = 0;
    for (std::size_t fault = 0; fault < faults.size(); ++fault) {
        sheets_of_faults |= SheetMask{1} << sheets.of_fault(static_cast<int>(fault));
    }
    for (std::size_t fault = 0; fault < faults.size(); ++fault) {
        if (!faults[fault].outline.empty()) {
            fitted = Rim(complex, sheets, faults[fault], static_cast<int>(fault), box,
                         sheets_of_faults, unresolved)
                         .run() &&
                     fitted;
        }
    }
    return fitted;
}

namespace {

constexpr double kReach = 0.6;    // how far a sheet may be, in longest edges
constexpr int kSettleRounds = 3;  // a vertex makes room for its neighbours
constexpr double kAway = 0.01;    // in longest edges: what is nearer lies on its sheet
constexpr double kParts[] = {1.0, 0.75, 0.5, 0.25};

class Settler {
public:
    Settler(Complex& complex, const Sheets& sheets, double least_deg)
        : complex_(complex),
          sheets_(sheets),
          stars_(complex.xyz.size(), complex.tets),
          least_deg_(least_deg) {}

    /// All vertices at once, but those of tets that this spoils: next to each other they would be
    /// in each other's way, and those on the side with less room would stay.
    std::int64_t together();
    /// One after the other, as far as each can.
    std::int64_t round() {
        std::int64_t moved = 0;
        for (std::size_t v = 0; v < complex_.xyz.size(); ++v) {
            const Goal goal = goal_of(static_cast<std::int32_t>(v));
            moved += goal.sheet >= 0 && move(static_cast<std::int32_t>(v), goal) ? 1 : 0;
        }
        return moved;
    }

private:
    [[nodiscard]] bool is_of_volumes(int sheet) const {
        return sheets_.precedence(sheet) == sheets_.precedence(-1);
    }
    [[nodiscard]] bool on_one_of_volumes(SheetMask on) const {
        for (int sheet = 0; sheet < sheets_.count(); ++sheet) {
            if ((on >> sheet & 1U) != 0 && is_of_volumes(sheet)) {
                return true;
            }
        }
        return false;
    }
    /// Returns true if the sheet has one of the two volumes above and the other one below it at x.
    [[nodiscard]] bool parts(int sheet, const Vec3& x, std::uint64_t two) const {
        const earth::SideMask sides = sheets_.model().sides(x.x, x.y, x.z);
        const earth::SideMask bit = earth::SideMask{1} << sheet;
        return (volume_bit(sheets_.model().volume_of(sides | bit)) |
                volume_bit(sheets_.model().volume_of(sides & ~bit))) == two;
    }
    struct Goal {
        int sheet = -1;  ///< none: it lies well
        Vec3 at;
    };
    [[nodiscard]] Goal goal_of(std::int32_t v) const;
    bool move(std::int32_t v, const Goal& goal);

    Complex& complex_;
    const Sheets& sheets_;
    Stars stars_;
    double least_deg_;
};

Settler::Goal Settler::goal_of(std::int32_t v) const {
    const auto star = stars_.of(v);
    std::uint64_t volumes = 0;
    for (const std::int32_t t : star) {
        volumes |= complex_.tet_labels[t].volumes;
    }
    if (std::popcount(volumes) != 2 || on_rim(complex_.walls[v]) ||
        on_one_of_volumes(complex_.on[v])) {
        return {};
    }
    const Vec3& x = complex_.xyz[v];
    double edge_m = 0.0;
    for (const std::int32_t t : star) {
        for (const std::int32_t w : complex_.tets[t]) {
            edge_m = std::max(edge_m, norm(complex_.xyz[w] - x));
        }
    }
    Goal goal;
    double least_m = kReach * edge_m;
    for (int sheet = 1; sheet < sheets_.surfaces(); ++sheet) {
        Vec3 at = x;
        if (is_of_volumes(sheet) && std::abs(sheets_.distance_m(sheet, x)) < least_m &&
            sheets_.project_all(complex_.on[v] | SheetMask{1} << sheet, at, complex_.walls[v],
                                least_m) &&
            parts(sheet, at, volumes)) {
            goal = {sheet, at};
            least_m = norm(at - x);
        }
    }
    return least_m > kAway * edge_m ? goal : Goal{};
}

std::int64_t Settler::together() {
    std::map<std::int32_t, Goal> moving;
    std::map<std::int32_t, Vec3> from;
    std::map<std::int32_t, double> enough;  // least shape_deg of the tets that change
    for (std::size_t k = 0; k < complex_.xyz.size(); ++k) {
        const auto v = static_cast<std::int32_t>(k);
        if (const Goal goal = goal_of(v); goal.sheet >= 0) {
            moving.emplace(v, goal);
            from.emplace(v, complex_.xyz[v]);
            for (const std::int32_t t : stars_.of(v)) {
                enough.emplace(t, std::min(least_deg_, shape_deg(complex_.xyz, complex_.tets[t])));
            }
        }
    }
    for (const auto& [v, goal] : moving) {
        complex_.xyz[v] = goal.at;
    }
    for (bool again = true; again;) {
        again = false;
        for (const auto& [t, least] : enough) {
            if (shape_deg(complex_.xyz, complex_.tets[t]) >= least) {
                continue;
            }
            std::int32_t farthest = -1;
            double most_m = 0.0;
            for (const std::int32_t v : complex_.tets[t]) {
                const auto found = moving.find(v);
                if (found != moving.end() && norm(found->second.at - from.at(v)) > most_m) {
                    farthest = v;
                    most_m = norm(found->second.at - from.at(v));
                }
            }
            if (farthest >= 0) {
                moving.erase(farthest);
                complex_.xyz[farthest] = from.at(farthest);
                again = true;
            }
        }
    }
    for (const auto& [v, goal] : moving) {
        complex_.on[v] |= SheetMask{1} << goal.sheet;
    }
    return static_cast<std::int64_t>(moving.size());
}

bool Settler::move(std::int32_t v, const Goal& goal) {
    const auto worst = [&] {
        double least = std::numeric_limits<double>::infinity();
        for (const std::int32_t t : stars_.of(v)) {
            least = std::min(least, shape_deg(complex_.xyz, complex_.tets[t]));
        }
        return least;
    };
    const double enough = std::min(least_deg_, worst());
    const Vec3 from = complex_.xyz[v];
    for (const double part : kParts) {
        if (part < 1.0 && complex_.on[v] != 0) {
            break;  // half-way it would be off what it lies on
        }
        complex_.xyz[v] = from + part * (goal.at - from);
        if (worst() >= enough) {
            complex_.on[v] |= part == 1.0 ? SheetMask{1} << goal.sheet : 0;
            return true;
        }
    }
    complex_.xyz[v] = from;
    return false;
}

}  // namespace

std::int64_t settle(Complex& complex, const Sheets& sheets, double least_deg) {
    Settler settler(complex, sheets, least_deg);
    std::int64_t moved = settler.together();
    for (int round = 0; round < kSettleRounds; ++round) {
        moved += settler.round();
    }
    return moved;
}

}  // namespace kaname::cleaving
