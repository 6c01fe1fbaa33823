// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/voxel_waves/voxel_waves_rules.hpp"

#include <algorithm>

#include "proto/spec/form/text.hpp"
#include "proto/spec/waves/point_rules.hpp"
#include "proto/spec/waves/wave_requests.hpp"

namespace kaname::spec {
namespace {

const std::vector<std::string> kSides = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
constexpr unsigned kMostStages = 8;

template <class Words>
void check_words(const std::string& field, const Words& words,
                 const std::vector<std::string>& known, Rules& rules) {
    for (int k = 0; k < words.size(); ++k) {
        rules.one_of(element(field, k), words[k], known);
        if (std::find(words.begin(), words.begin() + k, words[k]) != words.begin() + k) {
            rules.fail(element(field, k), "must be named once, got " + quote(words[k]) + " again");
        }
    }
}

void check_time(const v1::VoxelWaves& waves, Rules& rules) {
    const v1::WaveTime& time = waves.time();
    rules.positive("time.end_s", time.end_s());
    rules.not_negative("time.step_s", time.step_s());
    if (time.step_s() > 0.0 && time.end_s() > 0.0 && time.step_s() > time.end_s()) {
        rules.fail("time.step_s", "must be at most " +
                                      rules.beside("time.step_s", "end_s", time.end_s()) +
                                      ", got " + rules.in_unit_of("time.step_s", time.step_s()));
    }
}

void check_damping(const v1::VoxelWaves& waves, Rules& rules) {
    if (!waves.has_damping()) {
        return;
    }
    const v1::BandDamping& damping = waves.damping();
    if (rules.given("damping.ratio", damping.has_ratio())) {
        rules.in_range("damping.ratio", damping.ratio(), 0.0, 1.0);
    }
    rules.positive("damping.from_hz", damping.from_hz());
    if (damping.to_hz() <= damping.from_hz()) {
        rules.fail(
            "damping.to_hz",
            "must be > damping.from_hz = " + rules.in_unit_of("damping.to_hz", damping.from_hz()) +
                ", got " + rules.in_unit_of("damping.to_hz", damping.to_hz()));
    }
}

void check_absorbing(const v1::VoxelWaves& waves, Rules& rules) {
    if (!waves.has_absorbing()) {
        return;
    }
    const v1::AbsorbingLayer& layer = waves.absorbing();
    rules.given("absorbing.sides", !layer.sides().empty());
    check_words("absorbing.sides", layer.sides(), kSides, rules);
    rules.positive("absorbing.width_m", layer.width_m());
    rules.not_negative("absorbing.rate_per_s", layer.rate_per_s());
}

void check_scheme(const v1::WaveScheme& scheme, Rules& rules) {
    rules.one_of("solver.element", scheme.element(), {"ovfem", "vfem"});
    rules.one_of("solver.product", scheme.product(), {"walsh", "matrix", "int8"});
    rules.one_of("solver.precision", scheme.precision(), {"double", "single"});
    if (scheme.element() == "vfem" && scheme.product() != "matrix") {
        rules.fail("solver.product",
                   "must be matrix with element vfem, got " + quote(scheme.product()));
    }
    if (scheme.product() == "int8") {
        if (scheme.stages() < 1 || scheme.stages() > kMostStages) {
            rules.fail("solver.stages", "must be in 1..8, got " + std::to_string(scheme.stages()));
        }
        if (scheme.precision() == "single") {
            rules.fail("solver.precision", "must be double with product int8, got 'single'");
        }
    } else if (scheme.stages() != 0) {
        rules.fail("solver.stages", "must be left out: only product int8 has stages");
    }
}

void check_output(const v1::VoxelWaves& waves, Rules& rules) {
    const v1::WaveOutput& output = waves.output();
    rules.one_of("output.checkpoint", output.checkpoint(), {"auto", "none"});
    if (output.has_checkpoint_interval_s()) {
        rules.not_negative("output.checkpoint_interval_s", output.checkpoint_interval_s());
    }
    check_snapshots(output.snapshots_s(), "output.snapshots_s", waves.time().end_s(), rules);
    if (output.snapshots_s().empty() && output.snapshot_stride() != 0) {
        rules.fail("output.snapshot_stride", "must be left out without output.snapshots_s");
    }
}

}  // namespace

std::vector<Violation> validate(const v1::VoxelWaves& waves, const UnitFactor& unit_factor) {
    Rules rules(unit_factor);
    check_head(waves.schema(), v1::VoxelWaves::descriptor()->full_name(), waves.name(), rules);
    check_voxel_box(waves, rules);
    check_wave_points(waves, rules);
    check_time(waves, rules);
    check_damping(waves, rules);
    check_absorbing(waves, rules);
    std::vector<std::string> fixed = kSides;
    fixed.emplace_back("bottom_corners");
    check_words("fixed", waves.fixed(), fixed, rules);
    check_scheme(waves.solver(), rules);
    check_output(waves, rules);
    every_number_finite(waves, "", rules);
    return rules.take();
}

}  // namespace kaname::spec
