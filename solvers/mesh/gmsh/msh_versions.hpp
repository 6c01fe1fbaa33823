// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solvers/mesh/gmsh/gmsh_mesh.hpp"
#include "solvers/mesh/gmsh/msh_input.hpp"

namespace kaname::mesh {

/// An element type of Gmsh's list: its number of nodes, and what is done with it.
struct MshElementType {
    enum class Use { Skip, Triangle, Tet, Refuse };
    int nodes = 0;
    Use use = Use::Refuse;
    const char* name = "";
};
/// Fails on a type that is not in the list.
[[nodiscard]] MshElementType element_type(int type, const MshInput& input);

/// Number of a group whatever its orientation; Gmsh marks reversed ones by a negative number.
[[nodiscard]] constexpr std::int32_t group_number(std::int32_t tag) {
    return tag >= 0 ? tag : tag == INT32_MIN ? INT32_MAX : -tag;
}

/// Collects nodes and elements of either version into a GmshMesh.
class MshBuilder {
public:
    void add_node(std::int64_t tag, const Vec3& x, const MshInput& input);
    /// No more nodes: elements may follow. Fails on a tag that stands twice.
    void close_nodes(const MshInput& input);
    [[nodiscard]] bool has_nodes() const { return closed_; }

    /// An element by its node tags. Surfaces may be in any number of groups, volumes in one.
    void add_element(const MshElementType& type, std::span<const std::int32_t> groups,
                     std::span<const std::int64_t> tags, const MshInput& input);
    void name_group(int dimension, std::int32_t group, std::string name);

    /// Fails when there is no tet.
    [[nodiscard]] GmshMesh take(const MshInput& input);

private:
    [[nodiscard]] std::int32_t node(std::int64_t tag, const MshInput& input) const;
    void add_tet(std::int32_t group, std::span<const std::int32_t> nodes);

    GmshMesh mesh_;
    std::vector<std::pair<std::int64_t, std::int32_t>> tags_;  ///< (tag, node), sorted if needed
    std::map<std::int32_t, std::string> names_[4];             ///< group names by dimension
    bool closed_ = false;
    bool consecutive_ = true;  ///< the tags are first, first + 1, ...
};

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
