// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/gmsh/msh_versions.hpp"

#include <algorithm>
#include <array>
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

namespace {

constexpr std::size_t kNodeBytes = 28;

/// Tags and nodes of one element, whose number has been read.
void read_element(const MshElementType& type, std::int32_t n_tags, MshInput& input,
                  MshBuilder& builder, std::vector<std::int64_t>& nodes) {
    std::int32_t group = 0;
    for (std::int32_t tag = 0; tag < n_tags; ++tag) {
        const std::int32_t value = input.int32("tag of an element");
        if (tag == 0) {
            group = group_number(value);
        }
    }
    nodes.clear();
    for (int k = 0; k < type.nodes; ++k) {
        nodes.push_back(input.int32("node of an element"));
    }
    builder.add_element(type, std::span(&group, group == 0 ? 0 : 1), nodes, input);
}

}  // namespace

bool Msh2::read(const std::string& section, MshInput& input, MshBuilder& builder) {
    if (section == "Nodes") {
        read_nodes(input, builder);
    } else if (section == "Elements") {
        read_elements(input, builder);
    } else {
        return false;
    }
    return true;
}

void Msh2::read_nodes(MshInput& input, MshBuilder& builder) {
    const std::int64_t n_nodes = input.text_integer("number of nodes");
    if (input.binary()) {
        input.line();
    }
    input.check_count(n_nodes, "number of nodes", kNodeBytes);
    for (std::int64_t k = 0; k < n_nodes; ++k) {
        const std::int32_t tag = input.int32("number of a node");
        Vec3 x;
        for (int comp = 0; comp < 3; ++comp) {
            x[comp] = input.number("coordinate");
        }
        builder.add_node(tag, x, input);
    }
    builder.close_nodes(input);
}

void Msh2::read_elements(MshInput& input, MshBuilder& builder) {
    const std::int64_t n_elements = input.text_integer("number of elements");
    if (input.binary()) {
        input.line();
    }
    input.check_count(n_elements, "number of elements", 2 * kIntBytes);
    std::vector<std::int64_t> nodes;
    for (std::int64_t done = 0; done < n_elements;) {
        // In binary a header serves a run of elements, in text each has its own.
        std::int64_t run = 1;
        if (!input.binary()) {
            input.int32("number of an element");
        }
        const MshElementType type = element_type(input.int32("type of an element"), input);
        if (input.binary()) {
            run = input.int32("number of elements in a run");
        }
        const std::int32_t n_tags = input.int32("number of tags");
        input.check_count(n_tags, "number of tags", kIntBytes);
        if (run < 1 || run > n_elements - done) {
            input.fail("a run of " + std::to_string(run) + " elements, but " +
                       std::to_string(n_elements - done) + " are left");
        }
        for (std::int64_t k = 0; k < run; ++k) {
            if (input.binary()) {
                input.int32("number of an element");
            }
            read_element(type, n_tags, input, builder, nodes);
        }
        done += run;
    }
}

namespace {

constexpr std::size_t kSizeBytes = 8;

std::int32_t dimension(MshInput& input) {
    const std::int32_t dim = input.int32("dimension of an entity");
    if (dim < 0 || dim > 3) {
        input.fail("dimension of an entity must be in 0..3, got " + std::to_string(dim));
    }
    return dim;
}

}  // namespace

bool Msh4::read(const std::string& section, MshInput& input, MshBuilder& builder) {
    if (section == "Entities") {
        read_entities(input);
    } else if (section == "Nodes") {
        read_nodes(input, builder);
    } else if (section == "Elements") {
        read_elements(input, builder);
    } else if (section == "PartitionedEntities") {
        input.fail("partitioned meshes are not read: save the mesh as one");
    } else {
        return false;
    }
    return true;
}

void Msh4::read_entities(MshInput& input) {
    std::array<std::int64_t, 4> n_entities{};
    for (std::int64_t& count : n_entities) {
        count = input.count("number of entities", kIntBytes + kSizeBytes);
    }
    for (int dim = 0; dim <= 3; ++dim) {
        for (std::int64_t k = 0; k < n_entities[dim]; ++k) {
            const std::int32_t tag = input.int32("tag of an entity");
            // A point's place, or the corners of a bounding box.
            for (int value = 0; value < (dim == 0 ? 3 : 6); ++value) {
                input.number("coordinate of an entity");
            }
            const std::int64_t n_groups = input.count("number of physical groups", kIntBytes);
            std::vector<std::int32_t>& groups = groups_[{dim, tag}];
            groups.clear();
            for (std::int64_t group = 0; group < n_groups; ++group) {
                groups.push_back(group_number(input.int32("physical group")));
            }
            if (dim > 0) {
                const std::int64_t n_bounds = input.count("number of bounds", kIntBytes);
                for (std::int64_t bound = 0; bound < n_bounds; ++bound) {
                    input.int32("bound of an entity");
                }
            }
        }
    }
}

void Msh4::read_nodes(MshInput& input, MshBuilder& builder) {
    const std::int64_t n_blocks = input.count("number of node blocks", 3 * kIntBytes + kSizeBytes);
    const std::int64_t n_nodes = input.count("number of nodes", 4 * kSizeBytes);
    input.size("smallest node");
    input.size("largest node");
    std::int64_t done = 0;
    std::vector<std::int64_t> tags;
    for (std::int64_t block = 0; block < n_blocks; ++block) {
        const std::int32_t dim = dimension(input);
        input.int32("tag of an entity");
        const std::int32_t parametric = input.int32("parametric");
        if (parametric != 0 && parametric != 1) {
            input.fail("parametric must be 0 or 1, got " + std::to_string(parametric));
        }
        const std::int64_t count = input.count("number of nodes in a block", 4 * kSizeBytes);
        tags.clear();
        for (std::int64_t k = 0; k < count; ++k) {
            tags.push_back(input.size("tag of a node"));
        }
        for (const std::int64_t tag : tags) {
            Vec3 x;
            for (int comp = 0; comp < 3; ++comp) {
                x[comp] = input.number("coordinate");
            }
            for (int k = 0; k < parametric * dim; ++k) {
                input.number("parametric coordinate");
            }
            builder.add_node(tag, x, input);
        }
        done += count;
    }
    if (done != n_nodes) {
        input.fail("the blocks hold " + std::to_string(done) + " nodes, must hold " +
                   std::to_string(n_nodes));
    }
    builder.close_nodes(input);
}

void Msh4::read_elements(MshInput& input, MshBuilder& builder) const {
    const std::int64_t n_blocks =
        input.count("number of element blocks", 3 * kIntBytes + kSizeBytes);
    const std::int64_t n_elements = input.count("number of elements", 2 * kSizeBytes);
    input.size("smallest element");
    input.size("largest element");
    std::int64_t done = 0;
    std::vector<std::int64_t> nodes;
    for (std::int64_t block = 0; block < n_blocks; ++block) {
        const std::int32_t dim = dimension(input);
        const std::int32_t entity = input.int32("tag of an entity");
        const MshElementType type = element_type(input.int32("type of elements"), input);
        const std::int64_t count = input.count("number of elements in a block", 2 * kSizeBytes);
        const auto found = groups_.find({dim, entity});
        for (std::int64_t k = 0; k < count; ++k) {
            input.size("tag of an element");
            nodes.clear();
            for (int node = 0; node < type.nodes; ++node) {
                nodes.push_back(input.size("node of an element"));
            }
            builder.add_element(
                type,
                found == groups_.end() ? std::span<const std::int32_t>() : std::span(found->second),
                nodes, input);
        }
        done += count;
    }
    if (done != n_elements) {
        input.fail("the blocks hold " + std::to_string(done) + " elements, must hold " +
                   std::to_string(n_elements));
    }
}

}  // namespace kaname::mesh
