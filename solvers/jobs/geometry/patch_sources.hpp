// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solvers/fault/fault_surface.hpp"
#include "solvers/fault/unit_source.hpp"
#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/source_set.hpp"

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

}  // namespace kaname::jobs
