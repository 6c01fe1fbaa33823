// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/fault_sides.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "solvers/mesh/face_set.hpp"
#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/lattice.hpp"

namespace kaname::cleaving {
namespace {

constexpr int kTurns = 24;  // rounds in which tets change sides; then they lose them

/// The tets around a vertex or an edge, in the parts that the fault cuts them into.
class Star {
public:
    Star(const Complex& complex, std::uint64_t plus, std::uint64_t minus)
        : complex_(complex), plus_(plus), minus_(minus) {}

    /// Tets of the smallest part where the fault does not part the star in two; else none.
    /// `centre`: the vertex twice, or the edge's ends.
    const std::vector<std::int32_t>& excess(std::span<const std::int32_t> tets,
                                            std::pair<std::int32_t, std::int32_t> centre) {
        excess_.clear();
        join(tets, centre);
        find_parts(tets);
        const auto sides = [&](std::size_t k) { return parts_[k].sides; };
        if (parts_.size() < 2 || (parts_.size() == 2 && sides(0) != (plus_ | minus_) &&
                                  (sides(0) ^ sides(1)) == (plus_ | minus_))) {
            return excess_;
        }
        // The largest stays, and the largest of those that are on its other side alone.
        std::ranges::sort(parts_, [](const Part& a, const Part& b) {
            return std::pair(-a.volume, a.root) < std::pair(-b.volume, b.root);
        });
        const bool mixed = sides(0) == (plus_ | minus_);
        const auto kept =
            mixed ? parts_.end() : std::ranges::find_if(parts_, [&](const Part& part) {
                return (part.sides ^ sides(0)) == (plus_ | minus_);
            });
        // The smallest of the others goes; what is left then may be right.
        const auto last = std::prev(parts_.end());
        const std::size_t gone = (last == kept ? std::prev(last) : last)->root;
        for (std::size_t i = 0; i < tets.size(); ++i) {
            if (root(i) == gone) {
                excess_.push_back(tets[i]);
            }
        }
        return excess_;
    }

private:
    struct Part {
        std::size_t root = 0;
        double volume = 0.0;
        std::uint64_t sides = 0;  ///< the sides that its faces on the fault have
    };
    struct Spoke {
        std::pair<std::int32_t, std::int32_t> key;  ///< the face's other corners
        std::size_t tet;
    };

    [[nodiscard]] std::uint64_t side(std::int32_t tet) const {
        return complex_.tet_labels[tet].sides & (plus_ | minus_);
    }
    [[nodiscard]] bool opposite(std::int32_t a, std::int32_t b) const {
        return (side(a) ^ side(b)) == (plus_ | minus_);  // neither has both
    }
    std::size_t root(std::size_t i) {
        while (parent_[i] != i) {
            i = parent_[i] = parent_[parent_[i]];
        }
        return i;
    }
    void join(std::span<const std::int32_t> tets, std::pair<std::int32_t, std::int32_t> centre);
    void find_parts(std::span<const std::int32_t> tets);

    const Complex& complex_;
    std::uint64_t plus_, minus_;
    std::vector<std::size_t> parent_;
    std::vector<Spoke> spokes_;
    std::vector<Part> parts_;
    std::vector<std::int32_t> excess_;
};

void Star::join(std::span<const std::int32_t> tets, std::pair<std::int32_t, std::int32_t> centre) {
    parent_.resize(tets.size());
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    spokes_.clear();
    for (std::size_t i = 0; i < tets.size(); ++i) {
        std::array<std::int32_t, 3> others{};
        int n = 0;
        for (const std::int32_t v : complex_.tets[tets[i]]) {
            if (v != centre.first && v != centre.second) {
                others[n++] = v;
            }
        }
        if (n == 2) {  // around an edge
            spokes_.push_back({{others[0], -1}, i});
            spokes_.push_back({{others[1], -1}, i});
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            spokes_.push_back({std::minmax(others[k], others[(k + 1) % 3]), i});
        }
    }
    std::ranges::sort(spokes_, [](const Spoke& a, const Spoke& b) {
        return std::pair(a.key, a.tet) < std::pair(b.key, b.tet);
    });
    for (std::size_t k = 1; k < spokes_.size(); ++k) {
        const std::size_t a = spokes_[k - 1].tet, b = spokes_[k].tet;
        if (spokes_[k - 1].key == spokes_[k].key && !opposite(tets[a], tets[b])) {
            parent_[root(b)] = root(a);
        }
    }
}

void Star::find_parts(std::span<const std::int32_t> tets) {
    parts_.clear();
    const auto part = [&](std::size_t i) -> Part& {
        return *std::ranges::find(parts_, root(i), &Part::root);
    };
    for (std::size_t i = 0; i < tets.size(); ++i) {
        if (root(i) == i) {
            parts_.push_back({i});
        }
    }
    for (std::size_t i = 0; i < tets.size(); ++i) {
        const Tet& tet = complex_.tets[tets[i]];
        part(i).volume += det6(complex_.xyz[tet[0]], complex_.xyz[tet[1]], complex_.xyz[tet[2]],
                               complex_.xyz[tet[3]]);
    }
    for (std::size_t k = 1; k < spokes_.size(); ++k) {
        const std::size_t a = spokes_[k - 1].tet, b = spokes_[k].tet;
        if (spokes_[k - 1].key == spokes_[k].key && opposite(tets[a], tets[b])) {
            part(a).sides |= side(tets[a]);
            part(b).sides |= side(tets[b]);
        }
    }
}

class Mender {
public:
    Mender(Complex& complex, int fault)
        : complex_(complex),
          fault_(fault),
          plus_(Labels::plus(fault)),
          minus_(Labels::minus(fault)) {}

    /// Tets of one round that change; false where there is nothing to do.
    bool round(bool turned, RepairedSides& mended) {
        const std::vector<std::int32_t> excess = find();
        for (const std::int32_t t : excess) {
            std::uint64_t& sides = complex_.tet_labels[t].sides;
            const std::uint64_t here = sides & (plus_ | minus_);
            if (here == (plus_ | minus_)) {
                continue;
            }
            if (turned) {
                ++mended.turned;
                turn(t);
            } else {
                ++mended.without;
                sides |= plus_ | minus_;
            }
        }
        return !excess.empty();
    }

    /// The smaller side of stray pieces goes over to the other; false where there are none.
    bool drop_islands(RepairedSides& mended);

private:
    [[nodiscard]] std::vector<std::int32_t> find() const;
    void turn(std::int32_t t) {
        complex_.tet_labels[t].sides ^= plus_ | minus_;
        for (const std::int32_t v : complex_.tets[t]) {
            complex_.labels[v].sides |= plus_ | minus_;
        }
    }

    Complex& complex_;
    int fault_;
    std::uint64_t plus_, minus_;
};

std::vector<std::int32_t> Mender::find() const {
    std::vector<std::int32_t> vertices;
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    for (const Triangle& face : faces_between_sides(complex_, fault_)) {
        for (int k = 0; k < 3; ++k) {
            vertices.push_back(face[k]);
            edges.push_back(std::minmax(face[k], face[(k + 1) % 3]));
        }
    }
    sort_unique(vertices);
    sort_unique(edges);
    std::vector<bool> on_fault(complex_.xyz.size(), false);
    for (const std::int32_t v : vertices) {
        on_fault[v] = true;
    }
    std::vector<std::int32_t> near;
    std::vector<Tet> tets;
    for (std::size_t t = 0; t < complex_.tets.size(); ++t) {
        if (std::ranges::any_of(complex_.tets[t], [&](std::int32_t v) { return on_fault[v]; })) {
            near.push_back(static_cast<std::int32_t>(t));
            tets.push_back(complex_.tets[t]);
        }
    }
    const Stars stars(complex_.xyz.size(), tets);
    Star star(complex_, plus_, minus_);
    std::vector<std::int32_t> excess, around;
    const auto look = [&](std::int32_t p, std::int32_t q) {
        around.clear();
        for (const std::int32_t k : stars.of(p)) {
            if (std::ranges::find(tets[k], q) != tets[k].end()) {
                around.push_back(near[k]);
            }
        }
        const auto& found = star.excess(around, {p, q});
        excess.insert(excess.end(), found.begin(), found.end());
    };
    for (const std::int32_t v : vertices) {
        look(v, v);
    }
    // Vertices are mended before edges, since mending a vertex may mend all of its edges.
    if (excess.empty()) {
        for (const auto& [p, q] : edges) {
            look(p, q);
        }
    }
    sort_unique(excess);
    return excess;
}

bool Mender::drop_islands(RepairedSides& mended) {
    const std::vector<Triangle> faces = faces_between_sides(complex_, fault_);
    const mesh::FacePieces pieces =
        mesh::find_pieces(faces, std::vector<double>(faces.size(), 1.0));  // by their numbers
    std::vector<std::pair<Triangle, std::int32_t>> island;  // faces with their pieces
    for (std::size_t f = 0; f < faces.size(); ++f) {
        if (pieces.stray[f]) {
            Triangle key = faces[f];
            std::ranges::sort(key);
            island.emplace_back(key, pieces.of[f]);
        }
    }
    if (island.empty()) {
        return false;
    }
    std::ranges::sort(island);
    struct Sides {
        std::vector<std::int32_t> plus, minus;  // tets with a face on the piece
    };
    std::map<std::int32_t, Sides> sides;
    const auto find = [&](Triangle key) {
        std::ranges::sort(key);
        const auto found =
            std::ranges::lower_bound(island, key, {}, [](const auto& f) { return f.first; });
        return found != island.end() && found->first == key ? found->second : -1;
    };
    for (const Face& face : collect_faces(
             complex_.tets, [&](const Triangle&key, std::size_t) { return find(key) >= 0; })) {
        Sides& here = sides[find(face.key)];
        const bool plus = (complex_.tet_labels[face.tet].sides & plus_) != 0;
        (plus ? here.plus : here.minus).push_back(face.tet);
    }
    std::vector<std::int32_t> smaller;
    for (auto& [of, here] : sides) {
        sort_unique(here.plus);
        sort_unique(here.minus);
        const auto& tets = here.plus.size() <= here.minus.size() ? here.plus : here.minus;
        smaller.insert(smaller.end(), tets.begin(), tets.end());
    }
    sort_unique(smaller);
    for (const std::int32_t t : smaller) {
        turn(t);
    }
    mended.turned += std::ssize(smaller);
    return true;
}

}  // namespace

RepairedSides mend_fault_sides(Complex& complex, int fault) {
    RepairedSides mended;
    Mender mender(complex, fault);
    const auto split = [&] {
        for (int round = 0; mender.round(round < kTurns, mended); ++round) {
        }
    };
    split();
    for (int round = 0; round < kTurns && mender.drop_islands(mended); ++round) {
        split();
    }
    return mended;
}

std::vector<Triangle> faces_between_sides(const Complex& complex, int fault) {
    const std::uint64_t plus = Labels::plus(fault), minus = Labels::minus(fault);
    const auto take = [&](const Triangle& face, std::size_t t) {
        const std::uint64_t sides = complex.tet_labels[t].sides & (plus | minus);
        return (sides == plus || sides == minus) && std::ranges::all_of(face, [&](std::int32_t v) {
                   return (complex.labels[v].sides & (plus | minus)) == (plus | minus);
               });
    };
    const std::vector<Face> found = collect_faces(complex.tets, take);
    std::vector<Triangle> between;
    for (std::size_t k = 0; k + 1 < found.size(); ++k) {
        if (found[k].key != found[k + 1].key) {
            continue;
        }
        const bool first_plus = (complex.tet_labels[found[k].tet].sides & plus) != 0;
        const bool second_plus = (complex.tet_labels[found[k + 1].tet].sides & plus) != 0;
        if (first_plus != second_plus) {
            // The normal of the minus side's face points out of it, to the plus side.
            between.push_back(found[first_plus ? k + 1 : k].outward);
        }
        ++k;
    }
    return between;
}

}  // namespace kaname::cleaving
