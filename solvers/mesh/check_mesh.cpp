// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::mesh {
namespace {

constexpr int kPlacesNamed = 10;  // places named per kind of fault

using Tet = std::array<std::int32_t, 4>;
using Tri = FaceSet::Vertices;

std::string place(const Vec3& x) {
    std::ostringstream text;
    text.precision(9);
    text << '(' << x.x << ", " << x.y << ", " << x.z << ") m";
    return text.str();
}

/// Collects the first kPlacesNamed places of each kind of fault and counts the others.
class Findings {
public:
    void open(std::string field, std::string rule) {
        close();
        field_ = std::move(field);
        rule_ = std::move(rule);
    }
    void add(std::int64_t index, const std::string& where) {
        if (count_++ < kPlacesNamed) {
            violations_.push_back({field_ + "[" + std::to_string(index) + "]", rule_ + where});
        }
    }
    [[nodiscard]] bool empty() const { return violations_.empty(); }
    void throw_if_any() {
        close();
        if (!violations_.empty()) {
            throw ValidationError(std::move(violations_));
        }
    }

private:
    void close() {
        if (count_ > kPlacesNamed) {
            violations_.push_back(
                {field_, std::to_string(count_ - kPlacesNamed) + " more: " + rule_});
        }
        count_ = 0;
    }

    std::string field_;
    std::string rule_;
    std::int64_t count_ = 0;
    std::vector<Violation> violations_;
};

template <std::size_t n>
bool in_range(const std::array<std::int32_t, n>& ids, std::int64_t vertices) {
    return std::all_of(ids.begin(), ids.end(),
                       [&](std::int32_t id) { return id >= 0 && id < vertices; });
}

void check_ids(const TetMesh& mesh, int n_materials, Findings& found) {
    const std::int64_t vertices = std::ssize(mesh.xyz);
    if (mesh.tets.empty()) {
        found.open("tets", "must not be empty");
        found.add(0, "");
    }
    if (mesh.material.size() != mesh.tets.size()) {
        found.open("material",
                   "must have one entry per tet (" + std::to_string(mesh.tets.size()) + "), has ");
        found.add(0, std::to_string(mesh.material.size()));
    }
    if (!mesh.volume.empty() && mesh.volume.size() != mesh.tets.size()) {
        found.open("volume",
                   "must have one entry per tet (" + std::to_string(mesh.tets.size()) + "), has ");
        found.add(0, std::to_string(mesh.volume.size()));
    }
    found.open("xyz", "must be finite, is ");
    for (std::int64_t vertex = 0; vertex < vertices; ++vertex) {
        const Vec3& x = mesh.xyz[vertex];
        if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z)) {
            found.add(vertex, place(x));
        }
    }
    const std::string range = "vertex ids must be in 0.." + std::to_string(vertices - 1);
    const auto check = [&](const char* field, std::int64_t count, const auto& holds) {
        found.open(field, range);
        for (std::int64_t index = 0; index < count; ++index) {
            if (!holds(index)) {
                found.add(index, "");
            }
        }
    };
    check("tets", std::ssize(mesh.tets),
          [&](std::int64_t elem) { return in_range(mesh.tets[elem], vertices); });
    check("fault_faces", std::ssize(mesh.fault_faces),
          [&](std::int64_t face) { return in_range(mesh.fault_faces[face].vertices, vertices); });
    check("boundary_faces", std::ssize(mesh.boundary_faces), [&](std::int64_t face) {
        return in_range(mesh.boundary_faces[face].vertices, vertices);
    });
    const auto check_index = [&](const char* field, const std::vector<std::int32_t>& values,
                                 std::int64_t n) {
        found.open(field, "must be in 0.." + std::to_string(n - 1) + ", is ");
        for (std::int64_t elem = 0; elem < std::ssize(values); ++elem) {
            if (values[elem] < 0 || values[elem] >= n) {
                found.add(elem, std::to_string(values[elem]));
            }
        }
    };
    check_index("material", mesh.material, n_materials);
    check_index("volume", mesh.volume, std::ssize(mesh.volumes));
}

void check_volumes(const TetMesh& mesh, Findings& found) {
    found.open("tets", "volume must be > 0, is ");
    for (std::int64_t elem = 0; elem < std::ssize(mesh.tets); ++elem) {
        const auto at = corners_of(mesh, static_cast<std::size_t>(elem));
        const double volume = volume_of(at);
        if (!(volume > 0.0)) {
            std::ostringstream text;
            text << volume << " m^3 with corners " << place(at[0]) << ' ' << place(at[1]) << ' '
                 << place(at[2]) << ' ' << place(at[3]);
            found.add(elem, text.str());
        }
    }
}

void check_vertex_use(const TetMesh& mesh, Findings& found) {
    std::vector<bool> used(mesh.xyz.size(), false);
    for (const Tet& tet : mesh.tets) {
        for (const std::int32_t vertex : tet) {
            used[vertex] = true;
        }
    }
    found.open("xyz", "vertex is in no tet: ");
    for (std::int64_t vertex = 0; vertex < std::ssize(mesh.xyz); ++vertex) {
        if (!used[vertex]) {
            found.add(vertex, place(mesh.xyz[vertex]));
        }
    }
}

void check_faces(const TetMesh& mesh, const FaceSet& faces, Findings& found) {
    std::vector<bool> marked(static_cast<std::size_t>(faces.size()), false);
    const auto middle = [&](const Tri& face) {
        return place(1.0 / 3 * (mesh.xyz[face[0]] + mesh.xyz[face[1]] + mesh.xyz[face[2]]));
    };
    const auto check = [&](std::int64_t index, const Tri& vertices, int uses) {
        const std::int64_t face = faces.find(vertices);
        if (face < 0 || faces.uses(face) != uses || marked[face]) {
            found.add(index, middle(vertices));
        } else {
            marked[face] = true;
        }
    };
    found.open("boundary_faces", "is not the face of exactly one tet, or is named twice, at ");
    for (std::int64_t index = 0; index < std::ssize(mesh.boundary_faces); ++index) {
        check(index, mesh.boundary_faces[index].vertices, 1);
    }
    // Faults that touch may have faces in common; each fault names a face once.
    found.open("fault_faces", "is not the face of two tets, or is named twice by its fault, at ");
    std::set<std::pair<std::int64_t, std::int32_t>> named;  // face and fault
    for (std::int64_t index = 0; index < std::ssize(mesh.fault_faces); ++index) {
        const FaultFace& of = mesh.fault_faces[index];
        const std::int64_t face = faces.find(of.vertices);
        if (face < 0 || faces.uses(face) != 2 || !named.emplace(face, of.fault).second) {
            found.add(index, middle(of.vertices));
        } else {
            marked[face] = true;
        }
    }
    const auto check_all = [&](const char* rule, const auto& holds) {
        found.open("faces", rule);
        for (std::int64_t face = 0; face < faces.size(); ++face) {
            if (!holds(face)) {
                found.add(face, middle(faces.vertices(face)));
            }
        }
    };
    check_all("shared by more than two tets at ",
              [&](std::int64_t face) { return faces.uses(face) <= 2; });
    check_all("shared by two tets on the same side of it at ",
              [&](std::int64_t face) { return faces.uses(face) > 2 || !faces.folded(face); });
    check_all("free but no boundary face (hanging node or hole) at ",
              [&](std::int64_t face) { return faces.uses(face) != 1 || marked[face]; });
}

}  // namespace

FaceSet check_mesh(const TetMesh& mesh, int n_materials) {
    Findings found;
    check_ids(mesh, n_materials, found);
    if (!found.empty()) {  // the other checks index by these ids
        found.throw_if_any();
    }
    check_volumes(mesh, found);
    check_vertex_use(mesh, found);
    FaceSet faces(mesh);
    check_faces(mesh, faces, found);
    found.throw_if_any();
    return faces;
}

}  // namespace kaname::mesh
