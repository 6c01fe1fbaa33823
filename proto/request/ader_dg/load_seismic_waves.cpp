// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/ader_dg/load_seismic_waves.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numbers>

#include "proto/request/ader_dg/seismic_green.hpp"
#include "proto/request/form/field_rules.hpp"
#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_document.hpp"
#include "proto/request/greens/slip_size.hpp"
#include "proto/request/greens/stations.hpp"
#include "proto/request/waves/wave_requests.hpp"
#include "solvers/base/predicted_error.hpp"

namespace kaname::request {
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
/// mesh is fitted to them, and those of moment sources whose elements may be smaller.
void add_near_places(const v1::SeismicWaves& waves, v1::SeismicWaves& part) {
    const int order = static_cast<int>(waves.solver().order());
    const auto moments = std::ranges::count_if(
        waves.sources(), [](const v1::SeismicSource& source) { return source.has_moment(); });
    if (waves.mesh().has_file() || waves.has_green() || moments > kMostFittedSources) {
        return;
    }
    if (smaller_at_moment_sources(order, waves.mesh().elements_per_wavelength())) {
        for (const v1::SeismicSource& source : waves.sources()) {
            if (source.has_moment()) {
                *part.add_sources()->mutable_at() = source.at();
            }
        }
    }
    if (order != kOrderFittedToReceivers) {
        return;
    }
    double fastest_m_per_s = 0.0;
    for (const v1::Material& material : waves.structure().materials()) {
        fastest_m_per_s = std::max(fastest_m_per_s, slow_speed_m_per_s(material));
    }
    // The mesh goes by the wavelength at each source, which is none longer than the fastest rock's;
    // great circles and the map differ by less than the margin.
    constexpr double kMargin = 1.25;
    const double near_m = kMargin * kFittedReceivers * resolved_from(order) * fastest_m_per_s /
                          waves.mesh().max_frequency_hz();
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
    // Where the mesh is fitted to sources, what one gives depends on where the others lie.
    v1::SeismicWaves near;
    add_near_places(waves, near);
    copy.mutable_sources()->Swap(near.mutable_sources());
    copy.mutable_mesh()->clear_max_elements();
    copy.mutable_output()->clear_checkpoint();
    copy.mutable_output()->clear_checkpoint_interval_s();
    return canonical_text(copy);
}

std::string whole_text(const v1::SeismicWaves& waves) {
    return canonical_text(waves);
}

namespace {

using google::protobuf::Message;

// Changes with what is computed of the same request.
constexpr const char* kVersion = "seismic waves 1\n";

class SeismicWavesRequest final : public WavesRequest<v1::SeismicWaves, seismic_waves_graph> {
public:
    using WavesRequest::WavesRequest;

    [[nodiscard]] Description describe() const override {
        std::vector<v1::WavePlace> places;
        for (const v1::SeismicSource& source : waves_.sources()) {
            places.push_back(source.at());
            add_places(source.patches(), places);
        }
        for (const v1::WaveReceiver& point : waves_.green().points()) {
            places.push_back(point.at());
        }
        if (waves_.green().has_grid()) {
            places.push_back(waves_.green().grid().from());
            places.push_back(waves_.green().grid().to());
        }
        return describe_waves(waves_.receivers(), canonical_text(waves_.structure()),
                              std::move(places));
    }
};

class SeismicWavesKind final : public KindOf<v1::SeismicWaves, SeismicWavesRequest,
                                             check_seismic_waves, load_seismic_waves> {
public:
    [[nodiscard]] std::string result_file() const override { return kSeismogramsFile; }
};

}  // namespace

TaskGraph seismic_waves_graph(const v1::SeismicWaves& waves) {
    std::vector<WaveTask> sources;
    if (is_reciprocal(waves)) {
        const std::vector<std::string> ids = force_ids(waves);
        for (std::size_t k = 0; k < ids.size(); ++k) {
            const v1::WaveReceiver& receiver = waves.receivers(static_cast<int>(k / 3));
            sources.push_back({ids[k], canonical_text(receiver.at()) + "xyz"[k % 3]});
        }
    } else {
        for (const ListedSource& listed : listed_sources(waves)) {
            sources.push_back({listed.source.id(), canonical_text(listed.source)});
        }
    }
    return wave_graph(sources, kVersion, shared_text(waves), whole_text(waves), mesh_text(waves));
}

const Kind& seismic_waves_kind() {
    static const SeismicWavesKind kind;
    return kind;
}

namespace {

constexpr double kBand = 30.0;     ///< highest over lowest frequency of constant Q: 1.5 decades
constexpr double kSamples = 10.0;  ///< in the shortest period

/// Returns true if some material has quality factors.
bool is_anelastic(const v1::Structure& structure) {
    return std::ranges::any_of(structure.materials(), [](const v1::Material& material) {
        return material.has_qp() || material.has_qs();
    });
}

void fill_attenuation(v1::SeismicWaves& waves) {
    if (!waves.has_attenuation() && !is_anelastic(waves.structure())) {
        return;
    }
    v1::Attenuation& band = *waves.mutable_attenuation();
    fill_constants(band);
    if (band.to_hz() == 0.0) {
        band.set_to_hz(waves.mesh().max_frequency_hz());
    }
    if (band.from_hz() == 0.0) {
        band.set_from_hz(band.to_hz() / kBand);
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
    if (waves.mesh().has_file()) {
        return;
    }
    for (std::string* side : {sides.mutable_x_min(), sides.mutable_x_max(), sides.mutable_y_min(),
                              sides.mutable_y_max(), sides.mutable_bottom()}) {
        fill(*side, kAbsorbing);
    }
    fill(*sides.mutable_top(), kFree);
}

/// Depths of the edges of a patch of a plane [m].
std::pair<double, double> depths_of(const v1::SeismicPatch& patch) {
    const v1::Plane& plane = patch.plane();
    const double down_m = plane.width_m() * std::sin(plane.dip_deg() * std::numbers::pi / 180.0) /
                          std::max(1U, plane.n_dip());
    return {plane.top_depth_m() + patch.row() * down_m,
            plane.top_depth_m() + (patch.row() + 1.0) * down_m};
}

void settle_patch(v1::SeismicPatch& patch, const v1::Structure& structure) {
    settle_point(*patch.mutable_plane());
    const v1::Plane& plane = patch.plane();
    if (!patch.has_magnitude() || patch.slip_m() != 0.0 || !plane.has_top_depth_m()) {
        return;
    }
    const double area_m2 = plane.length_m() * plane.width_m() /
                           (std::max(1.0, 1.0 * plane.n_strike()) * std::max(1U, plane.n_dip()));
    const auto [top_m, bottom_m] = depths_of(patch);
    if (const auto slip_m = slip_of(patch.magnitude(), area_m2, top_m, bottom_m, structure)) {
        patch.set_slip_m(*slip_m);
        patch.clear_magnitude();
    }
}

void settle_source(v1::SeismicSource& source, const v1::Structure& structure) {
    if (source.has_patch()) {
        settle_patch(*source.mutable_patch(), structure);
    }
    for (v1::SlipRectangle& patch : *source.mutable_patches()) {
        settle_point(patch);
        settle_size(patch, structure);
    }
    v1::MomentTensor moment;
    if (source.has_double_couple() && !source.has_moment() &&
        settle_couple(source.double_couple(), 0.0, moment)) {
        *source.mutable_moment() = moment;
        source.clear_double_couple();
    }
}

}  // namespace

void settle_sources(google::protobuf::RepeatedPtrField<v1::SeismicSource>& sources,
                    const v1::Structure& structure) {
    for (v1::SeismicSource& source : sources) {
        settle_source(source, structure);
    }
}

void fill_setting(v1::SeismicWaves& waves) {
    fill_attenuation(waves);
    fill_boundaries(waves);
    const double highest_hz = waves.mesh().max_frequency_hz();
    if (waves.time().interval_s() == 0.0 && highest_hz > 0.0) {
        waves.mutable_time()->set_interval_s(1.0 / (kSamples * highest_hz));
    }
    if (!waves.output().has_peak_ground_velocity()) {
        waves.mutable_output()->set_peak_ground_velocity(!waves.has_green());
    }
}

void fill_defaults(v1::SeismicWaves& waves) {
    fill_constants(waves);
    fill_setting(waves);
    fill_green(waves);
    settle_sources(*waves.mutable_sources(), waves.structure());
}

}  // namespace kaname::request
