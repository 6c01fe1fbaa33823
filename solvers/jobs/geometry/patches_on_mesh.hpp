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
/// are found once for all sources. Of several faults all but the source's are at rest, but where
/// it goes on as another: slip that ends there falls off on both.
class PatchesOnMesh final : public SlipOnMesh {
public:
    /// Borrows all arguments.
    PatchesOnMesh(const PatchSources& patches, const GreensJob& job, const Domain& domain,
                  const MeshedFault& fault);

    /// Throws also InvalidArgument as UnitSource::in_surface.
    [[nodiscard]] std::vector<Vec3> slip_of(const std::string& id) const override;
    [[nodiscard]] io::GreensDataset::Source row(const std::string& id) override;
    /// Finds the rows beside a patch in its fault's grid with the same component: {against strike,
    /// along strike, up dip, down dip}, -1 where there is none.
    void find_neighbours(std::span<io::GreensDataset::Source> rows) const override;
    [[nodiscard]] Taken taken(const std::string& id) const override;

private:
    /// One of the faults.
    struct Grid {
        const PatchGrid& patches;
        std::vector<fault::FaultTriangle> triangles;
        /// [triangles] coordinates of a triangle's nodes.
        std::vector<std::array<fault::FaultCoordinates, 6>> coordinates;
        std::vector<Vec3> normal;  ///< [split] of the surface asked for; the mesh's on other faults
        std::vector<std::pair<std::int32_t, fault::FaultCoordinates>> rim;  ///< buried nodes of it
    };
    struct Place {
        const Grid& grid;
        const fault::UnitSource& source;
    };
    PatchesOnMesh(const PatchSources& patches, const GreensJob& job, const Domain& domain,
                  const MeshedFault& fault, const std::vector<fault::FaultTriangle>& triangles);
    /// Finds the patches' fault among the triangles of all.
    [[nodiscard]] Grid grid_on(const PatchGrid& patches,
                               const std::vector<fault::FaultTriangle>& triangles) const;
    [[nodiscard]] Place find(const std::string& id) const;
    /// How much one patch slips at every split node [split.split.size()] m. Throws InvalidArgument
    /// where it would slip at the buried rim by more than 1e-9.
    [[nodiscard]] std::vector<double> amount(const Place& of) const;

    const Domain& domain_;
    MeshedFault fault_;
    fault::SlipProjection projection_;  ///< on all faults
    fault::FaultSlip fault_slip_;
    std::vector<Grid> grids_;
    io::GreensDataset::Source last_;  ///< the latest row: components of a patch follow each other
};

}  // namespace kaname::jobs
