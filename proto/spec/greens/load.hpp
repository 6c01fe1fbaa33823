// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/spec/form/json.hpp"
#include "proto/spec/form/yaml_reader.hpp"
#include "proto/spec/greens/stations.hpp"

namespace kaname::spec {

/// A specification that keeps every rule that needs no geometry.
struct LoadedSpec {
    v1::GreensBatch batch;              ///< defaults filled, file paths absolute, sha256 set
    std::vector<SpecStation> stations;  ///< from stations.list, then from each of stations.files
    /// Size at the fault and box in place of what was left out, in words; empty: none.
    std::string chosen = {};
};

/// A specification as users write it. Throws ValidationError with everything that is wrong with
/// it, its files and their rows (with lines of the YAML); Error when the file is no YAML at all.
[[nodiscard]] LoadedSpec load_spec(const std::string& path);

/// A specification that to_json() wrote; checked in the same way, and that files still are those
/// it was written for.
[[nodiscard]] LoadedSpec load_spec_json(const std::string& path);

/// A specification that came as a message; its files have absolute paths. Checked in the same way;
/// `reading` says what was read of YAML, if it was.
[[nodiscard]] LoadedSpec load_batch(v1::GreensBatch batch, YamlReading reading = {});

/// The message in the text that to_json() wrote; nothing is checked but that it is one. `name`
/// begins the message of the error. Throws InvalidArgument.
[[nodiscard]] v1::GreensBatch parse_json(const std::string& text, const std::string& name);

}  // namespace kaname::spec
