// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/source_set.hpp"

namespace kaname::jobs {

/// Slip from tables on the faults of a mesh file.
class TableSources final : public SourceSet {
public:
    /// Borrows all. `spec`: the job's.
    TableSources(const GreensJob& job, const Domain& domain, const MeshFileSpec& spec)
        : job_(job), domain_(domain), spec_(spec) {}

    [[nodiscard]] std::vector<std::string> ids() const override;
    [[nodiscard]] std::string content_key(const std::string& id) const override;
    /// Empty: places are known only with the mesh.
    [[nodiscard]] std::vector<Vec3> centres() const override { return {}; }
    [[nodiscard]] bool any_place(const PlaceTest& /*test*/) const override { return false; }
    [[nodiscard]] std::unique_ptr<SlipOnMesh> on(const MeshedFault& fault) const override;

private:
    const GreensJob& job_;
    const Domain& domain_;
    const MeshFileSpec& spec_;
};

}  // namespace kaname::jobs
