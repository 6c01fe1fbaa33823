// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::fault {

using Conn10 = std::span<const std::array<std::int32_t, 10>>;

/// Vertices of a face, ascending.
using FaceKey = std::array<std::int32_t, 3>;
[[nodiscard]] FaceKey face_key(std::int32_t a, std::int32_t b, std::int32_t c);

/// A place as text: "(x, y, z) m".
[[nodiscard]] std::string place_text(const Vec3& x);

/// Some of a mesh's faults.
using Faults = std::vector<std::int32_t>;

/// A tet with a vertex on the fault.
struct Neighbour {
    std::int32_t tet;
    /// Side of this tet for each of its faces that is on the fault, else 0.
    std::array<std::int8_t, 4> fault_side = {};
};

struct FaultMarks {
    std::vector<Neighbour> neighbours;  ///< ascending tet
    std::vector<std::int32_t> nodes;    ///< ascending, all nodes on its faces
    std::vector<std::int32_t> slot;     ///< [N] position in `nodes`, -1 elsewhere
    std::vector<Vec3> area;             ///< [nodes] sum of the area vectors around the node
};

/// Ascending tets with a vertex on any fault.
[[nodiscard]] std::vector<std::int32_t> tets_at_faults(const mesh::TetMesh& mesh);

/// Marks of some faults. Throws InvalidArgument with the place of a face that is listed twice or
/// does not lie between two elements.
[[nodiscard]] FaultMarks mark_fault(const mesh::TetMesh& mesh, Conn10 conn10, std::size_t n_nodes,
                                    std::span<const std::int32_t> tets, const Faults& faults);

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

[[nodiscard]] Stars collect_stars(const FaultMarks& marks, Conn10 conn10);

/// The walk around one node: union-find over its star, joined across faces that hold the node and
/// are not on the fault.
class StarWalk {
public:
    StarWalk(const FaultMarks& marks, Conn10 conn10) : marks_(marks), conn10_(conn10) {}

    /// Side of each entry; empty when the star does not split. Throws InvalidArgument when it
    /// splits otherwise than into one plus and one minus side.
    const std::vector<std::int8_t>& sides(std::span<const StarEntry> star, const Vec3& x);
    /// Sides as above; empty also when the star splits otherwise.
    const std::vector<std::int8_t>& sides_if_two(std::span<const StarEntry> star);

private:
    struct Parts {
        int components = 0;
        int sum = 0;  ///< sum of the components' sides
        bool one_sided = true;
    };
    [[nodiscard]] std::size_t root(std::size_t i);
    /// Leaves the sides of entries in side_, none where the star is whole.
    [[nodiscard]] Parts find_parts(std::span<const StarEntry> star);
    void join(std::span<const StarEntry> star);

    const FaultMarks& marks_;
    Conn10 conn10_;
    std::vector<std::size_t> parent_;
    std::vector<std::int8_t> side_;
    std::vector<std::pair<FaceKey, std::size_t>> inner_faces_;
};

}  // namespace kaname::fault
