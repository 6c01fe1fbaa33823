// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "solvers/mesh/gmsh/msh_builder.hpp"
#include "solvers/mesh/gmsh/msh_input.hpp"

namespace kaname::mesh {

/// Bytes of an integer in a binary file, in both versions.
inline constexpr std::size_t kIntBytes = 4;

/// The sections of one version of the format that hold the mesh.
class MshVersion {
public:
    virtual ~MshVersion() = default;
    /// Reads the section that `input` has just come to; false where it is none of the mesh.
    virtual bool read(const std::string& section, MshInput& input, MshBuilder& builder) = 0;
};

/// MSH 2.2: elements carry their physical group themselves.
class Msh2 final : public MshVersion {
public:
    bool read(const std::string& section, MshInput& input, MshBuilder& builder) override;

private:
    static void read_nodes(MshInput& input, MshBuilder& builder);
    static void read_elements(MshInput& input, MshBuilder& builder);
};

/// MSH 4.1: elements belong to geometric entities, entities to physical groups.
class Msh4 final : public MshVersion {
public:
    bool read(const std::string& section, MshInput& input, MshBuilder& builder) override;

private:
    void read_entities(MshInput& input);
    static void read_nodes(MshInput& input, MshBuilder& builder);
    void read_elements(MshInput& input, MshBuilder& builder) const;

    /// Physical groups by dimension and tag of the entity.
    std::map<std::pair<int, std::int32_t>, std::vector<std::int32_t>> groups_;
};

}  // namespace kaname::mesh
