// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/seismic_waves/load_seismic_waves.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "proto/spec/form/canonical.hpp"
#include "proto/spec/form/files.hpp"
#include "proto/spec/form/text.hpp"
#include "proto/spec/form/yaml_places.hpp"
#include "proto/spec/seismic_waves/seismic_green.hpp"
#include "proto/spec/seismic_waves/seismic_waves_rules.hpp"

namespace kaname::spec {
namespace {

constexpr unsigned kOrder = 5, kMechanisms = 3;
constexpr double kGrowth = 0.3;
constexpr double kBand = 30.0;     ///< highest over lowest frequency of constant Q: 1.5 decades
constexpr double kSamples = 10.0;  ///< in the shortest period

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

void fill_defaults(v1::SeismicWaves& waves) {
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
    for (v1::SeismicSource& source : *waves.mutable_sources()) {
        if (source.has_rupture()) {
            fill(*source.mutable_rupture()->mutable_rate(), "yoffe");
            if (source.rupture().scale() == 0.0) {
                source.mutable_rupture()->set_scale(1.0);
            }
        }
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
    fill_green(waves);
}

v1::SeismicWaves finish(v1::SeismicWaves waves, YamlReading reading,
                        const std::filesystem::path& folder) {
    std::vector<Violation> in_files = resolve_files(waves, folder);
    fill_defaults(waves);
    std::vector<Violation> broken = validate(waves, unit_factor_of(reading));
    std::move(in_files.begin(), in_files.end(), std::back_inserter(broken));
    throw_if_broken(std::move(broken), std::move(reading));
    return waves;
}

}  // namespace

v1::SeismicWaves load_seismic_waves(const std::string& path) {
    v1::SeismicWaves waves;
    YamlReading reading = scan_yaml(read_text_file(path), path, waves);
    return finish(std::move(waves), std::move(reading),
                  std::filesystem::absolute(path).parent_path());
}

v1::SeismicWaves check_seismic_waves(v1::SeismicWaves waves, YamlReading reading) {
    return finish(std::move(waves), std::move(reading), "/");
}

bool is_anelastic(const v1::Structure& structure) {
    return std::ranges::any_of(structure.materials(), [](const v1::Material& material) {
        return material.has_qp() || material.has_qs();
    });
}

std::string mesh_text(const v1::SeismicWaves& waves) {
    v1::SeismicWaves part;
    *part.mutable_box() = waves.box();
    *part.mutable_region() = waves.region();
    *part.mutable_structure() = waves.structure();
    for (v1::Material& material : *part.mutable_structure()->mutable_materials()) {
        material.clear_qp();
        material.clear_qs();
    }
    *part.mutable_mesh() = waves.mesh();
    part.mutable_mesh()->clear_max_elements();  // refuses a mesh, shapes none
    if (waves.mesh().has_file()) {
        // They refuse a mesh that is too coarse, and shape none.
        part.mutable_mesh()->clear_max_frequency_hz();
        part.mutable_mesh()->clear_elements_per_wavelength();
    } else if (waves.mesh().elements_per_wavelength() == 0.0) {
        part.mutable_solver()->set_order(waves.solver().order());
    }
    return canonical_text(part);
}

std::string shared_text(const v1::SeismicWaves& waves) {
    v1::SeismicWaves copy = waves;
    copy.clear_name();
    copy.clear_description();
    copy.clear_sources();
    if (is_reciprocal(waves)) {
        // A force's strains do not depend on where its sources' seismograms are wanted, nor on
        // which components are put together from them.
        copy.clear_receivers();
        copy.mutable_green()->clear_method();
        copy.mutable_green()->clear_moments();
        copy.mutable_green()->clear_moment_n_m();
        copy.mutable_green()->clear_slip_m();
        if (copy.green().has_plane()) {
            copy.mutable_green()->mutable_plane()->clear_components();
            copy.mutable_green()->mutable_plane()->clear_rake_deg();
        }
    } else {
        copy.clear_green();
    }
    copy.mutable_mesh()->clear_max_elements();
    copy.mutable_output()->clear_checkpoint();
    copy.mutable_output()->clear_checkpoint_interval_s();
    return canonical_text(copy);
}

std::string whole_text(const v1::SeismicWaves& waves) {
    return canonical_text(waves);
}

}  // namespace kaname::spec
