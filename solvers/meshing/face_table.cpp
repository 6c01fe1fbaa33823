// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/face_table.hpp"

#include <algorithm>
#include <tuple>

#include "solvers/fem/tet10.hpp"

namespace kaname::meshing {
namespace {

FaceTable::Vertices ascending(FaceTable::Vertices vertices) {
    std::ranges::sort(vertices);
    return vertices;
}

}  // namespace

FaceTable::FaceTable(const mesh::TetMesh& mesh) {
    entries_.reserve(4 * mesh.tets.size());
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        for (int face = 0; face < 4; ++face) {
            const auto& v = fem::kTetFaces[face];
            const auto& corners = mesh.tets[tet];
            entries_.push_back({ascending({corners[v[0]], corners[v[1]], corners[v[2]]}),
                                static_cast<std::int32_t>(tet), face});
        }
    }
    std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
        return std::tie(a.key, a.tet) < std::tie(b.key, b.tet);
    });
}

std::span<const FaceTable::Entry> FaceTable::find(const Vertices& vertices) const {
    const auto found = std::ranges::equal_range(entries_, ascending(vertices), {}, &Entry::key);
    return {found.begin(), found.end()};
}

std::vector<FaceTable::Entry> FaceTable::outer() const {
    std::vector<Entry> result;
    for (std::size_t first = 0, next = 0; first < entries_.size(); first = next) {
        for (next = first + 1;
             next < entries_.size() && entries_[next].key == entries_[first].key;) {
            ++next;
        }
        if (next - first == 1) {
            result.push_back(entries_[first]);
        }
    }
    return result;
}

}  // namespace kaname::meshing
