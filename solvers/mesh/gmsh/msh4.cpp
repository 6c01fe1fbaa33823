// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "solvers/mesh/gmsh/msh_versions.hpp"

namespace kaname::mesh {
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
