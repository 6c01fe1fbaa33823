// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/jobs/geometry/fault_in_volumes.hpp"
#include "solvers/jobs/geometry/generated_fault.hpp"

namespace kaname::jobs {

/// Faults of a scenario in one mesh of volumes, which may touch, branch and cross: as specified, or
/// the planes of its slip models.
class SeveralFaultsModel final : public GeneratedFault {
public:
    /// Borrows `spec`, the job's. Throws ValidationError where the structure has no volumes, and
    /// for an interface without slip on it.
    SeveralFaultsModel(const GreensJob& job, const Domain& domain,
                       std::span<const ScenarioModel> models, const SeveralFaultsSpec& spec);
    SeveralFaultsModel(const GreensJob& job, const Domain& domain,
                       std::span<const ScenarioModel> models, const PlanesOfModels& planes);

    /// None: the scenario's models slip.
    [[nodiscard]] std::unique_ptr<SourceSet> own_sources() const override;

private:
    /// One of the faults, while the mesh is asked for.
    struct One {
        std::string name, field;
        std::unique_ptr<fault::FaultSurface> surface;
        std::optional<PlaneOutline> plane;  ///< outline of a plane, or else:
        std::string interface_of;           ///< name of the model's surface that the fault is
    };
    [[nodiscard]] One plane(std::string name, std::string field, const PlaneOutline& outline) const;
    void find_segments(const std::vector<One>& faults,
                       const std::vector<std::vector<int>>& given = {});
    void request(const std::vector<One>& faults);
    [[nodiscard]] RequestedFault request_interface_with_slip(const One& fault, int index) const;
};

}  // namespace kaname::jobs
