// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/seismic_waves/seismic_defaults.hpp"

#include <algorithm>
#include <cmath>

#include "proto/spec/seismic_waves/seismic_green.hpp"
#include "proto/spec/seismic_waves/seismic_waves_rules.hpp"

namespace kaname::spec {
namespace {

constexpr unsigned kOrder = 5, kMechanisms = 3;
constexpr double kGrowth = 0.3;
constexpr double kBand = 30.0;     ///< highest over lowest frequency of constant Q: 1.5 decades
constexpr double kSamples = 10.0;  ///< in the shortest period

/// Returns true if some material has quality factors.
bool is_anelastic(const v1::Structure& structure) {
    return std::ranges::any_of(structure.materials(), [](const v1::Material& material) {
        return material.has_qp() || material.has_qs();
    });
}

void fill_attenuation(v1::SeismicWaves& waves) {
    if (!is_anelastic(waves.structure())) {
        return;
    }
    v1::Attenuation& band = *waves.mutable_attenuation();
    if (band.to_hz() == 0.0) {
        band.set_to_hz(waves.mesh().max_frequency_hz());
    }
    if (band.from_hz() == 0.0) {
        band.set_from_hz(band.to_hz() / kBand);
    }
    if (band.mechanisms() == 0) {
        band.set_mechanisms(kMechanisms);
    }
    if (band.reference_hz() == 0.0) {
        band.set_reference_hz(std::sqrt(std::max(0.0, band.from_hz() * band.to_hz())));
    }
}

void fill(std::string& word, const char* otherwise) {
    if (word.empty()) {
        word = otherwise;
    }
}

void fill_boundaries(v1::SeismicWaves& waves) {
    v1::SeismicBoundaries& sides = *waves.mutable_boundaries();
    if (!waves.mesh().has_file()) {
        for (std::string* side :
             {sides.mutable_x_min(), sides.mutable_x_max(), sides.mutable_y_min(),
              sides.mutable_y_max(), sides.mutable_bottom()}) {
            fill(*side, kAbsorbing);
        }
        fill(*sides.mutable_top(), kFree);
    } else {
        fill(*waves.mutable_mesh()->mutable_top(), "top");
        fill(*waves.mutable_mesh()->mutable_length_unit(), "m");
    }
}

}  // namespace

void fill_setting(v1::SeismicWaves& waves) {
    v1::SeismicMesh& mesh = *waves.mutable_mesh();
    if (mesh.growth() == 0.0 && !mesh.has_file()) {
        mesh.set_growth(kGrowth);
    }
    v1::SeismicScheme& solver = *waves.mutable_solver();
    if (solver.order() == 0) {
        solver.set_order(kOrder);
    }
    fill(*solver.mutable_precision(), "single");
    if (!solver.has_local_time_steps()) {
        solver.set_local_time_steps(true);
    }
    fill_attenuation(waves);
    fill_boundaries(waves);
    v1::SeismicTime& time = *waves.mutable_time();
    if (time.interval_s() == 0.0 && mesh.max_frequency_hz() > 0.0) {
        time.set_interval_s(1.0 / (kSamples * mesh.max_frequency_hz()));
    }
    if (!time.has_anti_alias()) {
        time.set_anti_alias(false);
    }
    v1::SeismicOutput& output = *waves.mutable_output();
    fill(*output.mutable_quantity(), "velocity");
    fill(*output.mutable_checkpoint(), "auto");
    if (!output.has_volume()) {
        output.set_volume(false);
    }
    if (!output.has_peak_ground_velocity()) {
        output.set_peak_ground_velocity(!waves.has_green());
    }
}

void fill_defaults(v1::SeismicWaves& waves) {
    fill_setting(waves);
    for (v1::SeismicSource& source : *waves.mutable_sources()) {
        if (source.has_rupture()) {
            fill(*source.mutable_rupture()->mutable_rate(), "yoffe");
            if (source.rupture().scale() == 0.0) {
                source.mutable_rupture()->set_scale(1.0);
            }
        }
    }
    fill_green(waves);
}

}  // namespace kaname::spec
