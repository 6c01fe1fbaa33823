// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "proto/request/rupture/load_rupture.hpp"
#include "solvers/base/files.hpp"
#include "worker/jobs/rupture/verbs/rupture_kind.hpp"

namespace kaname::compute::rupture_job_test {
namespace {

using jobs::FaultNumber;

const char* const kYaml = R"(schema: kaname.v1.Rupture
name: two
MODEL
structure:
  materials:
    - {name: rock, vp_km_per_s: 6, vs_km_per_s: 3.464, density_g_per_cm3: 2.67}
  layers:
    - {material: rock}
mesh: {max_frequency_hz: 1}
stress_tensor:
  - {depth_km: 0}
  - {depth_km: 10, xx_mpa: -100, yy_mpa: -60, xz_mpa: 3}
faults:
  - id: weakening
    plane: {at: PLACE, top_depth_km: 1, strike_deg: 90, dip_deg: 60, length_km: 8, width_km: 5}
    element_size_m: 500
    friction: {static: 0.6, dynamic: 0.3, slip_weakening_cm: 40}
    patches:
      - {shape: ellipse, down_km: 2, length_km: 2, width_km: 1, stress: {dip_mpa: 9}, friction: {static: 0.5}}
  - id: ageing
    plane: {at: PLACE, top_depth_km: 0, strike_deg: 0, dip_deg: 90, length_km: 8, width_km: 5}
    friction: {law: ageing, a: 0.01, b: 0.014, state_slip_mm: 20, initial_rate_m_per_s: 1e-12}
    stress_by_depth:
      - {depth_km: 0, normal_mpa: -10, strike_mpa: 5}
      - {depth_km: 5, normal_mpa: -60, strike_mpa: 30}
    tapers:
      - {length_km: 4, width_km: 3, transition_km: 1, outside: {a: 0.02}}
nucleation:
  stress: [{fault: ageing, along_km: 1, down_km: 2, radius_km: 1.5, strike_mpa: 20}]
  stress_duration_s: 1
  forced: [{fault: weakening, along_km: -1, down_km: 3, radius_km: 1, speed_km_per_s: 2}]
  forced_duration_s: 0.5
plasticity: {cohesion_mpa: 5, friction_angle_deg: 45, relaxation_s: 0.03}
boundaries: {top: gravity}
receivers:
  - {id: R1, at: PLACE}
fault_receivers:
  - {id: F1, fault: ageing, along_km: 1, down_km: 2}
time: {end_s: 3}
fault_output: {interval_s: 1}
)";

jobs::RuptureJob job_of(const std::string& model, const std::string& place) {
    std::string text = kYaml;
    const auto replace = [&](const std::string& old, const std::string& now) {
        for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += now.size()) {
            text.replace(at, old.size(), now);
        }
    };
    replace("MODEL", model);
    replace("PLACE", place);
    const TemporaryFolder folder;
    write_file(folder.path() / "spec.yaml", text);
    return rupture_job_from_request(request::load_rupture(folder.path() / "spec.yaml"));
}

TEST(RuptureJobFromRequest, SaysTheSameInPlainNumbers) {
    const jobs::RuptureJob job =
        job_of("box: {size_x_km: 30, size_y_km: 30, depth_km: 12}", "{x_km: 1, y_km: 2}");

    ASSERT_EQ(job.mesh.faults.size(), 2U);
    const auto& plane = std::get<jobs::FaultPlane>(job.mesh.faults[0].place);
    EXPECT_DOUBLE_EQ(plane.x_m, 1000.0);
    EXPECT_DOUBLE_EQ(plane.dip_deg, 60.0);
    EXPECT_DOUBLE_EQ(plane.strike_deg, 90.0);
    EXPECT_DOUBLE_EQ(job.mesh.faults[0].element_size_m, 500.0);
    EXPECT_EQ(job.mesh.faults[1].field, "faults[1]");
    EXPECT_EQ(job.mesh.sides[static_cast<std::size_t>(mesh::Side::Top)], aderdg::Boundary::Gravity);

    const jobs::RuptureFault& weakening = job.faults[0];
    EXPECT_EQ(weakening.law, rupture::FrictionLaw::LinearSlipWeakening);
    EXPECT_DOUBLE_EQ(weakening.numbers[FaultNumber::WeakeningSlip], 0.4);
    const auto stress = std::get<jobs::StressByDepth>(weakening.stress).at(5000.0);
    EXPECT_DOUBLE_EQ(stress[0], -50e6) << "of the rock, between its rows";
    EXPECT_DOUBLE_EQ(stress[5], 1.5e6);
    ASSERT_EQ(weakening.patches.size(), 1U);
    EXPECT_EQ(weakening.patches[0].shape, jobs::PatchShape::Ellipse);
    const jobs::SomeNumbers changed = {{FaultNumber::Dip, 9e6}, {FaultNumber::StaticFriction, 0.5}};
    EXPECT_EQ(weakening.patches[0].numbers, changed) << "and no other";

    const jobs::RuptureFault& ageing = job.faults[1];
    EXPECT_EQ(ageing.law, rupture::FrictionLaw::Ageing);
    EXPECT_DOUBLE_EQ(ageing.numbers[FaultNumber::ReferenceFriction], 0.6);
    EXPECT_DOUBLE_EQ(ageing.numbers[FaultNumber::StateSlip], 0.02);
    EXPECT_DOUBLE_EQ(std::get<jobs::TractionByDepth>(ageing.stress).at(2500.0)[0], -35e6);
    EXPECT_EQ(ageing.tapers[0].outside, (jobs::SomeNumbers{{FaultNumber::A, 0.02}}));
    EXPECT_DOUBLE_EQ(ageing.tapers[0].transition_m, 1000.0);
}

TEST(RuptureJobFromRequest, WhatBeginsItAndWhatIsKept) {
    const jobs::RuptureJob job =
        job_of("box: {size_x_km: 30, size_y_km: 30, depth_km: 12}", "{x_km: 1, y_km: 2}");

    ASSERT_EQ(job.smooth_nucleation.size(), 1U);
    EXPECT_EQ(job.smooth_nucleation[0].fault, 1U);
    EXPECT_DOUBLE_EQ(job.smooth_nucleation[0].strike_pa, 20e6);
    EXPECT_DOUBLE_EQ(job.nucleation_s, 1.0);
    EXPECT_DOUBLE_EQ(job.forced_nucleation.at(0).speed_m_per_s, 2000.0);
    EXPECT_DOUBLE_EQ(job.forced_growth_s, 0.5);
    EXPECT_NEAR(job.plasticity->friction, 1.0, 1e-12) << "tangent of the angle";
    EXPECT_DOUBLE_EQ(job.plasticity->cohesion_pa.at(3000.0)[0], 5e6);
    EXPECT_EQ(job.fault_snapshots_s, (std::vector<double>{0.0, 1.0, 2.0, 3.0}));
    EXPECT_DOUBLE_EQ(job.energy_interval_s, 0.03);
    EXPECT_EQ(job.fault_receivers.at(0).fault, 1U);
    EXPECT_EQ(job.names().size(), 1U);
    EXPECT_EQ(job.names()[0].key.size(), 64U);
}

TEST(RuptureJobFromRequest, StrikesOfARegionAreFromTrueNorth) {
    const jobs::RuptureJob job = job_of(
        "region: {centre_lon_deg: 20, centre_lat_deg: 50, size_east_km: 400, size_north_km: 30, "
        "depth_km: 12}",
        "{lon_deg: 22, lat_deg: 50}");

    const auto& plane = std::get<jobs::FaultPlane>(job.mesh.faults[1].place);
    EXPECT_NEAR(plane.x_m, 143e3, 1e3);
    // Meridians of an azimuthal projection lean to its centre: by sin(lat) dlon, nearly.
    EXPECT_NEAR(std::abs(plane.strike_deg), 2.0 * std::sin(50.0 / 57.29578), 0.05);
    EXPECT_LT(plane.strike_deg, 0.0) << "true north lies west of grid north in the east";
}

}  // namespace
}  // namespace kaname::compute::rupture_job_test
