// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/wave_setup.hpp"

#include <cmath>

namespace kaname::aderdg {

double Solid::vp_m_per_s() const {
    return std::sqrt((lambda_pa + 2.0 * mu_pa) / density_kg_m3);
}

double Solid::vs_m_per_s() const {
    return std::sqrt(mu_pa / density_kg_m3);
}

}  // namespace kaname::aderdg
