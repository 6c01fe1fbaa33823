// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/earth/interface_surface.hpp"
#include "solvers/jobs/geometry/generated_fault.hpp"
#include "solvers/jobs/geometry/patch_sources.hpp"

namespace kaname::jobs {

/// A plate interface: a grid of patches on it, or in a scenario what its slip models have. Meshed
/// as part of a structure of volumes, one of whose surfaces it is, or by columns between layers.
class InterfaceFaultModel final : public GeneratedFault {
public:
    /// Borrows `spec`, the job's. Throws as earth::read_gridded_surface.
    InterfaceFaultModel(const GreensJob& job, const Domain& domain,
                        std::span<const ScenarioModel> models, const InterfaceSpec& spec);

    [[nodiscard]] std::unique_ptr<SourceSet> own_sources() const override;
    [[nodiscard]] const earth::Material& rock(const Vec3& x) const override;
    [[nodiscard]] std::vector<std::string> warnings() const override;

private:
    [[nodiscard]] SectionFrame section() const;
    [[nodiscard]] PatchGrid patches() const;
    [[nodiscard]] std::string lacks(const Vec3& x) const;

    const InterfaceSpec& spec_;
    std::unique_ptr<earth::InterfaceSurface> data_;  ///< between layers
    std::unique_ptr<fault::InterfaceFault> surface_;
    PatchGrid grid_;
};

}  // namespace kaname::jobs
