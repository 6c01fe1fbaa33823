// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/settle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "solvers/meshing/cleaving/rim.hpp"
#include "solvers/meshing/cleaving/shape.hpp"
#include "solvers/meshing/cleaving/stars.hpp"

namespace kaname::cleaving {
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
