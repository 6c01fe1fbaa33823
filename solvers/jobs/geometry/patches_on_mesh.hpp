// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "solvers/fault/fault_slip.hpp"
#include "solvers/fault/slip_projection.hpp"
#include "solvers/jobs/geometry/patch_sources.hpp"

namespace kaname::jobs {

/// Slip of unit sources at the nodes of the fault: the projection of the patch's shape. On an
/// interface each node takes a walk down its section (hundreds of depths), so its fault coordinates
/// are found once for all sources. Of several faults the others are at rest, but where one goes on
/// as another: slip that ends there falls off on both.
class PatchesOnMesh final : public SlipOnMesh {
public:
    /// Borrows all arguments.
    PatchesOnMesh(const PatchSources& patches, const GreensJob& job, const Domain& domain,
                  const MeshedFault& fault);

    /// Throws also InvalidArgument as UnitSource::in_surface.
    [[nodiscard]] std::vector<Vec3> slip_of(const std::string& id) const override;
    [[nodiscard]] io::GreensDataset::Source row(const std::string& id) override;
    /// Finds the rows beside a patch in the grid with the same component: {against strike, along
    /// strike, up dip, down dip}, -1 where there is none.
    void find_neighbours(std::span<io::GreensDataset::Source> rows) const override;
    [[nodiscard]] Taken taken(const std::string& id) const override;

    /// How much one patch slips at every split node [split.split.size()] m. Throws InvalidArgument
    /// where it would slip at the buried rim by more than 1e-9.
    [[nodiscard]] std::vector<double> amount(const fault::Patch& patch) const;

private:
    [[nodiscard]] const fault::UnitSource& source(const std::string& id) const;

    const PatchSources& patches_;
    const Domain& domain_;
    MeshedFault fault_;
    std::vector<fault::FaultTriangle> triangles_;  ///< of this fault
    fault::SlipProjection projection_;             ///< on all faults
    fault::FaultSlip fault_slip_;
    /// [triangles] coordinates of a triangle's nodes.
    std::vector<std::array<fault::FaultCoordinates, 6>> coordinates_;
    std::vector<Vec3> normal_;  ///< [split] of the surface asked for; the mesh's on other faults
    std::vector<std::pair<std::int32_t, fault::FaultCoordinates>> rim_;  ///< its buried rim's nodes
    io::GreensDataset::Source last_;  ///< the latest row: components of a patch follow each other
};

}  // namespace kaname::jobs
