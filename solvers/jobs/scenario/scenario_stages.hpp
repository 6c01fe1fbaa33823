// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/jobs/greens/viscoelastic_stages.hpp"

namespace kaname::jobs {

/// Events whose motion is added up: solved as Green's functions of their slip models, packaged as
/// what happens, with the volume while it does.
class ScenarioStages final : public ViscoelasticStages {
public:
    [[nodiscard]] std::unique_ptr<StepRecorder> recorder(const PackContext& context) const override;

protected:
    void pack_sources(Packing& packing, bool only_these) const override;
};

}  // namespace kaname::jobs
