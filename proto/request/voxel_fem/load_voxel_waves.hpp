// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "proto/kaname/v1/voxel_waves.pb.h"
#include "proto/request/form/request.hpp"
#include "proto/request/form/rules.hpp"
#include "proto/request/form/yaml_reader.hpp"

namespace kaname::request {

/// Material of a shape that is a hole.
inline constexpr const char* kVoid = "void";

/// Reads a file as users write it. Throws ValidationError with everything that is wrong with it;
/// Error when it is not YAML.
[[nodiscard]] v1::VoxelWaves load_voxel_waves(const std::string& path);
/// Checks a message whose files have absolute paths, and fills in defaults except those that depend
/// on the model's speeds (time.step_s, time.every, absorbing.rate_per_s). `reading` is of the YAML
/// that the message came from. Throws ValidationError as load_voxel_waves.
[[nodiscard]] v1::VoxelWaves check_voxel_waves(v1::VoxelWaves waves, YamlReading reading = {});

/// Every rule that needs no model of voxels, of a request whose defaults are filled.
[[nodiscard]] std::vector<Violation> validate(const v1::VoxelWaves& waves,
                                              const UnitFactor& unit_factor = {});
/// The parts of it: what the voxels are made of; sources and receivers.
void check_voxel_box(const v1::VoxelWaves& waves, Rules& rules);
void check_wave_points(const v1::VoxelWaves& waves, Rules& rules);

/// Canonical text of all that a source's waves depend on but the source itself; with `labels` of
/// the whole request.
[[nodiscard]] std::string canonical_voxel_waves(const v1::VoxelWaves& waves, bool labels);

/// Waves of point sources on voxels: a task for each source, four of them at a time, and one for
/// their seismograms. Schema kaname.v1.VoxelWaves.
[[nodiscard]] const Kind& voxel_waves_kind();

/// Returns the tasks of a checked request (load_voxel_waves.hpp).
[[nodiscard]] TaskGraph voxel_waves_graph(const v1::VoxelWaves& waves);

}  // namespace kaname::request
