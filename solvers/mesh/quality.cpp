// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

#include "solvers/base/error.hpp"

namespace kaname::mesh {
namespace {

constexpr int kListed = 10;  // places named per kind of fault, and worst elements
constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr std::array<std::array<int, 3>, 4> kFaces = {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};

using Tet = std::array<std::int32_t, 4>;
using Tri = std::array<std::int32_t, 3>;

std::array<Vec3, 4> corners(const TetMesh& mesh, const Tet& tet) {
    return {mesh.xyz[tet[0]], mesh.xyz[tet[1]], mesh.xyz[tet[2]], mesh.xyz[tet[3]]};
}

/// The six dihedral angles [deg]: pi minus the angle between outward face normals.
std::array<double, 6> dihedral_angles(const std::array<Vec3, 4>& at) {
    std::array<Vec3, 4> normal;
    for (int face = 0; face < 4; ++face) {
        const auto& f = kFaces[face];
        normal[face] = cross(at[f[1]] - at[f[0]], at[f[2]] - at[f[0]]);
    }
    std::array<double, 6> angles{};
    int pair = 0;
    for (int one = 0; one < 4; ++one) {
        for (int other = one + 1; other < 4; ++other) {
            const Vec3& n = normal[one];
            const Vec3& m = normal[other];
            angles[pair++] = kDegrees * std::atan2(norm(cross(n, m)), -dot(n, m));
        }
    }
    return angles;
}

std::string place(const Vec3& x) {
    std::ostringstream text;
    text.precision(9);
    text << '(' << x.x << ", " << x.y << ", " << x.z << ") m";
    return text.str();
}

/// Collects the first kListed places of each kind of fault and counts the others.
class Findings {
public:
    void open(std::string field, std::string rule) {
        close();
        field_ = std::move(field);
        rule_ = std::move(rule);
    }
    void add(std::int64_t index, const std::string& where) {
        if (count_++ < kListed) {
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
        if (count_ > kListed) {
            violations_.push_back({field_, std::to_string(count_ - kListed) + " more: " + rule_});
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
    found.open("material", "must be in 0.." + std::to_string(n_materials - 1) + ", is ");
    for (std::int64_t elem = 0; elem < std::ssize(mesh.material); ++elem) {
        if (mesh.material[elem] < 0 || mesh.material[elem] >= n_materials) {
            found.add(elem, std::to_string(mesh.material[elem]));
        }
    }
}

void check_volumes(const TetMesh& mesh, Findings& found) {
    found.open("tets", "volume must be > 0, is ");
    for (std::int64_t elem = 0; elem < std::ssize(mesh.tets); ++elem) {
        const auto at = corners(mesh, mesh.tets[elem]);
        const double volume = det6(at[0], at[1], at[2], at[3]) / 6;
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

struct Face {
    Tri vertices;            // ascending
    std::int32_t uses = 0;   // tets that have it
    std::int32_t marks = 0;  // boundary faces that name it
    friend bool operator<(const Face& one, const Face& other) {
        return one.vertices < other.vertices;
    }
};

Tri ascending(Tri face) {
    std::sort(face.begin(), face.end());
    return face;
}

/// All distinct faces of the tets with how many tets share each.
std::vector<Face> distinct_faces(const TetMesh& mesh) {
    std::vector<Face> faces;
    faces.reserve(4 * mesh.tets.size());
    for (const Tet& tet : mesh.tets) {
        for (const auto& f : kFaces) {
            faces.push_back({ascending({tet[f[0]], tet[f[1]], tet[f[2]]}), 1, 0});
        }
    }
    std::sort(faces.begin(), faces.end());
    std::size_t kept = 0;
    for (std::size_t next = 1; next < faces.size(); ++next) {
        if (faces[next].vertices == faces[kept].vertices) {
            ++faces[kept].uses;
        } else {
            faces[++kept] = faces[next];
        }
    }
    faces.resize(faces.empty() ? 0 : kept + 1);
    return faces;
}

Face* find_face(std::vector<Face>& faces, const Tri& vertices) {
    const Face wanted{ascending(vertices), 0, 0};
    const auto at = std::lower_bound(faces.begin(), faces.end(), wanted);
    return at != faces.end() && at->vertices == wanted.vertices ? &*at : nullptr;
}

void check_faces(const TetMesh& mesh, Findings& found) {
    std::vector<Face> faces = distinct_faces(mesh);
    const auto middle = [&](const Tri& face) {
        return place(1.0 / 3 * (mesh.xyz[face[0]] + mesh.xyz[face[1]] + mesh.xyz[face[2]]));
    };
    found.open("boundary_faces", "is not the face of exactly one tet, or is named twice, at ");
    for (std::int64_t index = 0; index < std::ssize(mesh.boundary_faces); ++index) {
        const Tri& vertices = mesh.boundary_faces[index].vertices;
        Face* face = find_face(faces, vertices);
        if (face == nullptr || face->uses != 1 || face->marks++ > 0) {
            found.add(index, middle(vertices));
        }
    }
    found.open("fault_faces", "is not the face of two tets, or is named twice, at ");
    for (std::int64_t index = 0; index < std::ssize(mesh.fault_faces); ++index) {
        const Tri& vertices = mesh.fault_faces[index].vertices;
        Face* face = find_face(faces, vertices);
        if (face == nullptr || face->uses != 2 || face->marks++ > 0) {
            found.add(index, middle(vertices));
        }
    }
    found.open("faces", "shared by more than two tets at ");
    for (std::size_t index = 0; index < faces.size(); ++index) {
        if (faces[index].uses > 2) {
            found.add(static_cast<std::int64_t>(index), middle(faces[index].vertices));
        }
    }
    found.open("faces", "free but no boundary face (hanging node or hole) at ");
    for (std::size_t index = 0; index < faces.size(); ++index) {
        if (faces[index].uses == 1 && faces[index].marks == 0) {
            found.add(static_cast<std::int64_t>(index), middle(faces[index].vertices));
        }
    }
}

}  // namespace

QualityReport measure_quality(const TetMesh& mesh) {
    QualityReport report;
    report.vertices = std::ssize(mesh.xyz);
    report.tets = std::ssize(mesh.tets);
    report.fault_faces = std::ssize(mesh.fault_faces);
    if (mesh.tets.empty()) {
        return report;
    }
    report.min_edge_m = std::numeric_limits<double>::max();
    std::vector<std::pair<double, std::int64_t>> smallest;  // angle, tet
    smallest.reserve(mesh.tets.size());
    for (std::int64_t elem = 0; elem < report.tets; ++elem) {
        const auto at = corners(mesh, mesh.tets[elem]);
        const auto angles = dihedral_angles(at);
        for (const double angle : angles) {
            ++report.dihedral_histogram[std::min(17, static_cast<int>(angle / 10.0))];
        }
        const auto [low, high] = std::minmax_element(angles.begin(), angles.end());
        smallest.emplace_back(*low, elem);
        report.max_dihedral_deg = std::max(report.max_dihedral_deg, *high);
        for (int one = 0; one < 4; ++one) {
            for (int other = one + 1; other < 4; ++other) {
                const double edge = norm(at[other] - at[one]);
                report.min_edge_m = std::min(report.min_edge_m, edge);
                report.max_edge_m = std::max(report.max_edge_m, edge);
            }
        }
        const auto material = static_cast<std::size_t>(mesh.material[elem]);
        if (material >= report.volume_per_material.size()) {
            report.volume_per_material.resize(material + 1, 0.0);
        }
        report.volume_per_material[material] += det6(at[0], at[1], at[2], at[3]) / 6;
    }
    const auto listed = std::min<std::int64_t>(kListed, report.tets);
    std::partial_sort(smallest.begin(), smallest.begin() + listed, smallest.end());
    for (std::int64_t rank = 0; rank < listed; ++rank) {
        const auto at = corners(mesh, mesh.tets[smallest[rank].second]);
        report.worst.push_back(
            {smallest[rank].second, smallest[rank].first, 0.25 * (at[0] + at[1] + at[2] + at[3])});
    }
    report.min_dihedral_deg = smallest.front().first;
    const auto permille = smallest.begin() + report.tets / 1000;
    std::nth_element(smallest.begin(), permille, smallest.end());
    report.p001_min_dihedral_deg = permille->first;
    return report;
}

void check_mesh(const TetMesh& mesh, int n_materials) {
    Findings found;
    check_ids(mesh, n_materials, found);
    if (!found.empty()) {  // the other checks index by these ids
        found.throw_if_any();
    }
    check_volumes(mesh, found);
    check_vertex_use(mesh, found);
    check_faces(mesh, found);
    found.throw_if_any();
}

}  // namespace kaname::mesh
