// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/sources/split_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/fem/tet10.hpp"

namespace kaname::sources {
namespace {

using FaceKey = std::array<std::int32_t, 3>;
using Conn10 = std::span<const std::array<std::int32_t, 10>>;

FaceKey face_key(std::int32_t a, std::int32_t b, std::int32_t c) {
    FaceKey key = {a, b, c};
    std::sort(key.begin(), key.end());
    return key;
}

std::string at(const Vec3& x) {
    char text[96];
    std::snprintf(text, sizeof text, "(%.3f, %.3f, %.3f) m", x.x, x.y, x.z);
    return text;
}

/// Some of a mesh's faults.
using Faults = std::vector<std::int32_t>;

bool holds(const Faults& faults, const mesh::FaultFace& face) {
    return std::ranges::find(faults, face.fault) != faults.end();
}

/// Faces of some faults by their vertices.
class FaultFaceIndex {
public:
    FaultFaceIndex(const mesh::TetMesh& mesh, const Faults& faults) {
        for (std::size_t face = 0; face < mesh.fault_faces.size(); ++face) {
            if (!holds(faults, mesh.fault_faces[face])) {
                continue;
            }
            const auto& v = mesh.fault_faces[face].vertices;
            faces_.emplace_back(face_key(v[0], v[1], v[2]), static_cast<std::int32_t>(face));
        }
        std::sort(faces_.begin(), faces_.end());
        for (std::size_t i = 1; i < faces_.size(); ++i) {
            if (faces_[i].first == faces_[i - 1].first &&
                mesh.fault_faces[faces_[i].second].fault ==
                    mesh.fault_faces[faces_[i - 1].second].fault) {
                throw Error(ErrorCode::InvalidArgument, "a fault face is listed twice, near " +
                                                            at(mesh.xyz[faces_[i].first[0]]));
            }
        }
        // What two faults have in common counts once.
        const auto rest =
            std::ranges::unique(faces_, {}, [](const auto& face) { return face.first; });
        faces_.erase(rest.begin(), rest.end());
    }

    [[nodiscard]] const std::vector<std::pair<FaceKey, std::int32_t>>& faces() const {
        return faces_;
    }
    /// -1 when it is no fault face.
    [[nodiscard]] std::int32_t find(const FaceKey& key) const {
        const auto found = std::lower_bound(faces_.begin(), faces_.end(), std::pair{key, -1});
        return found != faces_.end() && found->first == key ? found->second : -1;
    }

private:
    std::vector<std::pair<FaceKey, std::int32_t>> faces_;
};

/// A tet with a vertex on the fault.
struct Neighbour {
    std::int32_t tet;
    /// Per face: 0, or the side of this tet when the face is on the fault.
    std::array<std::int8_t, 4> fault_side = {};
};

struct FaultMarks {
    std::vector<Neighbour> neighbours;  ///< ascending tet
    std::vector<std::int32_t> nodes;    ///< ascending, all nodes on its faces
    std::vector<std::int32_t> slot;     ///< [N] position in `nodes`, -1 elsewhere
    std::vector<Vec3> area;             ///< [nodes] sum of the area vectors around the node
};

/// Ascending tets with a vertex on any fault.
std::vector<std::int32_t> tets_at_faults(const mesh::TetMesh& mesh) {
    std::vector<char> on_fault(mesh.xyz.size(), 0);
    for (const auto& face : mesh.fault_faces) {
        for (const std::int32_t v : face.vertices) {
            on_fault[v] = 1;
        }
    }
    std::vector<std::int32_t> result;
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        if (std::any_of(mesh.tets[tet].begin(), mesh.tets[tet].end(),
                        [&](std::int32_t v) { return on_fault[v] != 0; })) {
            result.push_back(static_cast<std::int32_t>(tet));
        }
    }
    return result;
}

/// Those with a vertex on some faults.
std::vector<Neighbour> tets_at(const mesh::TetMesh& mesh, std::span<const std::int32_t> tets,
                               const Faults& faults) {
    std::unordered_set<std::int32_t> on_fault;
    for (const auto& face : mesh.fault_faces) {
        if (holds(faults, face)) {
            on_fault.insert(face.vertices.begin(), face.vertices.end());
        }
    }
    std::vector<Neighbour> result;
    for (const std::int32_t tet : tets) {
        if (std::ranges::any_of(mesh.tets[tet],
                                [&](std::int32_t v) { return on_fault.contains(v); })) {
            result.push_back({tet});
        }
    }
    return result;
}

FaultMarks mark_fault(const mesh::TetMesh& mesh, Conn10 conn10, std::size_t n_nodes,
                      std::span<const std::int32_t> tets, const Faults& faults) {
    FaultMarks marks;
    marks.neighbours = tets_at(mesh, tets, faults);
    const FaultFaceIndex index(mesh, faults);
    std::vector<std::array<int, 2>> seen(mesh.fault_faces.size(), {0, 0});
    std::vector<Vec3> area(n_nodes);
    marks.slot.assign(n_nodes, -1);
    for (Neighbour& neighbour : marks.neighbours) {
        const auto& conn = conn10[neighbour.tet];
        for (int face = 0; face < 4; ++face) {
            const auto& v = fem::kTetFaces[face];
            const std::int32_t id = index.find(face_key(conn[v[0]], conn[v[1]], conn[v[2]]));
            if (id < 0) {
                continue;
            }
            const auto& [a, b, c] = mesh.fault_faces[id].vertices;
            const Vec3& apex = mesh.xyz[conn[face]];
            const bool plus = det6(mesh.xyz[a], mesh.xyz[b], mesh.xyz[c], apex) > 0.0;
            neighbour.fault_side[face] = plus ? 1 : -1;
            ++seen[id][plus];
            for (const int local : fem::face_nodes(face)) {
                if (marks.slot[conn[local]] < 0) {
                    marks.slot[conn[local]] = 0;
                    marks.nodes.push_back(conn[local]);
                }
                if (plus) {
                    area[conn[local]] +=
                        0.5 * cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
                }
            }
        }
    }
    for (const auto& [key, id] : index.faces()) {
        if (seen[id] != std::array{1, 1}) {
            throw Error(ErrorCode::InvalidArgument,
                        "the fault face at " + at(mesh.xyz[mesh.fault_faces[id].vertices[0]]) +
                            " must lie between two elements, one on each side");
        }
    }
    std::sort(marks.nodes.begin(), marks.nodes.end());
    for (std::size_t i = 0; i < marks.nodes.size(); ++i) {
        marks.slot[marks.nodes[i]] = static_cast<std::int32_t>(i);
        marks.area.push_back(area[marks.nodes[i]]);
    }
    return marks;
}

/// One element of a node's star.
struct StarEntry {
    std::int32_t neighbour;  ///< index into FaultMarks::neighbours
    std::int8_t local;       ///< tet10 position of the node
};

/// Elements around each fault node: entries[first[i] .. first[i+1]) belong to nodes[i].
struct Stars {
    std::vector<std::int64_t> first;
    std::vector<StarEntry> entries;

    [[nodiscard]] std::span<const StarEntry> of(std::size_t i) const {
        return {entries.data() + first[i], entries.data() + first[i + 1]};
    }
};

Stars collect_stars(const FaultMarks& marks, Conn10 conn10) {
    Stars stars;
    stars.first.assign(marks.nodes.size() + 1, 0);
    const auto for_each_entry = [&](auto&& visit) {
        for (std::size_t n = 0; n < marks.neighbours.size(); ++n) {
            const auto& conn = conn10[marks.neighbours[n].tet];
            for (int local = 0; local < 10; ++local) {
                if (const std::int32_t slot = marks.slot[conn[local]]; slot >= 0) {
                    visit(slot,
                          StarEntry{static_cast<std::int32_t>(n), static_cast<std::int8_t>(local)});
                }
            }
        }
    };
    for_each_entry([&](std::int32_t slot, StarEntry) { ++stars.first[slot + 1]; });
    for (std::size_t i = 1; i < stars.first.size(); ++i) {
        stars.first[i] += stars.first[i - 1];
    }
    stars.entries.resize(stars.first.back());
    std::vector<std::int64_t> next(stars.first.begin(), stars.first.end() - 1);
    for_each_entry(
        [&](std::int32_t slot, StarEntry entry) { stars.entries[next[slot]++] = entry; });
    return stars;
}

/// The walk around one node: union-find over its star, joined across faces that hold the node and
/// are not on the fault.
class StarWalk {
public:
    StarWalk(const FaultMarks& marks, Conn10 conn10) : marks_(marks), conn10_(conn10) {}

    /// Side of each entry; empty when the star does not split. Throws when it splits otherwise
    /// than into one plus and one minus side.
    const std::vector<std::int8_t>& sides(std::span<const StarEntry> star, const Vec3& x) {
        const Parts parts = find_parts(star);
        if (parts.components > 1 && (parts.components != 2 || !parts.one_sided)) {
            throw Error(ErrorCode::InvalidArgument,
                        "the fault cuts the elements around " + at(x) + " into " +
                            std::to_string(parts.components) +
                            " parts; it must be one on the plus and one on the minus side. Such "
                            "a fault branches, changes orientation, folds back on itself or cuts "
                            "a piece off: make each branch a fault (physical surface) of its own, "
                            "which may touch and cross others, and let it end an element before "
                            "itself and before the sides of the model");
        }
        if (parts.components == 2 && parts.sum != 0) {
            throw Error(ErrorCode::InvalidArgument,
                        "both sides of the fault at " + at(x) + " have the same sign");
        }
        return side_;
    }
    /// The same; empty also when it splits otherwise.
    const std::vector<std::int8_t>& sides_if_two(std::span<const StarEntry> star) {
        const Parts parts = find_parts(star);
        if (parts.components != 2 || !parts.one_sided || parts.sum != 0) {
            side_.clear();
        }
        return side_;
    }

private:
    /// Faces of a tet that hold the tet10 node; -1 never appears.
    static std::span<const int> faces_with(int local) {
        static const auto table = [] {
            std::array<std::vector<int>, 10> faces;
            for (int face = 0; face < 4; ++face) {
                for (const int node : fem::face_nodes(face)) {
                    faces[node].push_back(face);
                }
            }
            return faces;
        }();
        return table[local];
    }

    std::size_t root(std::size_t i) {
        while (parent_[i] != i) {
            parent_[i] = parent_[parent_[i]];
            i = parent_[i];
        }
        return i;
    }

    struct Parts {
        int components = 0;
        int sum = 0;  ///< of their sides
        bool one_sided = true;
    };

    /// Leaves the sides of entries in side_, none where the star is whole.
    Parts find_parts(std::span<const StarEntry> star) {
        join(star);
        std::vector<std::int8_t>& side = side_;
        side.assign(star.size(), 0);  // of components, at their root
        Parts parts;
        for (std::size_t i = 0; i < star.size(); ++i) {
            parts.components += root(i) == i;
            for (const int face : faces_with(star[i].local)) {
                const std::int8_t here = marks_.neighbours[star[i].neighbour].fault_side[face];
                std::int8_t& known = side[root(i)];
                // 2 marks a component that has both sides: right on the rim, wrong elsewhere.
                known = here == 0 || known == here ? known : known == 0 ? here : std::int8_t{2};
            }
        }
        if (parts.components == 1) {
            side.clear();
            return parts;
        }
        for (std::size_t i = 0; i < star.size(); ++i) {
            parts.one_sided = parts.one_sided && (side[root(i)] == 1 || side[root(i)] == -1);
            parts.sum += root(i) == i ? side[i] : 0;
        }
        for (std::size_t i = 0; i < star.size(); ++i) {
            side[i] = side[root(i)];
        }
        return parts;
    }

    void join(std::span<const StarEntry> star) {
        parent_.resize(star.size());
        inner_faces_.clear();
        for (std::size_t i = 0; i < star.size(); ++i) {
            parent_[i] = i;
            const Neighbour& neighbour = marks_.neighbours[star[i].neighbour];
            const auto& conn = conn10_[neighbour.tet];
            for (const int face : faces_with(star[i].local)) {
                if (neighbour.fault_side[face] == 0) {
                    const auto& v = fem::kTetFaces[face];
                    inner_faces_.emplace_back(face_key(conn[v[0]], conn[v[1]], conn[v[2]]), i);
                }
            }
        }
        std::sort(inner_faces_.begin(), inner_faces_.end());
        for (std::size_t k = 1; k < inner_faces_.size(); ++k) {
            if (inner_faces_[k].first == inner_faces_[k - 1].first) {
                parent_[root(inner_faces_[k].second)] = root(inner_faces_[k - 1].second);
            }
        }
    }

    const FaultMarks& marks_;
    Conn10 conn10_;
    std::vector<std::size_t> parent_;
    std::vector<std::int8_t> side_;
    std::vector<std::pair<FaceKey, std::size_t>> inner_faces_;
};

/// Splits the nodes of one fault after the other, then what they share.
class Splitter {
public:
    Splitter(const mesh::TetMesh& mesh, Conn10 conn10, std::span<const Vec3> node_xyz)
        : mesh_(mesh), conn10_(conn10), node_xyz_(node_xyz), tets_(tets_at_faults(mesh)) {
        std::int32_t n_faults = 0;
        for (const mesh::FaultFace& face : mesh.fault_faces) {
            n_faults = std::max(n_faults, face.fault + 1);
        }
        elements_.resize(n_faults);
    }

    SplitNodes run() {
        for (std::int32_t fault = 0; fault < std::ssize(elements_); ++fault) {
            split_alone(fault);
        }
        split_shared();
        SplitNodes result;
        std::ranges::sort(split_, {}, &Split::at);
        for (const Split& split : split_) {
            result.split.push_back(split.at);
            result.normal.push_back(split.normal);
        }
        std::ranges::sort(shared_);
        result.shared = std::move(shared_);
        for (const auto& [node, faults] : left_) {
            for (const std::int32_t fault : faults) {
                result.rim.push_back({node, fault});
            }
        }
        for (const auto& of_fault : elements_) {
            for (const auto& [tet, element] : of_fault) {
                result.elements.push_back(element);
            }
        }
        std::ranges::sort(result.elements, [](const SplitElement& a, const SplitElement& b) {
            return std::pair(a.tet, a.fault) < std::pair(b.tet, b.fault);
        });
        return result;
    }

private:
    struct Split {
        FaultNode at;
        Vec3 normal;
    };

    void split_alone(std::int32_t fault) {
        const FaultMarks marks = mark_fault(mesh_, conn10_, node_xyz_.size(), tets_, {fault});
        const Stars stars = collect_stars(marks, conn10_);
        StarWalk walk(marks, conn10_);
        for (std::size_t i = 0; i < marks.nodes.size(); ++i) {
            const std::int32_t node = marks.nodes[i];
            const auto& sides = walk.sides(stars.of(i), node_xyz_[node]);
            if (sides.empty()) {
                left_[node].push_back(fault);
            } else {
                take({node, fault}, marks, stars, i, sides);
            }
        }
    }

    /// Nodes that no fault splits alone, but several together: there one goes on as the other.
    void split_shared() {
        std::map<Faults, std::vector<std::int32_t>> nodes_of;
        for (const auto& [node, faults] : left_) {
            if (faults.size() > 1) {
                nodes_of[faults].push_back(node);
            }
        }
        for (const auto& [faults, nodes] : nodes_of) {
            const FaultMarks marks = mark_fault(mesh_, conn10_, node_xyz_.size(), tets_, faults);
            const Stars stars = collect_stars(marks, conn10_);
            StarWalk walk(marks, conn10_);
            for (const std::int32_t node : nodes) {
                const auto i = static_cast<std::size_t>(marks.slot[node]);
                const auto& sides = walk.sides_if_two(stars.of(i));
                if (sides.empty()) {
                    continue;
                }
                take({node, faults.front()}, marks, stars, i, sides);
                for (std::size_t k = 1; k < faults.size(); ++k) {
                    shared_.push_back({{node, faults[k]}, {node, faults.front()}});
                }
                left_.erase(node);
            }
        }
    }

    void take(const FaultNode& at, const FaultMarks& marks, const Stars& stars, std::size_t i,
              const std::vector<std::int8_t>& sides) {
        split_.push_back({at, normalized(marks.area[i])});
        const auto star = stars.of(i);
        for (std::size_t k = 0; k < star.size(); ++k) {
            const std::int32_t tet = marks.neighbours[star[k].neighbour].tet;
            const SplitElement none{tet, at.fault, {}};
            SplitElement& element = elements_[at.fault].try_emplace(tet, none).first->second;
            element.side[star[k].local] = sides[k];
        }
    }

    const mesh::TetMesh& mesh_;
    Conn10 conn10_;
    std::span<const Vec3> node_xyz_;
    std::vector<std::int32_t> tets_;
    std::vector<Split> split_;
    std::vector<std::pair<FaultNode, FaultNode>> shared_;
    std::map<std::int32_t, Faults> left_;  ///< nodes that do not split, and their faults
    std::vector<std::unordered_map<std::int32_t, SplitElement>> elements_;  ///< by fault and tet
};

}  // namespace

SplitNodes split_fault_nodes(const mesh::TetMesh& mesh,
                             std::span<const std::array<std::int32_t, 10>> conn10,
                             std::span<const Vec3> node_xyz) {
    if (conn10.size() != mesh.tets.size()) {
        throw Error(ErrorCode::InvalidArgument, "conn10 has " + std::to_string(conn10.size()) +
                                                    " elements, the mesh " +
                                                    std::to_string(mesh.tets.size()));
    }
    return Splitter(mesh, conn10, node_xyz).run();
}

FaultNode SplitNodes::owner(const FaultNode& at) const {
    const auto found =
        std::ranges::lower_bound(shared, at, {}, &std::pair<FaultNode, FaultNode>::first);
    return found != shared.end() && found->first == at ? found->second : at;
}

std::int32_t SplitNodes::index(const FaultNode& at) const {
    const FaultNode of = owner(at);
    const auto found = std::ranges::lower_bound(split, of);
    return found != split.end() && *found == of ? static_cast<std::int32_t>(found - split.begin())
                                                : -1;
}

std::span<const SplitElement> SplitNodes::of_tet(std::int32_t tet) const {
    const auto [first, last] = std::ranges::equal_range(elements, tet, {}, &SplitElement::tet);
    return {first, last};
}

std::vector<Vec3> nodal_slip(const SplitNodes& nodes, std::span<const Vec3> node_xyz,
                             const std::function<Vec3(const FaultNode& at)>& slip_at) {
    std::vector<Vec3> slip;
    slip.reserve(nodes.split.size());
    double largest = 0.0;
    for (const FaultNode& at : nodes.split) {
        slip.push_back(slip_at(at));
        largest = std::max(largest, norm(slip.back()));
    }
    for (const FaultNode& rim : nodes.rim) {
        const double at_rim = norm(slip_at(rim));
        if (at_rim > 1e-9 * largest) {
            throw Error(ErrorCode::InvalidArgument,
                        "slip must vanish on the buried rim of the fault, but it is " +
                            std::to_string(at_rim) + " m at " + at(node_xyz[rim.node]));
        }
    }
    return slip;
}

}  // namespace kaname::sources
