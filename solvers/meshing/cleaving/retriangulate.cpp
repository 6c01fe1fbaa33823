// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/retriangulate.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "solvers/meshing/cleaving/lattice.hpp"

namespace kaname::cleaving {
namespace {

constexpr double kWorthRetriangulating_deg = 0.1;
constexpr double kInf = std::numeric_limits<double>::infinity();

bool has(const Tet& tet, std::int32_t vertex) {
    return std::ranges::find(tet, vertex) != tet.end();
}

Tet replaced(Tet tet, std::int32_t from, std::int32_t to) {
    std::ranges::replace(tet, from, to);
    return tet;
}

}  // namespace

double Retriangulation::shape(const Tet& tet) const {
    return shape_deg(complex_.xyz, tet);
}

bool Retriangulation::stale(const Tet& tet) const {
    return tet[0] < 0 || std::ranges::any_of(tet, [&](std::int32_t v) { return stale_[v] != 0; });
}

bool Retriangulation::any_stale(std::span<const std::int32_t> tets) const {
    return std::ranges::any_of(tets, [&](std::int32_t t) { return stale(complex_.tets[t]); });
}

/// Vertices that are stale already are not written: a thread may look at them through a tet that a
/// collapse of an earlier round gave them.
void Retriangulation::mark_stale(const Tet& tet) {
    for (const std::int32_t v : tet) {
        if (stale_[v] == 0) {
            stale_[v] = 1;
        }
    }
}

void Retriangulation::remove(std::span<const std::int32_t> tets) {
    for (const std::int32_t t : tets) {
        mark_stale(complex_.tets[t]);
        complex_.tets[t][0] = -1;
    }
}

void Retriangulation::append(const Pieces& added) {
    for (const Added& piece : added) {
        complex_.tets.push_back(piece.tet);
        complex_.tet_labels.push_back(piece.label);
    }
}

bool Retriangulation::collapse(std::int32_t from, std::int32_t to) {
    if ((complex_.on[from] & ~complex_.on[to]) != 0 ||
        (complex_.walls[from] & ~common_walls(complex_, from, to)) != 0 ||
        (complex_.labels[from].volumes & ~complex_.labels[to].volumes & kAirBit) != 0) {
        return false;
    }
    const auto star = stars_.of(from);
    if (any_stale(star)) {
        return false;
    }
    double before = kInf, after = kInf;
    std::uint64_t lost = 0, kept = 0;  // volumes about the two vertices
    std::uint64_t lost_sides = 0, kept_sides = 0;
    for (const std::int32_t t : stars_.of(to)) {
        if (complex_.tets[t][0] < 0) {
            return false;
        }
        kept |= complex_.tet_labels[t].volumes;
        kept_sides |= complex_.tet_labels[t].sides;
    }
    for (const std::int32_t t : star) {
        const Tet& tet = complex_.tets[t];
        before = std::min(before, shape(tet));
        lost |= complex_.tet_labels[t].volumes;
        lost_sides |= complex_.tet_labels[t].sides;
        if (!has(tet, to)) {
            after = std::min(after, shape(replaced(tet, from, to)));
        }
    }
    if ((lost & ~kept) != 0 || (lost_sides & ~kept_sides) != 0 ||
        !(after > before + kWorthRetriangulating_deg)) {
        return false;
    }
    for (const std::int32_t t : star) {
        Tet& tet = complex_.tets[t];
        mark_stale(tet);
        tet = has(tet, to) ? Tet{-1, -1, -1, -1} : replaced(tet, from, to);
    }
    return true;
}

bool Retriangulation::remove_edge(std::int32_t a, std::int32_t b, Pieces& added) {
    std::array<std::int32_t, kLargestRing> tets{};
    std::array<std::pair<std::int32_t, std::int32_t>, kLargestRing> sides;
    std::size_t n = 0;
    double before = kInf;
    for (const std::int32_t t : stars_.of(a)) {
        const Tet& tet = complex_.tets[t];
        if (tet[0] < 0) {
            return false;
        }
        if (!has(tet, b)) {
            continue;
        }
        if (n == kLargestRing ||
            complex_.tet_labels[t] != complex_.tet_labels[n == 0 ? t : tets[0]]) {
            return false;
        }
        before = std::min(before, shape(tet));
        // The other two corners, such that a, b, first, second is positive.
        Tet turned = tet;
        int swaps = 0;
        const auto bring = [&](std::size_t place, std::int32_t vertex) {
            const auto at =
                static_cast<std::size_t>(std::ranges::find(turned, vertex) - turned.begin());
            if (at != place) {
                std::swap(turned[at], turned[place]);
                ++swaps;
            }
        };
        bring(0, a);
        bring(1, b);
        sides[n] =
            swaps % 2 == 0 ? std::pair(turned[2], turned[3]) : std::pair(turned[3], turned[2]);
        tets[n++] = t;
    }
    if (n < 3 || any_stale({tets.data(), n})) {
        return false;
    }
    std::array<std::int32_t, kLargestRing> ring{};
    ring[0] = sides[0].first;
    std::int32_t next = sides[0].second;
    for (std::size_t k = 1; k < n; ++k) {
        if (std::find(ring.begin(), ring.begin() + static_cast<std::ptrdiff_t>(k), next) !=
            ring.begin() + static_cast<std::ptrdiff_t>(k)) {
            return false;  // not one ring: where inverted tets overlap
        }
        ring[k] = next;
        const auto found =
            std::find_if(sides.begin(), sides.begin() + static_cast<std::ptrdiff_t>(n),
                         [&](const auto& side) { return side.first == next; });
        if (found == sides.begin() + static_cast<std::ptrdiff_t>(n)) {
            return false;  // the edge is on the outside
        }
        next = found->second;
    }
    if (next != ring[0]) {
        return false;
    }
    // Positive: seen from b against a the ring turns left, so (a, i, j, k) lies under b.
    const auto upper = [&](std::size_t i, std::size_t j, std::size_t k) {
        return Tet{ring[i], ring[j], ring[k], b};
    };
    const auto lower = [&](std::size_t i, std::size_t j, std::size_t k) {
        return Tet{ring[k], ring[j], ring[i], a};
    };
    const RingFill fill(n, [&](std::size_t i, std::size_t j, std::size_t k) {
        return std::min(shape(upper(i, j, k)), shape(lower(i, j, k)));
    });
    if (!(fill.quality() > before + kWorthRetriangulating_deg)) {
        return false;
    }
    const Labels label = complex_.tet_labels[tets[0]];
    fill.triangles([&](std::size_t i, std::size_t j, std::size_t k) {
        added.push_back({upper(i, j, k), label});
        added.push_back({lower(i, j, k), label});
    });
    remove({tets.data(), n});
    return true;
}

bool Retriangulation::remove_face(std::int32_t t, int opposite, Pieces& added) {
    const Tet tet = complex_.tets[t];
    std::array<std::int32_t, 3> face{};
    for (int k = 0, n = 0; k < 4; ++k) {
        if (k != opposite) {
            face[n++] = tet[k];
        }
    }
    std::optional<std::int32_t> other;
    std::int32_t far = -1;
    for (const std::int32_t s : stars_.of(face[0])) {
        const Tet& candidate = complex_.tets[s];
        if (s != t && candidate[0] >= 0 && has(candidate, face[1]) && has(candidate, face[2])) {
            other = s;
            for (const std::int32_t v : candidate) {
                if (v != face[0] && v != face[1] && v != face[2]) {
                    far = v;
                }
            }
        }
    }
    if (!other || complex_.tet_labels[*other] != complex_.tet_labels[t] || far == tet[opposite]) {
        return false;  // the last: two tets of the same corners, one of them inverted
    }
    const std::array<std::int32_t, 2> pair = {t, *other};
    if (any_stale(pair)) {
        return false;
    }
    const double before = std::min(shape(tet), shape(complex_.tets[*other]));
    std::array<Tet, 3> better;
    for (int k = 0; k < 3; ++k) {
        // The tet with one corner of the face replaced by the far apex keeps its orientation.
        better[k] = replaced(tet, face[k], far);
        if (!(shape(better[k]) > before + kWorthRetriangulating_deg)) {
            return false;
        }
    }
    for (const Tet& one : better) {
        added.push_back({one, complex_.tet_labels[t]});
    }
    remove(pair);
    return true;
}

bool Retriangulation::improve(std::int32_t t, Pieces& added) {
    const Tet tet = complex_.tets[t];
    if (stale(tet)) {
        return false;  // as all of what follows, whose regions the tet is part of
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = i + 1; j < 4; ++j) {
            if (remove_edge(tet[i], tet[j], added)) {
                return true;
            }
        }
    }
    for (int k = 0; k < 4; ++k) {
        if (remove_face(t, k, added)) {
            return true;
        }
    }
    // Shortest edges first.
    std::array<std::pair<double, std::pair<int, int>>, 12> edges;
    int n = 0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            if (i != j) {
                const Vec3 edge = complex_.xyz[tet[i]] - complex_.xyz[tet[j]];
                edges[n++] = {dot(edge, edge), {i, j}};
            }
        }
    }
    std::ranges::sort(edges);
    return std::ranges::any_of(edges, [&](const auto& edge) {
        return collapse(tet[edge.second.first], tet[edge.second.second]);
    });
}

bool Retriangulation::improve(std::int32_t tet) {
    Pieces added;
    const bool better = improve(tet, added);
    append(added);
    return better;
}

/// Places in `tets` in rounds: of two whose corners' stars have a vertex in common the earlier in
/// the list is in an earlier round. What a tet's improvement reads and writes are the tets of these
/// stars and their vertices.
std::vector<std::vector<std::int32_t>> Retriangulation::rounds_of(
    std::span<const std::int32_t> tets) const {
    std::vector<std::int32_t> last(complex_.xyz.size(), -1);  // round that touched a vertex last
    std::vector<std::vector<std::int32_t>> rounds;
    for (std::size_t k = 0; k < tets.size(); ++k) {
        const auto for_vertices = [&](const auto& act) {
            for (const std::int32_t corner : complex_.tets[tets[k]]) {
                for (const std::int32_t t : stars_.of(corner)) {
                    for (const std::int32_t v : complex_.tets[t]) {
                        act(last[v]);
                    }
                }
            }
        };
        std::int32_t round = 0;
        for_vertices([&](std::int32_t before) { round = std::max(round, before + 1); });
        for_vertices([&](std::int32_t& of_vertex) { of_vertex = round; });
        rounds.resize(std::max(rounds.size(), std::size_t(round) + 1));
        rounds[round].push_back(static_cast<std::int32_t>(k));
    }
    return rounds;
}

void Retriangulation::improve_all(std::span<const std::int32_t> tets, double least_deg) {
    std::vector<Pieces> added(tets.size());
    for (const auto& round : rounds_of(tets)) {
#pragma omp parallel for schedule(dynamic, 8) if (round.size() > 32)
        for (std::size_t i = 0; i < round.size(); ++i) {
            const std::int32_t t = tets[round[i]];
            const Tet& tet = complex_.tets[t];
            if (tet[0] >= 0 && shape(tet) < least_deg) {
                improve(t, added[round[i]]);
            }
        }
    }
    for (const Pieces& pieces : added) {
        append(pieces);
    }
}

}  // namespace kaname::cleaving
