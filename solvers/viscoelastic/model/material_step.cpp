// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/material_step.hpp"

#include "solvers/viscoelastic/model/relaxation.hpp"

namespace kaname::viscoelastic {

MaterialStep material_step(const earth::Material& material, double dt_s, double alpha) {
    MaterialStep step;
    if (n_branches(material) == 1) {
        const double z =
            material.viscosity_pa_s ? dt_s * material.mu_pa / *material.viscosity_pa_s : 0.0;
        step.share = 1.0 / (1.0 + alpha * z);
        step.relax = z / (1.0 + alpha * z);
        return step;
    }
    const Relaxation relaxation = relaxation_of(material);
    const Relaxation::Branch& first = relaxation.branches[0];
    const Relaxation::Branch& second = relaxation.branches[1];
    const double z = dt_s * first.rate_per_s;
    const double second_z = dt_s * second.rate_per_s;
    step.relax = z / (1.0 + alpha * z);
    step.second_relax = second_z / (1.0 + alpha * second_z);
    step.second_share = second.share / (1.0 + alpha * second_z);
    step.share = first.share / (1.0 + alpha * z) + step.second_share;
    return step;
}

MaterialStep bulk_step(const earth::Material& material, double dt_s, double alpha) {
    return material_step(material, dt_s / kBulkSlowness, alpha);  // only rates times dt count
}

}  // namespace kaname::viscoelastic
