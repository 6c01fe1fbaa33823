// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/jobs/geometry/generated_fault.hpp"
#include "solvers/jobs/geometry/patch_sources.hpp"

namespace kaname::jobs {

/// A rectangle of 1..90 degrees dip: one uniform patch, or a grid of hats between its edges; in a
/// scenario what its slip models have on it.
class PlaneFaultModel final : public GeneratedFault {
public:
    PlaneFaultModel(const GreensJob& job, const Domain& domain,
                    std::span<const ScenarioModel> models, const PlaneOutline& plane);

    [[nodiscard]] std::unique_ptr<SourceSet> own_sources() const override;

private:
    fault::PlaneFault surface_;
    PatchGrid grid_;
};

/// In the model frame. Throws ValidationError (field) where the middle of the upper edge lies
/// outside of the region.
[[nodiscard]] PlaneOutline outline_of(const Domain& domain, const PlaneSpec& spec,
                                      const std::string& field);

}  // namespace kaname::jobs
