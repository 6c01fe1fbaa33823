// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/fault/fault_surface.hpp"
#include "solvers/fault/unit_source.hpp"
#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/source_set.hpp"

namespace kaname::jobs {

/// The patches of one fault, and what they have to keep to.
struct PatchGrid {
    std::string fault;                  ///< its name where there are several
    std::int32_t index = 0;             ///< into TetMesh::faults
    std::vector<fault::Patch> patches;  ///< in the order of the job's
    std::string field;                  ///< for messages
    /// What a place under the ground lacks to be one of the fault's; empty: nothing.
    std::function<std::string(const Vec3& x)> lacks = [](const Vec3&) { return std::string(); };
};

/// The job's sources of unit slip on the patches of one fault.
class PatchSources final : public SourceSet {
public:
    /// `of_job`: what of the job's patches is on this fault. Borrows job, domain and surface.
    PatchSources(const GreensJob& job, const Domain& domain, const fault::FaultSurface& surface,
                 PatchGrid grid, const PatchGridSpec& of_job);

    [[nodiscard]] std::vector<std::string> ids() const override;
    [[nodiscard]] bool unit_slip() const override { return true; }
    [[nodiscard]] std::vector<Vec3> centres() const override;
    [[nodiscard]] bool any_place(const PlaceTest& test) const override;
    void check(std::vector<Violation>& violations) const override;
    [[nodiscard]] std::vector<std::string> warnings() const override;
    [[nodiscard]] std::unique_ptr<SlipOnMesh> on(const MeshedFault& fault) const override;

    [[nodiscard]] const std::vector<fault::UnitSource>& sources() const { return sources_; }
    [[nodiscard]] const fault::FaultSurface& surface() const { return surface_; }
    [[nodiscard]] const PatchGrid& grid() const { return grid_; }

private:
    struct SmallPatch {
        std::string id;
        double side_m;  ///< the shorter side of where it slips
    };
    [[nodiscard]] std::optional<SmallPatch> smallest() const;
    void check_places(std::vector<Violation>& violations) const;
    void check_ground(std::vector<Violation>& violations) const;

    const GreensJob& job_;
    const Domain& domain_;
    const fault::FaultSurface& surface_;
    PatchGrid grid_;
    std::vector<fault::UnitSource> sources_;
};

}  // namespace kaname::jobs
