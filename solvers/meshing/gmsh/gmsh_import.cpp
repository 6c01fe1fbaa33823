// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/gmsh/gmsh_import.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/mesh/face_set.hpp"
#include "solvers/meshing/gmsh/gmsh_tets.hpp"

namespace kaname::meshing {
namespace {

using Triangle = std::array<std::int32_t, 3>;
constexpr std::int32_t kFree = -1;
constexpr const char* kUnnamed = "(unnamed)";

class Importer {
public:
    Importer(const mesh::GmshMesh& file, const GmshRoles& roles)
        : file_(file),
          roles_(roles),
          groups_(find_groups(file, roles, notes_)),
          mesh_(straight_tets(file, groups_.material, vertex_, notes_)),
          faces_(mesh_) {}

    GmshImport run() {
        mesh_.faults.clear();
        for (std::size_t fault = 0; fault < roles_.faults.size(); ++fault) {
            add_fault(fault);
        }
        mesh_.surfaces = groups_.surfaces;
        mesh_.top = mesh::SurfaceId(groups_.top);
        add_boundaries();
        return {std::move(mesh_), std::move(notes_)};
    }

private:
    [[nodiscard]] Vec3 centroid(const Triangle& t) const {
        return (1.0 / 3.0) * (mesh_.xyz[t[0]] + mesh_.xyz[t[1]] + mesh_.xyz[t[2]]);
    }
    [[noreturn]] void reject(const std::string& surface, std::size_t triangle,
                             const std::string& rule) const {
        Vec3 x;
        for (const std::int32_t node : file_.triangles[triangle]) {
            x += (1.0 / 3.0) * file_.xyz[node];
        }
        throw Error(ErrorCode::InvalidArgument, "mesh.file: physical surface '" + surface +
                                                    "': the triangle at " + place_text(x) + rule);
    }
    /// A vertex is negative where a node is no corner of a tet.
    [[nodiscard]] Triangle vertices_of(std::size_t triangle) const {
        const auto& [a, b, c] = file_.triangles[triangle];
        return {vertex_[a], vertex_[b], vertex_[c]};
    }
    /// Face of the tets that a triangle is; -1: none.
    [[nodiscard]] std::int64_t face_of(std::size_t triangle) const {
        const Triangle vertices = vertices_of(triangle);
        return std::ranges::min(vertices) >= 0 ? faces_.find(vertices) : -1;
    }
    void add_fault(std::size_t fault);
    void set_sides(const GmshRoles::Fault& fault, std::span<Triangle> triangles) const;
    [[nodiscard]] bool points_to_plus(const GmshRoles::Fault& fault, const Vec3& area,
                                      const Vec3& at) const;
    void add_boundaries();
    void claim(std::vector<std::int32_t>& surface_of, std::size_t triangle,
               std::vector<std::int64_t>& inside);
    void check_joined(std::span<const std::int64_t> outer) const;

    const mesh::GmshMesh& file_;
    const GmshRoles& roles_;
    std::vector<std::string> notes_;
    std::vector<std::int32_t> vertex_;  ///< [nodes of the file]
    GmshGroups groups_;
    mesh::TetMesh mesh_;
    mesh::FaceSet faces_;
};

void Importer::add_fault(std::size_t fault) {
    const GmshRoles::Fault& role = roles_.faults[fault];
    std::vector<Triangle> triangles;
    for (std::size_t t = 0; t < file_.triangles.size(); ++t) {
        const auto& groups = groups_.faults[fault];
        if (std::ranges::find(groups, file_.triangle_group[t]) == groups.end()) {
            continue;
        }
        const std::int64_t face = face_of(t);
        if (face < 0) {
            reject(role.name, t,
                   " is no face of the tetrahedra; in Gmsh embed the surface in its volume or "
                   "fragment the volume by it");
        }
        if (faces_.uses(face) == 1) {
            reject(role.name, t, " lies on the outside of the mesh, but a fault must lie inside");
        }
        triangles.push_back(vertices_of(t));
    }
    set_sides(role, triangles);
    mesh_.faults.push_back(role.name);
    for (const Triangle& vertices : triangles) {
        mesh_.fault_faces.push_back({vertices, static_cast<std::int32_t>(fault)});
    }
}

void Importer::set_sides(const GmshRoles::Fault& fault, std::span<Triangle> triangles) const {
    std::vector<std::int32_t> piece;
    try {
        piece = mesh::orient_surface(triangles, mesh_.xyz);
    } catch (const Error& error) {
        throw Error(error.code(),
                    "mesh.file: physical surface '" + fault.name + "': " + error.what());
    }
    struct Piece {
        Vec3 area, centre;
        bool turn = false;
    };
    std::map<std::int32_t, Piece> pieces;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const auto& [a, b, c] = triangles[t];
        Piece& whole = pieces[piece[t]];
        whole.area += 0.5 * cross(mesh_.xyz[b] - mesh_.xyz[a], mesh_.xyz[c] - mesh_.xyz[a]);
        whole.centre = centroid(triangles[t]);
    }
    for (auto& [index, whole] : pieces) {
        whole.turn = !points_to_plus(fault, whole.area, whole.centre);
    }
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        if (pieces[piece[t]].turn) {
            std::swap(triangles[t][1], triangles[t][2]);
        }
    }
}

bool Importer::points_to_plus(const GmshRoles::Fault& fault, const Vec3& area,
                              const Vec3& at) const {
    const double length = norm(area);
    const double up = area.z / length;
    const bool vertical = !(std::abs(up) > std::sin(kVertical_deg * kDegree));
    if (!vertical && !fault.strike_rad) {
        return up > 0.0;
    }
    if (!fault.strike_rad) {
        throw ValidationError(
            {{fault.field, "'" + fault.name + "' is vertical within a degree near " +
                               place_text(at) +
                               ": give its strike_deg, the plus side is to the right of it"}});
    }
    const double right =
        (std::cos(*fault.strike_rad) * area.x - std::sin(*fault.strike_rad) * area.y) / length;
    constexpr double kLevel = 1e-3;  // no azimuth can be told from so small a part of the normal
    if (std::abs(right) < kLevel && !vertical) {
        return up > 0.0;
    }
    if ((vertical && std::abs(right) < kLevel) || (!vertical && (right > 0.0) != (up > 0.0))) {
        throw ValidationError(
            {{fault.field, "strike_deg must have '" + fault.name + "' dip to its right, but near " +
                               place_text(at) + " it does not"}});
    }
    return right > 0.0;
}

void Importer::claim(std::vector<std::int32_t>& surface_of, std::size_t triangle,
                     std::vector<std::int64_t>& inside) {
    const auto group = groups_.surface.find(file_.triangle_group[triangle]);
    if (group == groups_.surface.end()) {
        return;  // a fault
    }
    const std::int32_t surface = group->second;
    const bool wanted = groups_.wanted[static_cast<std::size_t>(surface)];
    const std::string& name = groups_.surfaces[static_cast<std::size_t>(surface)];
    const std::int64_t face = face_of(triangle);
    if (face < 0 || faces_.uses(face) != 1) {
        if (wanted) {
            reject(name, triangle,
                   face < 0 ? " is no face of the tetrahedra"
                            : " lies inside the mesh, but must lie on its outside");
        }
        ++inside[static_cast<std::size_t>(surface)];
        return;
    }
    std::int32_t& owner = surface_of[static_cast<std::size_t>(face)];
    if (owner == kFree || (wanted && !groups_.wanted[static_cast<std::size_t>(owner)])) {
        owner = surface;
    } else if (wanted && owner != surface && groups_.wanted[static_cast<std::size_t>(owner)]) {
        reject(name, triangle,
               " belongs to '" + groups_.surfaces[static_cast<std::size_t>(owner)] +
                   "' as well, must belong to one of them");
    }
}

void Importer::check_joined(std::span<const std::int64_t> outer) const {
    std::vector<std::array<std::array<double, 3>, 3>> corners;
    for (const std::int64_t face : outer) {
        const Triangle vertices = faces_.vertices(face);
        auto& at = corners.emplace_back();
        for (int k = 0; k < 3; ++k) {
            const Vec3& x = mesh_.xyz[vertices[k]];
            at[k] = {x.x, x.y, x.z};
        }
        std::ranges::sort(at);
    }
    std::ranges::sort(corners);
    const auto twice = std::ranges::adjacent_find(corners);
    if (twice != corners.end()) {
        Vec3 x;
        for (const auto& corner : *twice) {
            x += (1.0 / 3.0) * Vec3{corner[0], corner[1], corner[2]};
        }
        throw Error(ErrorCode::InvalidArgument,
                    "mesh.file: two outer faces lie on each other at " + place_text(x) +
                        ": volumes must share the nodes between them and on faults (in Gmsh: "
                        "BooleanFragments or Coherence, and no Crack plugin)");
    }
}

void Importer::add_boundaries() {
    std::vector<std::int64_t> outer;
    for (std::int64_t face = 0; face < faces_.size(); ++face) {
        if (faces_.uses(face) == 1) {
            outer.push_back(face);
        }
    }
    check_joined(outer);
    std::vector<std::int32_t> surface_of(static_cast<std::size_t>(faces_.size()), kFree);
    std::vector<std::int64_t> inside(groups_.surfaces.size(), 0);
    for (std::size_t t = 0; t < file_.triangles.size(); ++t) {
        claim(surface_of, t, inside);
    }
    std::int64_t unnamed = 0;
    for (const std::int64_t face : outer) {
        const Triangle vertices = faces_.outward(face);
        std::int32_t& surface = surface_of[static_cast<std::size_t>(face)];
        if (surface == kFree) {
            if (unnamed++ == 0) {
                notes_.push_back(
                    "mesh.file: outer faces belong to no physical surface and are "
                    "free, one of them at " +
                    place_text(centroid(vertices)));
                mesh_.surfaces.emplace_back(kUnnamed);
            }
            surface = static_cast<std::int32_t>(mesh_.surfaces.size()) - 1;
        }
        mesh_.boundary_faces.push_back({vertices, mesh::SurfaceId(surface)});
    }
    if (unnamed > 0) {
        notes_.back() += ": " + std::to_string(unnamed) + " faces";
    }
    for (std::size_t k = 0; k < inside.size(); ++k) {
        if (inside[k] > 0) {
            notes_.push_back("mesh.file: physical surface '" + groups_.surfaces[k] +
                             "' is no fault of the request and has " + std::to_string(inside[k]) +
                             " triangles that are not on the outside: they are not used");
        }
    }
}

// A mesh of less than 10 km is most often one in kilometres: no model of the Earth's crust or
// mantle in kilometres is wider than 10,000. None in metres is wider than the Earth.
constexpr double kAskedBelow = 1e4, kWidest_m = 2e7;

void to_metres(const std::string& unit, mesh::GmshMesh& file) {
    Vec3 low, high;
    for (std::size_t k = 0; k < file.xyz.size(); ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = k == 0 ? file.xyz[k][axis] : std::min(low[axis], file.xyz[k][axis]);
            high[axis] = k == 0 ? file.xyz[k][axis] : std::max(high[axis], file.xyz[k][axis]);
        }
    }
    const Vec3 size = high - low;
    const double extent = std::max({size.x, size.y, size.z});
    char text[160];
    std::snprintf(text, sizeof text, "the file's coordinates span %.6g x %.6g x %.6g", size.x,
                  size.y, size.z);
    if (unit.empty() && extent < kAskedBelow) {
        throw ValidationError(
            {{"mesh.length_unit", std::string("must be given, km or m: ") + text +
                                      ", which is small for metres and usual for kilometres"}});
    }
    const double factor = unit == "km" ? kMetresPerKm : 1.0;
    if (factor * extent > kWidest_m) {
        throw ValidationError(
            {{"mesh.length_unit", std::string("must be another one: ") + text + " " +
                                      (unit.empty() ? "m" : unit) + ", wider than the Earth"}});
    }
    for (Vec3& x : file.xyz) {
        x = factor * x;
    }
}

}  // namespace

GmshImport import_gmsh(mesh::GmshMesh file, const GmshRoles& roles) {
    to_metres(roles.length_unit, file);
    return Importer(file, roles).run();
}

GmshSource::GmshSource(std::string path, GmshRoles roles)
    : path_(std::move(path)), roles_(std::move(roles)) {}

GmshImport GmshSource::read() const {
    return import_gmsh(mesh::read_gmsh(path_), roles_);
}

MeshSource::Count GmshSource::estimate() const {
    const mesh::TetMesh mesh = read().mesh;
    return {std::ssize(mesh.xyz), std::ssize(mesh.tets)};
}

mesh::TetMesh GmshSource::build(const Progress& progress) const {
    progress(0.0, "read");
    mesh::TetMesh mesh = read().mesh;
    progress(1.0, "read");
    return mesh;
}

}  // namespace kaname::meshing
