// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/gmsh/gmsh_names.hpp"

#include <algorithm>
#include <set>

#include "solvers/base/error.hpp"

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

}  // namespace kaname::meshing
