// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/support/loh1_box.hpp"
#include "worker/jobs/rupture/rupture_job.hpp"

namespace kaname::test {

/// The numbers of SCEC TPV5.
inline jobs::FaultNumbers tpv5_numbers() {
    jobs::FaultNumbers n;
    n[jobs::FaultNumber::StaticFriction] = 0.677;
    n[jobs::FaultNumber::DynamicFriction] = 0.525;
    n[jobs::FaultNumber::WeakeningSlip] = 0.4;
    return n;
}

/// A vertical fault of 4.8 km x 2.4 km in a box, with the stresses and friction of TPV5 but for
/// less slip until it is weak: it breaks within a second from a patch on.
inline jobs::RuptureJob small_rupture() {
    jobs::RuptureJob job;
    job.name = job.title = "small";
    job.event = {"rupture", "key", "faults"};
    earth::LayeredStructure layers;
    layers.materials = {rock("rock", 6000.0, 3464.0, 2670.0)};
    layers.layers = {{0, {}}};
    job.mesh.model = jobs::LayeredBox{7200.0, 4800.0, 4200.0, layers};
    job.mesh.max_frequency_hz = 1.0;
    job.mesh.order = 3;
    job.mesh.elements_per_wavelength = 1.5;
    job.mesh.growth = 0.6;
    jobs::SeismicFault plane;
    plane.name = "main";
    plane.field = "faults[0]";
    plane.place = jobs::FaultPlane{0.0, 0.0, 0.0, 90.0, 90.0, 4800.0, 2400.0};
    plane.element_size_m = 600.0;
    job.mesh.faults = {plane};
    jobs::RuptureFault fault;
    fault.id = "main";
    fault.field = "faults[0]";
    fault.numbers = tpv5_numbers();
    fault.numbers[jobs::FaultNumber::WeakeningSlip] = 0.2;
    fault.stress = jobs::TractionByDepth::constant({-120e6, 70e6, 0.0});
    jobs::RupturePatch patch;
    patch.down_m = 1200.0;
    patch.length_m = patch.width_m = 1800.0;
    patch.numbers = {{jobs::FaultNumber::Strike, 81.6e6}};
    patch.field = "faults[0].patches[0]";
    fault.patches = {patch};
    job.faults = {fault};
    job.receivers = {{"R", "receivers[0]", {{1000.0, 2000.0, 0.0}, {}, {}, true}}};
    job.fault_receivers = {{"F", "fault_receivers[0]", 0, 1500.0, 1200.0}};
    job.end_s = 1.0;
    job.interval_s = 0.02;
    job.fault_snapshots_s = {0.5, 1.0};
    job.specification_json = "{}";
    job.version = "0";
    return job;
}

}  // namespace kaname::test
