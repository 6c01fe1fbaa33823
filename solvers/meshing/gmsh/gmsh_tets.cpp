// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/gmsh/gmsh_tets.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/meshing/gmsh/gmsh_import.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::meshing {
namespace {

using Names = std::map<std::int32_t, std::string>;

template <class Range>
std::string listed(const Range& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "'" : ", '") + name + "'";
    }
    return text.empty() ? "none" : text;
}

std::set<std::string> values(const Names& names) {
    std::set<std::string> result;
    for (const auto& [group, name] : names) {
        result.insert(name);
    }
    return result;
}

class Finder {
public:
    Finder(const mesh::GmshMesh& file, const GmshRoles& roles)
        : file_(file), roles_(roles), known_(values(file.surface_names)) {}

    GmshGroups find(std::vector<std::string>& notes) {
        match_volumes(notes);
        std::set<std::string> faults;
        for (const GmshRoles::Fault& fault : roles_.faults) {
            need(fault.field, fault.name);
            if (!faults.insert(fault.name).second) {
                broken_.push_back({fault.field, "must be unique, got '" + fault.name + "'"});
            }
            std::vector<std::int32_t>& groups = groups_.faults.emplace_back();
            for (const auto& [group, name] : file_.surface_names) {
                if (name == fault.name) {
                    groups.push_back(group);
                }
            }
        }
        for (const std::string& name : known_) {
            if (!faults.contains(name)) {
                groups_.surfaces.push_back(name);
            }
        }
        groups_.wanted.assign(groups_.surfaces.size(), false);
        for (const auto& [group, name] : file_.surface_names) {
            const auto found = std::ranges::lower_bound(groups_.surfaces, name);
            if (found != groups_.surfaces.end() && *found == name) {
                groups_.surface[group] =
                    static_cast<std::int32_t>(found - groups_.surfaces.begin());
            }
        }
        groups_.top = want("mesh.top", roles_.top, faults);
        for (const GmshRoles::Boundary& boundary : roles_.boundaries) {
            want(boundary.field, boundary.name, faults);
        }
        if (!broken_.empty()) {
            throw ValidationError(std::move(broken_));
        }
        return std::move(groups_);
    }

private:
    void match_volumes(std::vector<std::string>& notes) {
        for (const auto& [group, name] : file_.volume_names) {
            const auto found = std::ranges::find(roles_.materials, name);
            if (found == roles_.materials.end()) {
                broken_.push_back(
                    {"structure.materials", "must have one for the physical volume '" + name +
                                                "' of mesh.file, has " + listed(roles_.materials)});
                continue;
            }
            groups_.material[group] = static_cast<std::int32_t>(found - roles_.materials.begin());
        }
        const std::set<std::string> volumes = values(file_.volume_names);
        for (const std::string& name : roles_.materials) {
            if (!volumes.contains(name)) {
                notes.push_back("structure.materials: '" + name +
                                "' is the name of no physical volume of mesh.file, which has " +
                                listed(volumes));
            }
        }
    }
    bool need(const std::string& field, const std::string& name) {
        if (known_.contains(name)) {
            return true;
        }
        broken_.push_back({field, "must name a physical surface of mesh.file, got '" + name +
                                      "'; the file has " + listed(known_)});
        return false;
    }
    std::int32_t want(const std::string& field, const std::string& name,
                      const std::set<std::string>& faults) {
        if (!need(field, name)) {
            return -1;
        }
        if (faults.contains(name)) {
            broken_.push_back({field, "must not name a fault, got '" + name + "'"});
            return -1;
        }
        const auto at = std::ranges::lower_bound(groups_.surfaces, name) - groups_.surfaces.begin();
        groups_.wanted[static_cast<std::size_t>(at)] = true;
        return static_cast<std::int32_t>(at);
    }

    const mesh::GmshMesh& file_;
    const GmshRoles& roles_;
    std::set<std::string> known_;
    GmshGroups groups_;
    std::vector<Violation> broken_;
};

}  // namespace

GmshGroups find_groups(const mesh::GmshMesh& file, const GmshRoles& roles,
                       std::vector<std::string>& notes) {
    return Finder(file, roles).find(notes);
}

namespace {

void check_groups(const mesh::GmshMesh& file) {
    const auto count = std::ranges::count(file.tet_group, 0);
    if (count == 0) {
        return;
    }
    const auto first = std::ranges::find(file.tet_group, 0) - file.tet_group.begin();
    Vec3 centroid;
    for (const std::int32_t node : file.tets[first]) {
        centroid += 0.25 * file.xyz[node];
    }
    throw Error(ErrorCode::InvalidArgument,
                "mesh.file: every tetrahedron must belong to a physical volume, but " +
                    std::to_string(count) + " of " + std::to_string(file.tets.size()) +
                    " belong to none, one of them at " + place_text(centroid));
}

/// Refuses curved edges and notes those that are made straight.
void check_bends(const mesh::GmshMesh& file, std::vector<std::string>& notes) {
    std::set<std::int32_t> straightened;  // mid-edge nodes
    double most = 0.0;
    for (std::size_t tet = 0; tet < file.tet_mid.size(); ++tet) {
        for (int edge = 0; edge < 6; ++edge) {
            const std::int32_t mid = file.tet_mid[tet][edge];
            if (mid < 0) {
                continue;
            }
            const Vec3& a = file.xyz[file.tets[tet][p2::kTet10Edges[edge][0]]];
            const Vec3& b = file.xyz[file.tets[tet][p2::kTet10Edges[edge][1]]];
            const double length = norm(b - a);
            const double bend = norm(file.xyz[mid] - 0.5 * (a + b)) / length;
            if (!(bend <= kMostBend)) {
                char text[200];
                std::snprintf(text, sizeof text,
                              "the node in the middle of the edge at %s lies %.3g m beside it, "
                              "must be within %g of the edge's length %.6g m",
                              place_text(0.5 * (a + b)).c_str(), bend * length, kMostBend, length);
                throw Error(
                    ErrorCode::InvalidArgument,
                    std::string("mesh.file: second-order tetrahedra must be straight: ") + text);
            }
            if (bend > kBendByRounding) {
                straightened.insert(mid);
                most = std::max(most, bend);
            }
        }
    }
    if (!straightened.empty()) {
        char text[160];
        std::snprintf(
            text, sizeof text,
            "mesh.file: %zu curved edges were made straight; the largest bend was %.3g of "
            "the edge's length",
            straightened.size(), most);
        notes.emplace_back(text);
    }
}

}  // namespace

std::string place_text(const Vec3& x) {
    char text[96];
    std::snprintf(text, sizeof text, "(%.3f, %.3f, %.3f) m", x.x, x.y, x.z);
    return text;
}

mesh::TetMesh straight_tets(const mesh::GmshMesh& file,
                            const std::map<std::int32_t, std::int32_t>& material,
                            std::vector<std::int32_t>& vertex, std::vector<std::string>& notes) {
    check_groups(file);
    check_bends(file, notes);
    mesh::TetMesh mesh;
    vertex.assign(file.xyz.size(), -1);
    for (const auto& tet : file.tets) {
        for (const std::int32_t node : tet) {
            vertex[node] = 0;
        }
    }
    for (std::size_t node = 0; node < vertex.size(); ++node) {
        if (vertex[node] == 0) {
            vertex[node] = static_cast<std::int32_t>(mesh.xyz.size());
            mesh.xyz.push_back(file.xyz[node]);
        }
    }
    for (std::size_t tet = 0; tet < file.tets.size(); ++tet) {
        std::array<std::int32_t, 4> corners{};
        std::ranges::transform(file.tets[tet], corners.begin(),
                               [&](std::int32_t node) { return vertex[node]; });
        if (det6(mesh.xyz[corners[0]], mesh.xyz[corners[1]], mesh.xyz[corners[2]],
                 mesh.xyz[corners[3]]) < 0.0) {
            std::swap(corners[2], corners[3]);
        }
        mesh.tets.push_back(corners);
        mesh.material.push_back(material.at(file.tet_group[tet]));
    }
    return mesh;
}

}  // namespace kaname::meshing
