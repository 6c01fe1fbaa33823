// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "solvers/earth/material_rules.hpp"
#include "tests/support/bare_job.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// Heights of a box, as a function of its u and v.
template <class Height>
earth::HeightField height_field(double size_m, const Height& height) {
    constexpr int kNodes = 81;
    const double spacing = 1.2 * size_m / (kNodes - 1);
    const earth::HeightField::Grid grid{-0.6 * size_m, -0.6 * size_m, spacing,
                                        spacing,       kNodes,        kNodes};
    std::vector<double> z;
    for (int j = 0; j < kNodes; ++j) {
        for (int i = 0; i < kNodes; ++i) {
            z.push_back(height(grid.u0 + i * spacing, grid.v0 + j * spacing));
        }
    }
    return earth::HeightField(grid, std::move(z));
}

/// Crust over mantle, cut by a slab of 7 km whose top dips 15 degrees to the east (u), 25 km deep
/// in the middle. The ground is a hill of 1 km, or flat.
inline GreensJob volumes_job(bool flat = false) {
    constexpr double kSize_m = 200e3;
    const double slope = std::tan(15.0 * M_PI / 180.0);
    auto model = std::make_shared<earth::VolumeModel>();
    model->size_u_m = model->size_v_m = kSize_m;
    model->depth_m = 100e3;
    const auto hill = [](double u, double v) {
        return 1000.0 * std::exp(-(u * u + v * v) / (2.0 * 20e3 * 20e3));
    };
    model->surfaces = {
        {"ground", flat ? earth::HeightField(0.0) : height_field(kSize_m, hill)},
        {"moho", earth::HeightField(-30e3)},
        {"slab-top", height_field(kSize_m, [&](double u, double) { return -25e3 - slope * u; })},
        {"slab-bottom",
         height_field(kSize_m, [&](double u, double) { return -32e3 - slope * u; })}};
    model->materials = {{"crust", 3e10, 3e10, 0.0, std::nullopt},
                        {"mantle", 6e10, 6e10, 0.0, 6e18},
                        {"slab", 5e10, 5e10, 0.0, std::nullopt}};
    model->volumes = {{"slab", 2, 3, earth::constant_rule(2)},
                      {"crust", -1, 1, earth::constant_rule(0)},
                      {"mantle", -1, -1, earth::constant_rule(1)}};
    GreensJob job = test::bare_job();
    job.name = "volumes";
    job.region = {135.0, 34.0, kSize_m, kSize_m, 100e3, 0.0};
    job.structure.materials = model->materials;
    job.volumes.emplace();
    job.volume_model = std::make_shared<const earth::BuiltVolumeModel>(
        earth::BuiltVolumeModel{model, {"a surface was extended"}});
    InterfaceGeometry interface;
    interface.of = "slab-top";
    interface.origin_lon_deg = 135.0;
    interface.origin_lat_deg = 34.0;
    interface.hat = fault::Hat::Bilinear;
    interface.spacing_strike_m = interface.spacing_dip_m = 15e3;
    job.fault = interface;
    job.patches = test::unit_slip(2, 1, {test::kDipSlip});
    job.stations = {{"HILL", 135.0, 34.0, std::nullopt, "stations[0]"}};
    job.mesh.size_at_fault_m = 6e3;
    job.mesh.size_far_m = 40e3;
    job.mesh.growth = 0.5;
    for (BoundaryKind& kind : job.boundaries.kind) {
        kind = BoundaryKind::Fixed;
    }
    job.boundaries.kind[5] = BoundaryKind::Free;
    job.time.end_s = 1e9;
    return job;
}

}  // namespace kaname::jobs
