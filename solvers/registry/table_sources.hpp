// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "solvers/fem/dof_map.hpp"
#include "solvers/registry/setup.hpp"
#include "solvers/sources/split_nodes.hpp"
#include "solvers/sources/table_slip.hpp"

namespace kaname::registry {

/// The sources of a job with a mesh file: slip from tables on the faults of the mesh. Where one
/// goes on as another, the surface that stands first in the specification decides.
class TableSources {
public:
    /// All but the job is borrowed. Throws InvalidArgument when the mesh lacks one of the faults.
    TableSources(const GreensJob& job, const Setup& setup, const mesh::TetMesh& mesh,
                 const fem::DofMap& dofs, const sources::SplitNodes& split);

    /// Slip of a source at every split node [split.split.size()]. Throws Error naming source,
    /// table and coordinates: as read_slip_table, slip_of_table, and where a buried rim would slip.
    [[nodiscard]] std::vector<Vec3> slip_of(const std::string& source_id) const;
    /// What a user should know about a source: nodes out of its tables' reach, opening.
    [[nodiscard]] std::vector<std::string> notes(const std::string& source_id) const;

private:
    struct Slip {
        std::map<sources::FaultNode, Vec3> at;
        std::vector<std::string> notes;
    };
    [[nodiscard]] const SlipSourceSpec& spec_of(const std::string& source_id) const;
    [[nodiscard]] Slip slip_at_nodes(const SlipSourceSpec& source) const;

    const MeshFileSpec& spec_;
    const Setup& setup_;
    const mesh::TetMesh& mesh_;
    const fem::DofMap& dofs_;
    const sources::SplitNodes& split_;
    std::map<std::string, std::int32_t> faults_;      ///< index of each surface
    std::vector<sources::FaultNodeSet> fault_nodes_;  ///< [faults]
};

}  // namespace kaname::registry
