// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/jobs/geometry/generated_fault.hpp"
#include "solvers/jobs/geometry/patch_sources.hpp"

namespace kaname::jobs {

/// A plate interface, one of the surfaces between the job's volumes: a grid of patches on it, or in
/// a scenario what its slip models have.
class InterfaceFaultModel final : public GeneratedFault {
public:
    /// Borrows `spec`, the job's.
    InterfaceFaultModel(const GreensJob& job, const Domain& domain,
                        std::span<const ScenarioModel> models, const InterfaceSpec& spec);

    [[nodiscard]] std::unique_ptr<SourceSet> own_sources() const override;

private:
    [[nodiscard]] SectionFrame section() const;

    const InterfaceSpec& spec_;
    std::unique_ptr<fault::InterfaceFault> surface_;
    PatchGrid grid_;
};

}  // namespace kaname::jobs
