// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/fault_stars.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <unordered_set>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::fault {
namespace {

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
                throw Error(ErrorCode::InvalidArgument,
                            "a fault face is listed twice, near " +
                                place_text(mesh.xyz[faces_[i].first[0]]));
            }
        }
        // A face that two faults share counts once.
        const auto rest =
            std::ranges::unique(faces_, {}, [](const auto& face) { return face.first; });
        faces_.erase(rest.begin(), rest.end());
    }

    [[nodiscard]] const std::vector<std::pair<FaceKey, std::int32_t>>& faces() const {
        return faces_;
    }
    /// Index of a fault face; -1 when it is none.
    [[nodiscard]] std::int32_t find(const FaceKey& key) const {
        const auto found = std::lower_bound(faces_.begin(), faces_.end(), std::pair{key, -1});
        return found != faces_.end() && found->first == key ? found->second : -1;
    }

private:
    std::vector<std::pair<FaceKey, std::int32_t>> faces_;
};

/// Returns those of the tets that have a vertex on one of the faults.
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

}  // namespace

FaceKey face_key(std::int32_t a, std::int32_t b, std::int32_t c) {
    FaceKey key = {a, b, c};
    std::sort(key.begin(), key.end());
    return key;
}

std::string place_text(const Vec3& x) {
    char text[96];
    std::snprintf(text, sizeof text, "(%.3f, %.3f, %.3f) m", x.x, x.y, x.z);
    return text;
}

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
            const auto& v = p2::kTetFaces[face];
            const std::int32_t id = index.find(face_key(conn[v[0]], conn[v[1]], conn[v[2]]));
            if (id < 0) {
                continue;
            }
            const auto& [a, b, c] = mesh.fault_faces[id].vertices;
            const Vec3& apex = mesh.xyz[conn[face]];
            const bool plus = det6(mesh.xyz[a], mesh.xyz[b], mesh.xyz[c], apex) > 0.0;
            neighbour.fault_side[face] = plus ? 1 : -1;
            ++seen[id][plus];
            for (const int local : p2::face_nodes(face)) {
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
                        "the fault face at " +
                            place_text(mesh.xyz[mesh.fault_faces[id].vertices[0]]) +
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

namespace {

/// Faces of a tet that hold the tet10 node; -1 never appears.
std::span<const int> faces_with(int local) {
    static const auto table = [] {
        std::array<std::vector<int>, 10> faces;
        for (int face = 0; face < 4; ++face) {
            for (const int node : p2::face_nodes(face)) {
                faces[node].push_back(face);
            }
        }
        return faces;
    }();
    return table[local];
}

}  // namespace

const std::vector<std::int8_t>& StarWalk::sides(std::span<const StarEntry> star, const Vec3& x) {
    const Parts parts = find_parts(star);
    if (parts.components > 1 && (parts.components != 2 || !parts.one_sided)) {
        throw Error(ErrorCode::InvalidArgument,
                    "the fault cuts the elements around " + place_text(x) + " into " +
                        std::to_string(parts.components) +
                        " parts; it must be one on the plus and one on the minus side. Such "
                        "a fault branches, changes orientation, folds back on itself or cuts "
                        "a piece off: make each branch a fault (physical surface) of its own, "
                        "which may touch and cross others, and let it end an element before "
                        "itself and before the sides of the model");
    }
    if (parts.components == 2 && parts.sum != 0) {
        throw Error(ErrorCode::InvalidArgument,
                    "both sides of the fault at " + place_text(x) + " have the same sign");
    }
    return side_;
}

const std::vector<std::int8_t>& StarWalk::sides_if_two(std::span<const StarEntry> star) {
    const Parts parts = find_parts(star);
    if (parts.components != 2 || !parts.one_sided || parts.sum != 0) {
        side_.clear();
    }
    return side_;
}

std::size_t StarWalk::root(std::size_t i) {
    while (parent_[i] != i) {
        parent_[i] = parent_[parent_[i]];
        i = parent_[i];
    }
    return i;
}

StarWalk::Parts StarWalk::find_parts(std::span<const StarEntry> star) {
    join(star);
    std::vector<std::int8_t>& side = side_;
    side.assign(star.size(), 0);  // each component's side stands at its root
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

void StarWalk::join(std::span<const StarEntry> star) {
    parent_.resize(star.size());
    inner_faces_.clear();
    for (std::size_t i = 0; i < star.size(); ++i) {
        parent_[i] = i;
        const Neighbour& neighbour = marks_.neighbours[star[i].neighbour];
        const auto& conn = conn10_[neighbour.tet];
        for (const int face : faces_with(star[i].local)) {
            if (neighbour.fault_side[face] == 0) {
                const auto& v = p2::kTetFaces[face];
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

}  // namespace kaname::fault
