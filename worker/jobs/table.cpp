// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/table.hpp"

#include "worker/jobs/greens/viscoelastic_stages.hpp"
#include "worker/jobs/scenario/scenario_stages.hpp"

namespace kaname::jobs {

const Stages& stages_of(const GreensJob& job) {
    static const ViscoelasticStages greens;
    static const ScenarioStages scenario;
    if (job.scenario) {
        return scenario;
    }
    return greens;
}

}  // namespace kaname::jobs
