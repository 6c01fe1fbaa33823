// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/seismic_waves/load_seismic_waves.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numbers>

#include "proto/spec/form/canonical.hpp"
#include "proto/spec/form/files.hpp"
#include "proto/spec/form/text.hpp"
#include "proto/spec/form/yaml_places.hpp"
#include "proto/spec/greens/receiver_files.hpp"
#include "proto/spec/seismic_waves/seismic_defaults.hpp"
#include "proto/spec/seismic_waves/seismic_green.hpp"
#include "proto/spec/seismic_waves/seismic_waves_rules.hpp"

namespace kaname::spec {
namespace {

v1::SeismicWaves finish(v1::SeismicWaves waves, YamlReading reading,
                        const std::filesystem::path& folder) {
    std::vector<Violation> in_files = resolve_files(waves, folder);
    take_receivers(*waves.mutable_receiver_files(), *waves.mutable_receivers(), in_files);
    fill_defaults(waves);
    std::vector<Violation> broken = validate(waves, unit_factor_of(reading));
    std::move(in_files.begin(), in_files.end(), std::back_inserter(broken));
    throw_if_broken(std::move(broken), std::move(reading));
    return waves;
}

/// S waves' speed, or P waves' in a liquid.
double slow_speed_m_per_s(const v1::Material& m) {
    if (m.has_vp_m_per_s()) {
        return m.vs_m_per_s() > 0.0 ? m.vs_m_per_s() : m.vp_m_per_s();
    }
    return std::sqrt((m.mu_pa() > 0.0 ? m.mu_pa() : m.lambda_pa()) / m.density_kg_per_m3());
}

double apart_m(const v1::WavePlace& a, const v1::WavePlace& b) {
    if (a.has_lon_deg() && b.has_lon_deg()) {
        constexpr double kMetres = 111.2e3, kDegree = std::numbers::pi / 180.0;
        const double north_m = kMetres * (a.lat_deg() - b.lat_deg());
        const double east_m = kMetres * std::remainder(a.lon_deg() - b.lon_deg(), 360.0) *
                              std::cos(kDegree * a.lat_deg());
        return std::hypot(east_m, north_m, a.depth_m() - b.depth_m());
    }
    return std::hypot(a.x_m() - b.x_m(), a.y_m() - b.y_m(), a.z_m() - b.z_m());
}

/// Adds the places of moment sources and receivers that may be so near to one another that the
/// mesh is fitted to them (solvers/jobs/seismic_waves/near_field.cpp).
void add_near_places(const v1::SeismicWaves& waves, v1::SeismicWaves& part) {
    constexpr double kNear = 0.5;  // of the longest S wavelength; 0.4 of the source's own
    if (waves.solver().order() != 4 || waves.mesh().has_file() || waves.has_green()) {
        return;
    }
    double fastest_m_per_s = 0.0;
    for (const v1::Material& material : waves.structure().materials()) {
        fastest_m_per_s = std::max(fastest_m_per_s, slow_speed_m_per_s(material));
    }
    const double near_m = kNear * fastest_m_per_s / waves.mesh().max_frequency_hz();
    for (const v1::SeismicSource& source : waves.sources()) {
        for (const v1::WaveReceiver& receiver : waves.receivers()) {
            if (source.has_moment() && !(apart_m(source.at(), receiver.at()) > near_m)) {
                *part.add_sources()->mutable_at() = source.at();
                *part.add_receivers()->mutable_at() = receiver.at();
            }
        }
    }
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
    add_near_places(waves, part);
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
