// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/jobs/geometry/fault_patches.hpp"
#include "solvers/jobs/geometry/generated_fault.hpp"

namespace kaname::jobs {

/// Faults in one mesh of volumes, which may touch, branch and cross: as specified, each with its
/// patches or, in a scenario, with the slip that lies nearest to it; or the planes of the slip
/// models.
class SeveralFaultsModel final : public GeneratedFault {
public:
    /// Borrows `spec`, the job's. Throws ValidationError in a scenario for an interface without
    /// slip on it.
    SeveralFaultsModel(const GreensJob& job, const Domain& domain,
                       std::span<const ScenarioModel> models, const SeveralFaultsSpec& spec);
    SeveralFaultsModel(const GreensJob& job, const Domain& domain,
                       std::span<const ScenarioModel> models, const PlanesOfModels& planes);

    [[nodiscard]] std::unique_ptr<SourceSet> own_sources() const override;

private:
    /// One of the faults, while the mesh is asked for.
    struct One {
        std::string name, field;
        std::unique_ptr<fault::FaultSurface> surface = nullptr;
        std::optional<PlaneOutline> plane = std::nullopt;  ///< outline of a plane, or else:
        const InterfaceSpec* interface = nullptr;          ///< a surface of the model
        /// Without a scenario: its patches, and the job's.
        std::optional<PatchesInVolumes> patches = std::nullopt;
        const PatchGridSpec* of_job = nullptr;
    };
    void find_faults(const SeveralFaultsSpec& spec);
    [[nodiscard]] One plane(std::string name, std::string field, const PlaneOutline& outline) const;
    void find_segments(const std::vector<std::vector<int>>& given = {});
    void request();
    [[nodiscard]] RequestedFault request_plane_of(const One& fault) const;
    [[nodiscard]] RequestedFault request_interface_with_slip(const One& fault, int index) const;

    std::vector<One> faults_;
};

}  // namespace kaname::jobs
