// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solvers/fault/fault_slip.hpp"
#include "solvers/fault/fault_surface.hpp"
#include "solvers/fault/unit_source.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/geometry/sources/source_set.hpp"

namespace kaname::jobs {

/// The patches of one fault with the sources on them, and what they have to keep to.
struct PatchGrid {
    std::string fault;       ///< its name where there are several
    std::int32_t index = 0;  ///< into TetMesh::faults
    const fault::FaultSurface* surface = nullptr;
    std::vector<fault::Patch> patches;       ///< in the order of the job's
    std::vector<fault::UnitSource> sources;  ///< in the order of the dataset
    std::string field;                       ///< for messages
    /// Returns why a place under the ground does not belong to the fault; empty where it does.
    std::function<std::string(const Vec3& x)> lacks = [](const Vec3&) { return std::string(); };
};

/// The job's sources of unit slip on the patches of its faults, fault by fault.
class PatchSources final : public SourceSet {
public:
    /// Borrows job, domain and the faults' surfaces.
    PatchSources(const GreensJob& job, const Domain& domain, std::vector<PatchGrid> faults)
        : job_(job), domain_(domain), faults_(std::move(faults)) {}

    [[nodiscard]] std::vector<std::string> ids() const override;
    [[nodiscard]] bool unit_slip() const override { return true; }
    [[nodiscard]] std::vector<Vec3> centres() const override;
    [[nodiscard]] std::vector<Vec3> edges(double spacing_m) const override;
    [[nodiscard]] bool any_place(const PlaceTest& test) const override;
    void check(std::vector<Violation>& violations) const override;
    [[nodiscard]] std::vector<std::string> warnings() const override;
    [[nodiscard]] std::unique_ptr<SlipOnMesh> on(const MeshedFault& fault) const override;

    [[nodiscard]] const std::vector<PatchGrid>& faults() const { return faults_; }

private:
    void check_places(const PatchGrid& grid, std::vector<Violation>& violations) const;
    void check_ground(const PatchGrid& grid, std::vector<Violation>& violations) const;

    const GreensJob& job_;
    const Domain& domain_;
    std::vector<PatchGrid> faults_;
};

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
