// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/voxel_waves/load_voxel_waves.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "proto/spec/form/canonical.hpp"
#include "proto/spec/form/files.hpp"
#include "proto/spec/form/text.hpp"
#include "proto/spec/form/yaml_places.hpp"
#include "proto/spec/greens/receiver_files.hpp"
#include "proto/spec/voxel_waves/voxel_waves_rules.hpp"

namespace kaname::spec {
namespace {

constexpr double kLayerVoxels = 30.0, kLayerShare = 0.25;
constexpr unsigned kStages = 8;

void fill_scheme(v1::WaveScheme& scheme) {
    if (scheme.element().empty()) {
        scheme.set_element("ovfem");
    }
    if (scheme.product().empty()) {
        scheme.set_product(scheme.element() == "vfem" ? "matrix" : "walsh");
    }
    if (scheme.precision().empty()) {
        scheme.set_precision("double");
    }
    if (scheme.stages() == 0 && scheme.product() == "int8") {
        scheme.set_stages(kStages);
    }
}

void fill_defaults(v1::VoxelWaves& waves) {
    if (waves.has_region()) {
        waves.mutable_model()->set_size_x_m(waves.region().size_east_m());
        waves.mutable_model()->set_size_y_m(waves.region().size_north_m());
        if (waves.model().size_z_m() == 0.0) {
            waves.mutable_model()->set_size_z_m(waves.region().depth_m());
        }
    }
    fill_scheme(*waves.mutable_solver());
    const v1::VoxelBox& model = waves.model();
    if (waves.has_absorbing() && waves.absorbing().width_m() == 0.0) {
        const double shortest = std::min({model.size_x_m(), model.size_y_m(), model.size_z_m()});
        waves.mutable_absorbing()->set_width_m(
            std::min(kLayerVoxels * model.spacing_m(), kLayerShare * shortest));
    }
    v1::WaveOutput& output = *waves.mutable_output();
    if (output.checkpoint().empty()) {
        output.set_checkpoint("auto");
    }
    if (output.snapshot_stride() == 0 && !output.snapshots_s().empty()) {
        output.set_snapshot_stride(1);
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

}  // namespace kaname::spec
