// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "solvers/earth/projection.hpp"
#include "solvers/fault/fault_slip.hpp"
#include "solvers/fault/slip_table.hpp"
#include "solvers/fault/table_slip.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/geometry/sources/source_set.hpp"

namespace kaname::jobs {

/// Slip from tables on the faults of a mesh file.
class TableSources final : public SourceSet {
public:
    /// Borrows all. `mesh_file`: the job's.
    TableSources(const GreensJob& job, const Domain& domain, const MeshFileFaults& mesh_file)
        : job_(job), domain_(domain), mesh_file_(mesh_file) {}

    [[nodiscard]] std::vector<std::string> ids() const override;
    [[nodiscard]] std::string content_key(const std::string& id) const override;
    /// Empty: places are known only with the mesh.
    [[nodiscard]] std::vector<Vec3> centres() const override { return {}; }
    [[nodiscard]] bool any_place(const PlaceTest& /*test*/) const override { return false; }
    [[nodiscard]] std::unique_ptr<SlipOnMesh> on(const MeshedFault& fault) const override;

private:
    const GreensJob& job_;
    const Domain& domain_;
    const MeshFileFaults& mesh_file_;
};

/// Slip from tables at the nodes of a mesh file's faults. Where one goes on as another, the surface
/// that stands first in the request decides.
class TablesOnMesh final : public SlipOnMesh {
public:
    /// All is borrowed. Throws InvalidArgument when the mesh lacks one of the faults.
    TablesOnMesh(const GreensJob& job, const Domain& domain, const MeshFileFaults& mesh_file,
                 const MeshedFault& fault);

    /// Throws Error naming source, table and coordinates: as read_slip_table, slip_of_table, and
    /// where a buried rim would slip.
    [[nodiscard]] std::vector<Vec3> slip_of(const std::string& id) const override;
    [[nodiscard]] io::GreensDataset::Source row(const std::string& id) override;
    /// FaultSlip::neighbours.
    void find_neighbours(std::span<io::GreensDataset::Source> rows) const override;
    [[nodiscard]] Taken taken(const std::string& id) const override;
    /// Nodes out of its tables' reach, opening.
    [[nodiscard]] std::vector<std::string> notes(const std::string& id) const override;

private:
    struct Slip {
        std::map<fault::FaultNode, Vec3> at;
        std::vector<std::string> notes;
    };
    [[nodiscard]] const SlipSource& source_of(const std::string& id) const;
    [[nodiscard]] Slip slip_at_nodes(const SlipSource& source) const;

    const Domain& domain_;
    const MeshFileFaults& mesh_file_;
    MeshedFault fault_;
    fault::FaultSlip fault_slip_;
    std::map<std::string, std::int32_t> faults_;       ///< index of each surface
    std::vector<fault::FaultNodeSet> fault_nodes_;     ///< [faults]
    std::vector<fault::FaultSlip::Support> supports_;  ///< where the slip of each row made is
};

/// A vector (true east, true north, up) in the grid's axes; `convergence` [rad] of the place.
[[nodiscard]] Vec3 to_grid(const Vec3& v, double convergence);

/// The slip table of a file with places and vectors in the model frame. Throws ValidationError
/// naming `field` when it has longitudes and the model no projection, and as read_slip_table.
[[nodiscard]] fault::SlipTable slip_table_in_model(
    const std::string& path, const std::string& field,
    const std::optional<earth::Projection>& projection);

}  // namespace kaname::jobs
