// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "solvers/mesh/gmsh/msh_versions.hpp"

namespace kaname::mesh {
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

}  // namespace kaname::mesh
