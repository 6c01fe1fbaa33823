// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/warp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/lattice.hpp"

namespace kaname::cleaving {
namespace {

constexpr double kLongReach = 0.25;
constexpr double kShortReach = 0.41;
constexpr double kLaterReach = 0.15;  // once vertices have moved
// kWallReach is the longest way, in lengths of an edge, along the ground or a side of the box to a
// sharp sheet. Across a sheet that dips at 35 degrees 0.25 is as far.
constexpr double kWallReach = 0.45;
constexpr int kWarpRounds = 3;
constexpr double kFlat_deg = 1.0;

/// A crossing that is too close to a vertex.
struct CloseCrossing {
    std::int32_t vertex;
    std::int32_t sheet;
    double away_m, edge_m;
};

class Warper {
public:
    Warper(Complex& complex, const Labeller& labeller, const UnresolvedRegions& unresolved,
           const Vec3& cell_edge)
        : complex_(complex),
          labeller_(labeller),
          unresolved_(unresolved),
          cell_edge_(cell_edge),
          before_(complex.xyz),
          on_before_(complex.on) {}

    bool round(bool first) {
        const std::vector<CloseCrossing> crossings = find(first);
        std::vector<std::size_t> begins;
        for (std::size_t i = 0; i < crossings.size(); ++i) {
            if (i == 0 || crossings[i].vertex != crossings[i - 1].vertex) {
                begins.push_back(i);
            }
        }
        begins.push_back(crossings.size());
#pragma omp parallel for schedule(dynamic, 256)
        for (std::size_t group = 1; group < begins.size(); ++group) {
            snap(crossings.data() + begins[group - 1], crossings.data() + begins[group], first);
        }
        return !crossings.empty();
    }

    /// Takes vertices of tets that warping has turned over or flattened back: to the sheet of best
    /// rank alone, or to where they were. Labels stay, so that no cut is needed where there was
    /// none; but not at the ground and faults: these are met everywhere.
    void retreat();

private:
    [[nodiscard]] std::vector<CloseCrossing> find(bool first) const;
    [[nodiscard]] bool is_short(const Vec3& edge) const {
        if (cell_edge_.x == 0.0) {
            return false;
        }
        const double x = std::abs(edge.x / cell_edge_.x);
        const double y = std::abs(edge.y / cell_edge_.y);
        const double z = std::abs(edge.z / cell_edge_.z);
        // Stretched by LatticePlanes; of the other edges none has more than a third.
        return std::min({x, y, z}) > 0.6 * std::max({x, y, z});
    }
    void snap(const CloseCrossing* begin, const CloseCrossing* end, bool first);

    Complex& complex_;
    const Labeller& labeller_;
    const UnresolvedRegions& unresolved_;
    Vec3 cell_edge_;
    std::vector<Vec3> before_;  ///< where vertices were
    std::vector<SheetMask> on_before_;
};

std::vector<CloseCrossing> Warper::find(bool first) const {
    std::vector<CloseCrossing> crossings;
    for (const Conflict& conflict : find_conflicts(complex_, labeller_, unresolved_)) {
        const Vec3 edge = complex_.xyz[conflict.q] - complex_.xyz[conflict.p];
        const double length = norm(edge);
        const double reach = !first ? kLaterReach : is_short(edge) ? kShortReach : kLongReach;
        const auto add = [&](std::int32_t vertex, double t) {
            if (t < reach) {
                crossings.push_back({vertex, conflict.sheet, t * length, length});
            }
        };
        add(conflict.p, conflict.t);
        add(conflict.q, 1.0 - conflict.t);
    }
    const Sheets& sheets = labeller_.sheets();
    std::ranges::sort(crossings, [&](const CloseCrossing& a, const CloseCrossing& b) {
        return std::tuple(a.vertex, sheets.rank(a.sheet), a.away_m) <
               std::tuple(b.vertex, sheets.rank(b.sheet), b.away_m);
    });
    return crossings;
}

void Warper::snap(const CloseCrossing* begin, const CloseCrossing* end, bool first) {
    const Sheets& sheets = labeller_.sheets();
    const std::int32_t v = begin->vertex;
    SheetMask met = complex_.on[v];
    double reach = 0.0, edge = 0.0;
    for (const CloseCrossing* crossing = begin; crossing != end; ++crossing) {
        met |= SheetMask{1} << crossing->sheet;
        reach = std::max(reach, crossing->away_m);
        edge = std::max(edge, crossing->edge_m);
    }
    const Vec3 old = complex_.xyz[v];
    const Walls walls = complex_.walls[v];
    const bool held = walls != 0 || (met & 1U) != 0;
    // The vertex meets the sheet of best rank first, then all others that it can meet at once
    // without a long way.
    SheetMask on = 0;
    for (int rank_found = -1; true;) {
        int next = -1;
        for (int sheet = 0; sheet < sheets.count(); ++sheet) {
            if ((met >> sheet & 1U) != 0 && sheets.rank(sheet) > rank_found &&
                (next < 0 || sheets.rank(sheet) < sheets.rank(next))) {
                next = sheet;
            }
        }
        if (next < 0) {
            break;
        }
        rank_found = sheets.rank(next);
        Vec3 x = old;
        const SheetMask wanted = on | SheetMask{1} << next;
        const double way = (on == 0 ? 1.2 : 1.5) * reach + 1e-9;
        const bool along_wall = held && (sheets.sharp() >> next & 1U) != 0;
        if (sheets.project_all(wanted, x, walls,
                               along_wall ? std::max(way, kWallReach * edge) : way)) {
            complex_.xyz[v] = x;
            on = wanted;
        }
    }
    if (on != 0) {
        complex_.on[v] = on;
    }
    // Where two faults meet there is not always a place on both: the second is then blunted.
    if (held && (on & sheets.sharp()) == 0) {
        met &= ~sheets.sharp();
    }
    // Sheets that are still close when the vertex has moved count as met in the next round.
    complex_.labels[v] = first && on != 0 ? labeller_.at(complex_.xyz[v], on)
                                          : labeller_.at(complex_.xyz[v], met) | complex_.labels[v];
}

void Warper::retreat() {
    std::vector<std::int32_t> vertices;
    for (const Tet& tet : complex_.tets) {
        if (std::ranges::any_of(tet, [&](std::int32_t v) { return complex_.on[v] != 0; }) &&
            shape_deg(complex_.xyz, tet) < kFlat_deg) {
            vertices.insert(vertices.end(), tet.begin(), tet.end());
        }
    }
    sort_unique(vertices);
    const Sheets& sheets = labeller_.sheets();
    for (const std::int32_t v : vertices) {
        const SheetMask on = complex_.on[v];
        if (on == 0 || on == on_before_[v]) {
            continue;
        }
        int best = -1;
        for (int sheet = 0; sheet < sheets.count(); ++sheet) {
            if ((on >> sheet & 1U) != 0 && (best < 0 || sheets.rank(sheet) < sheets.rank(best))) {
                best = sheet;
            }
        }
        const SheetMask best_alone = SheetMask{1} << best;
        const double moved = norm(complex_.xyz[v] - before_[v]);
        complex_.xyz[v] = before_[v];
        complex_.on[v] = on_before_[v];
        if (on != best_alone &&
            sheets.project_all(best_alone, complex_.xyz[v], complex_.walls[v], moved)) {
            complex_.on[v] = best_alone;
        } else if (sheets.precedence(best) < sheets.precedence(-1)) {
            complex_.labels[v] = labeller_.at(complex_.xyz[v], complex_.on[v]);
        }
    }
}

}  // namespace

void warp(Complex& complex, const Labeller& labeller, const UnresolvedRegions& unresolved,
          const Vec3& cell_edge) {
    Warper warper(complex, labeller, unresolved, cell_edge);
    for (int round = 0; round < kWarpRounds; ++round) {
        if (!warper.round(round == 0)) {
            break;
        }
    }
    warper.retreat();
    warper.retreat();
}

std::vector<Conflict> find_conflicts(const Complex& complex, const Labeller& labeller,
                                     const UnresolvedRegions& unresolved) {
    constexpr std::size_t kChunk = 1 << 16;
    std::vector<std::vector<Edge>> pieces((complex.tets.size() + kChunk - 1) / kChunk);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
        std::vector<Edge>& edges = pieces[piece];
        const std::size_t end = std::min(complex.tets.size(), (piece + 1) * kChunk);
        for (std::size_t t = piece * kChunk; t < end; ++t) {
            const Tet& tet = complex.tets[t];
            if (!(complex.labels[tet[0]] & complex.labels[tet[1]] & complex.labels[tet[2]] &
                  complex.labels[tet[3]])
                     .in_conflict()) {
                continue;
            }
            for (const auto& [a, b] : mesh::kTetEdges) {
                if ((complex.labels[tet[a]] & complex.labels[tet[b]]).in_conflict()) {
                    edges.push_back(std::minmax(tet[a], tet[b]));
                }
            }
        }
        sort_unique(edges);
    }
    std::vector<Edge> edges;
    for (std::vector<Edge>& piece : pieces) {
        edges.insert(edges.end(), piece.begin(), piece.end());
        std::vector<Edge>().swap(piece);
    }
    sort_unique(edges);
    std::vector<Conflict> conflicts(edges.size());
#pragma omp parallel for schedule(static)
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto [p, q] = edges[e];
        Conflict& conflict = conflicts[e];
        conflict = {p, q};
        conflict.sheet = labeller.sheet_between(complex.xyz[p], complex.labels[p], complex.on[p],
                                                complex.xyz[q], complex.labels[q], complex.on[q]);
        if (conflict.sheet >= 0) {
            conflict.t = labeller.sheets().crossing(conflict.sheet, complex.xyz[p], complex.xyz[q]);
        }
    }
    const Sheets& sheets = labeller.sheets();
    std::erase_if(conflicts, [&](const Conflict& conflict) {
        return conflict.sheet < 0 ||
               (sheets.precedence(conflict.sheet) == sheets.precedence(-1) &&
                unresolved.holds(0.5 * (complex.xyz[conflict.p] + complex.xyz[conflict.q])));
    });
    return conflicts;
}

}  // namespace kaname::cleaving
