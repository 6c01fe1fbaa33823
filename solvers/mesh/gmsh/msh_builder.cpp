// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/gmsh/msh_builder.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace kaname::mesh {
namespace {

using Use = MshElementType::Use;
constexpr std::int64_t kMostNodes = 2147483647;

// Element types by Gmsh's number; 0 is none.
constexpr std::array<MshElementType, 20> kTypes = {{
    {0, Use::Refuse, ""},
    {2, Use::Skip, "line"},
    {3, Use::Triangle, "triangle"},
    {4, Use::Refuse, "quadrangle"},
    {4, Use::Tet, "tetrahedron"},
    {8, Use::Refuse, "hexahedron"},
    {6, Use::Refuse, "prism"},
    {5, Use::Refuse, "pyramid"},
    {3, Use::Skip, "second-order line"},
    {6, Use::Triangle, "second-order triangle"},
    {9, Use::Refuse, "second-order quadrangle"},
    {10, Use::Tet, "second-order tetrahedron"},
    {27, Use::Refuse, "second-order hexahedron"},
    {18, Use::Refuse, "second-order prism"},
    {14, Use::Refuse, "second-order pyramid"},
    {1, Use::Skip, "point"},
    {8, Use::Refuse, "second-order quadrangle"},
    {20, Use::Refuse, "second-order hexahedron"},
    {15, Use::Refuse, "second-order prism"},
    {13, Use::Refuse, "second-order pyramid"},
}};
constexpr std::size_t kMostElementNodes = 10;  // most nodes of an accepted type

}  // namespace

MshElementType element_type(int type, const MshInput& input) {
    if (type < 1 || static_cast<std::size_t>(type) >= kTypes.size()) {
        input.fail(
            "element type " + std::to_string(type) +
            " is not known: only tetrahedra and triangles of first or second order are read");
    }
    const MshElementType& found = kTypes[static_cast<std::size_t>(type)];
    if (found.use == Use::Refuse) {
        input.fail("element type " + std::to_string(type) + " (" + found.name +
                   ") must be a tetrahedron or a triangle of first or second order");
    }
    return found;
}

void MshBuilder::add_node(std::int64_t tag, const Vec3& x, const MshInput& input) {
    const auto index = static_cast<std::int64_t>(tags_.size());
    if (index >= kMostNodes) {
        input.fail("more than 2147483647 nodes");
    }
    consecutive_ = consecutive_ && (tags_.empty() || tag == tags_.front().first + index);
    tags_.emplace_back(tag, static_cast<std::int32_t>(index));
    mesh_.xyz.push_back(x);
}

void MshBuilder::close_nodes(const MshInput& input) {
    closed_ = true;
    if (consecutive_) {
        return;
    }
    std::ranges::sort(tags_);
    const auto twice = std::ranges::adjacent_find(
        tags_, [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice != tags_.end()) {
        input.fail("node " + std::to_string(twice->first) + " is listed twice");
    }
}

std::int32_t MshBuilder::node(std::int64_t tag, const MshInput& input) const {
    if (consecutive_) {
        // Unsigned: a tag below the first one wraps to a number beyond all.
        const auto at = static_cast<std::uint64_t>(tag) -
                        static_cast<std::uint64_t>(tags_.empty() ? 0 : tags_.front().first);
        if (at < tags_.size()) {
            return static_cast<std::int32_t>(at);
        }
    } else {
        const auto found = std::ranges::lower_bound(tags_, std::pair{tag, std::int32_t{0}});
        if (found != tags_.end() && found->first == tag) {
            return found->second;
        }
    }
    input.fail("an element has node " + std::to_string(tag) + ", which $Nodes does not list");
}

void MshBuilder::add_tet(std::int32_t group, std::span<const std::int32_t> nodes) {
    // Mid-edge nodes 4..9 are those of edges 01, 12, 02, 03, 23, 13: the last two change places.
    static constexpr std::array<std::size_t, 6> kMid = {4, 5, 6, 7, 9, 8};
    constexpr std::array<std::int32_t, 6> kNone = {-1, -1, -1, -1, -1, -1};
    const bool second_order = nodes.size() == 10;
    if (second_order && mesh_.tet_mid.empty()) {
        mesh_.tet_mid.assign(mesh_.tets.size(), kNone);
    }
    mesh_.tets.push_back({nodes[0], nodes[1], nodes[2], nodes[3]});
    mesh_.tet_group.push_back(group);
    if (second_order) {
        std::array<std::int32_t, 6> mid{};
        std::ranges::transform(kMid, mid.begin(), [&](std::size_t k) { return nodes[k]; });
        mesh_.tet_mid.push_back(mid);
    } else if (!mesh_.tet_mid.empty()) {
        mesh_.tet_mid.push_back(kNone);
    }
}

void MshBuilder::add_element(const MshElementType& type, std::span<const std::int32_t> groups,
                             std::span<const std::int64_t> tags, const MshInput& input) {
    if (type.use == Use::Skip) {
        return;
    }
    std::array<std::int32_t, kMostElementNodes> nodes{};
    std::ranges::transform(tags, nodes.begin(), [&](std::int64_t tag) { return node(tag, input); });
    if (type.use == Use::Triangle) {
        for (const std::int32_t group : groups) {
            mesh_.triangles.push_back({nodes[0], nodes[1], nodes[2]});
            mesh_.triangle_group.push_back(group);
        }
        return;
    }
    if (groups.size() > 1) {
        input.fail("a volume belongs to the physical volumes " + std::to_string(groups[0]) +
                   " and " + std::to_string(groups[1]) + ", must belong to one");
    }
    add_tet(groups.empty() ? 0 : groups[0], std::span(nodes).first(tags.size()));
}

void MshBuilder::name_group(int dimension, std::int32_t group, std::string name) {
    names_[dimension][group] = std::move(name);
}

GmshMesh MshBuilder::take(const MshInput& input) {
    if (mesh_.tets.empty()) {
        input.fail("has no tetrahedra");
    }
    const auto name_used = [](const std::vector<std::int32_t>& used,
                              const std::map<std::int32_t, std::string>& names,
                              std::map<std::int32_t, std::string>& result) {
        for (const std::int32_t group : used) {
            if (group != 0 && !result.contains(group)) {
                const auto named = names.find(group);
                result[group] = named != names.end() ? named->second : std::to_string(group);
            }
        }
    };
    name_used(mesh_.tet_group, names_[3], mesh_.volume_names);
    name_used(mesh_.triangle_group, names_[2], mesh_.surface_names);
    return std::move(mesh_);
}

}  // namespace kaname::mesh
