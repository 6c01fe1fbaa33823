// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/retriangulate.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "solvers/meshing/cleaving/ring_fill.hpp"
#include "solvers/meshing/cleaving/shape.hpp"

namespace kaname::cleaving {
namespace {

constexpr double kLeastGain_deg = 0.1;
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

bool Retriangulation::any_stale(std::span<const std::int32_t> tets) const {
    return std::ranges::any_of(tets, [&](std::int32_t t) {
        const Tet& tet = complex_.tets[t];
        return tet[0] < 0 ||
               std::ranges::any_of(tet, [&](std::int32_t v) { return stale_[v] != 0; });
    });
}

void Retriangulation::replace(std::span<const std::int32_t> removed, std::span<const Tet> added,
                              Labels label) {
    for (const std::int32_t t : removed) {
        for (const std::int32_t v : complex_.tets[t]) {
            stale_[v] = 1;
        }
        complex_.tets[t][0] = -1;
    }
    for (const Tet& tet : added) {
        complex_.tets.push_back(tet);
        complex_.tet_labels.push_back(label);
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
        !(after > before + kLeastGain_deg)) {
        return false;
    }
    for (const std::int32_t t : star) {
        Tet& tet = complex_.tets[t];
        for (const std::int32_t v : tet) {
            stale_[v] = 1;
        }
        tet = has(tet, to) ? Tet{-1, -1, -1, -1} : replaced(tet, from, to);
    }
    return true;
}

bool Retriangulation::remove_edge(std::int32_t a, std::int32_t b) {
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
    if (!(fill.quality() > before + kLeastGain_deg)) {
        return false;
    }
    std::vector<Tet> added;
    fill.triangles([&](std::size_t i, std::size_t j, std::size_t k) {
        added.push_back(upper(i, j, k));
        added.push_back(lower(i, j, k));
    });
    const Labels label = complex_.tet_labels[tets[0]];
    replace({tets.data(), n}, added, label);
    return true;
}

bool Retriangulation::remove_face(std::int32_t t, int opposite) {
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
    std::array<Tet, 3> added;
    for (int k = 0; k < 3; ++k) {
        // The tet with one corner of the face replaced by the far apex keeps its orientation.
        added[k] = replaced(tet, face[k], far);
        if (!(shape(added[k]) > before + kLeastGain_deg)) {
            return false;
        }
    }
    replace(pair, added, complex_.tet_labels[t]);
    return true;
}

bool Retriangulation::improve(std::int32_t t) {
    if (complex_.tets[t][0] < 0) {
        return false;
    }
    const Tet tet = complex_.tets[t];
    for (int i = 0; i < 4; ++i) {
        for (int j = i + 1; j < 4; ++j) {
            if (remove_edge(tet[i], tet[j])) {
                return true;
            }
        }
    }
    for (int k = 0; k < 4; ++k) {
        if (remove_face(t, k)) {
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

}  // namespace kaname::cleaving
