// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/voxel_fem/load_voxel_waves.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "proto/request/form/field_rules.hpp"
#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_document.hpp"
#include "proto/request/greens/slip_size.hpp"
#include "proto/request/greens/stations.hpp"
#include "proto/request/waves/wave_requests.hpp"

namespace kaname::request {
namespace {

constexpr double kLayerVoxels = 30.0, kLayerShare = 0.25;
constexpr unsigned kStages = 8;

void fill_scheme(v1::WaveScheme& scheme) {
    if (scheme.product().empty()) {
        scheme.set_product(scheme.element() == "vfem" ? "matrix" : "walsh");
    }
    if (scheme.stages() == 0 && scheme.product() == "int8") {
        scheme.set_stages(kStages);
    }
}

/// Puts what a source says by reference points, magnitudes and double couples into the fields that
/// are solved by. Moments are along the box's sides, which a region may turn.
void settle_source(v1::WaveSource& source, const v1::VoxelWaves& waves) {
    for (v1::SlipRectangle& patch : *source.mutable_patches()) {
        settle_point(patch);
        settle_size(patch, waves.structure());
    }
    v1::MomentTensor moment;
    if (source.has_double_couple() && !source.has_moment() &&
        settle_couple(source.double_couple(), waves.region().azimuth_deg(), moment)) {
        *source.mutable_moment() = moment;
        source.clear_double_couple();
    }
}

void fill_defaults(v1::VoxelWaves& waves) {
    fill_constants(waves);
    if (waves.has_region()) {
        waves.mutable_model()->set_size_x_m(waves.region().size_east_m());
        waves.mutable_model()->set_size_y_m(waves.region().size_north_m());
        if (waves.model().size_z_m() == 0.0) {
            waves.mutable_model()->set_size_z_m(waves.region().depth_m());
        }
    }
    for (v1::WaveSource& source : *waves.mutable_sources()) {
        settle_source(source, waves);
    }
    fill_scheme(*waves.mutable_solver());
    const v1::VoxelBox& model = waves.model();
    if (waves.has_absorbing() && waves.absorbing().width_m() == 0.0) {
        const double shortest = std::min({model.size_x_m(), model.size_y_m(), model.size_z_m()});
        waves.mutable_absorbing()->set_width_m(
            std::min(kLayerVoxels * model.spacing_m(), kLayerShare * shortest));
    }
}

v1::VoxelWaves finish(v1::VoxelWaves waves, YamlReading reading,
                      const std::filesystem::path& folder) {
    std::vector<Violation> in_files = resolve_files(waves, folder);
    take_receivers(*waves.mutable_receiver_files(), *waves.mutable_receivers(), in_files);
    fill_defaults(waves);
    std::vector<Violation> broken = validate(waves, unit_factor_of(reading));
    std::move(in_files.begin(), in_files.end(), std::back_inserter(broken));
    throw_if_broken(std::move(broken), std::move(reading));
    return waves;
}

}  // namespace

v1::VoxelWaves load_voxel_waves(const std::string& path) {
    v1::VoxelWaves waves;
    YamlReading reading = scan_yaml(read_text_file(path), path, waves);
    return finish(std::move(waves), std::move(reading),
                  std::filesystem::absolute(path).parent_path());
}

v1::VoxelWaves check_voxel_waves(v1::VoxelWaves waves, YamlReading reading) {
    return finish(std::move(waves), std::move(reading), "/");
}

std::string canonical_voxel_waves(const v1::VoxelWaves& waves, bool labels) {
    v1::VoxelWaves copy = waves;
    if (!labels) {
        copy.clear_name();
        copy.clear_description();
        copy.clear_sources();
        copy.mutable_output()->clear_checkpoint();
        copy.mutable_output()->clear_checkpoint_interval_s();
    }
    return canonical_text(copy);
}

namespace {

using google::protobuf::Message;

// Changes with what is computed of the same request.
constexpr const char* kVersion = "voxel waves 2\n";

class VoxelWavesRequest final : public WavesRequest<v1::VoxelWaves, voxel_waves_graph> {
public:
    using WavesRequest::WavesRequest;

    [[nodiscard]] Description describe() const override {
        std::vector<v1::WavePlace> places;
        for (const v1::WaveSource& source : waves_.sources()) {
            places.push_back(source.at());
            add_places(source.patches(), places);
        }
        return describe_waves(waves_.receivers(),
                              waves_.has_structure() ? canonical_text(waves_.structure())
                                                     : canonical_text(waves_.model()),
                              std::move(places));
    }
};

class VoxelWavesKind final
    : public KindOf<v1::VoxelWaves, VoxelWavesRequest, check_voxel_waves, load_voxel_waves> {
public:
    [[nodiscard]] std::string result_file() const override { return kSeismogramsFile; }
};

}  // namespace

TaskGraph voxel_waves_graph(const v1::VoxelWaves& waves) {
    std::vector<WaveTask> sources;
    for (const v1::WaveSource& source : waves.sources()) {
        sources.push_back({source.id(), canonical_text(source)});
    }
    return wave_graph(sources, kVersion, canonical_voxel_waves(waves, false),
                      canonical_voxel_waves(waves, true));
}

const Kind& voxel_waves_kind() {
    static const VoxelWavesKind kind;
    return kind;
}

}  // namespace kaname::request
