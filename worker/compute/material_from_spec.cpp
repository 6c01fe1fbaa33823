// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/material_from_spec.hpp"

#include "solvers/base/error.hpp"

namespace kaname::compute {

earth::ViscosityRange range_of(const v1::ViscosityRange& range) {
    return {range.from(), range.to()};
}

earth::Material material_of(const v1::Material& material, const std::string& field) {
    earth::Material result;
    result.name = material.name();
    result.density_kg_m3 = material.density_kg_per_m3();
    if (material.has_viscosity_pa_s()) {
        result.viscosity_pa_s = material.viscosity_pa_s();
    }
    if (material.has_viscosity_range_pa_s()) {
        result.viscosity_range = range_of(material.viscosity_range_pa_s());
    }
    if (material.has_kelvin_viscosity_range_pa_s()) {
        result.kelvin_viscosity_range = range_of(material.kelvin_viscosity_range_pa_s());
    }
    result.viscosity_group = material.viscosity_group();
    if (material.has_relaxed_mu_pa()) {
        result.relaxed_mu_pa = material.relaxed_mu_pa();
    }
    if (material.has_kelvin_mu_pa() && material.has_kelvin_viscosity_pa_s()) {
        result.kelvin_mu_pa = material.kelvin_mu_pa();
        result.kelvin_viscosity_pa_s = material.kelvin_viscosity_pa_s();
    }
    if (material.has_lambda_pa() && material.has_mu_pa()) {
        result.lambda_pa = material.lambda_pa();
        result.mu_pa = material.mu_pa();
        return result;
    }
    if (!material.has_vp_m_per_s() || !material.has_vs_m_per_s() ||
        !material.has_density_kg_per_m3()) {
        throw ValidationError(std::vector<Violation>{
            {field, "must give lambda_pa and mu_pa, or vp, vs and density"}});
    }
    const double vp2 = material.vp_m_per_s() * material.vp_m_per_s();
    const double vs2 = material.vs_m_per_s() * material.vs_m_per_s();
    result.mu_pa = material.density_kg_per_m3() * vs2;
    result.lambda_pa = material.density_kg_per_m3() * (vp2 - 2.0 * vs2);
    return result;
}

}  // namespace kaname::compute
