// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/fault_model.hpp"
#include "solvers/jobs/geometry/scenario_models.hpp"
#include "solvers/jobs/geometry/source_set.hpp"

namespace kaname::jobs {

/// A scenario's slip models.
class ModelSources final : public SourceSet {
public:
    /// Borrows all; `models` of the job's scenario, in its order.
    ModelSources(const GreensJob& job, const Domain& domain, std::span<const ScenarioModel> models,
                 const FaultModel& fault)
        : job_(job), domain_(domain), models_(models), fault_(fault) {}

    [[nodiscard]] std::vector<std::string> ids() const override;
    [[nodiscard]] std::string content_key(const std::string& id) const override;
    [[nodiscard]] std::vector<Vec3> centres() const override;
    [[nodiscard]] bool any_place(const PlaceTest& test) const override;
    void check(std::vector<Violation>& violations) const override;
    [[nodiscard]] std::vector<std::string> warnings() const override;
    /// Notes on the scenario's events.
    [[nodiscard]] std::vector<std::string> notes() const override;
    [[nodiscard]] std::unique_ptr<SlipOnMesh> on(const MeshedFault& fault) const override;

private:
    const GreensJob& job_;
    const Domain& domain_;
    std::span<const ScenarioModel> models_;
    const FaultModel& fault_;
};

}  // namespace kaname::jobs
