// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "worker/jobs/ader_dg/seismic_mesh.hpp"

namespace kaname::test {

inline earth::Material rock(const std::string& name, double vp_m_per_s, double vs_m_per_s,
                            double density_kg_m3) {
    earth::Material material;
    material.name = name;
    material.mu_pa = density_kg_m3 * vs_m_per_s * vs_m_per_s;
    material.lambda_pa = density_kg_m3 * vp_m_per_s * vp_m_per_s - 2.0 * material.mu_pa;
    material.density_kg_m3 = density_kg_m3;
    return material;
}

/// A layer over a half-space (LOH.1 of Day and others 2001, PEER report 2001/01) in a box of
/// `size_m` x `size_m` x `depth_m`.
inline jobs::SeismicMeshRequest loh1_box(double size_m, double depth_m, double frequency_hz) {
    jobs::LayeredBox box{size_m, size_m, depth_m, {}};
    box.layers.materials = {rock("layer", 4000.0, 2000.0, 2600.0),
                            rock("half-space", 6000.0, 3464.0, 2700.0)};
    box.layers.layers = {{0, 1000.0}, {1, std::nullopt}};
    jobs::SeismicMeshRequest request;
    request.model = box;
    request.max_frequency_hz = frequency_hz;
    return request;
}

}  // namespace kaname::test
