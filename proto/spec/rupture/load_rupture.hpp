// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/kaname/v1/rupture.pb.h"
#include "proto/spec/form/yaml_reader.hpp"

namespace kaname::spec {

/// Reads a file as users write it. Throws ValidationError with everything that is wrong with it;
/// Error when it is not YAML.
[[nodiscard]] v1::Rupture load_rupture(const std::string& path);
/// Checks a message whose files have absolute paths, and fills in defaults except those that depend
/// on the solver and those of friction. `reading` is of the YAML that the message came from. Throws
/// ValidationError as load_rupture.
[[nodiscard]] v1::Rupture check_rupture(v1::Rupture rupture, YamlReading reading = {});

/// The model and all that is asked of waves, as SeismicWaves without sources say it.
[[nodiscard]] v1::SeismicWaves setting_of(const v1::Rupture& rupture);

/// Canonical texts of all that a mesh depends on, and of all that the result depends on but for
/// its name.
[[nodiscard]] std::string mesh_text(const v1::Rupture& rupture);
[[nodiscard]] std::string event_text(const v1::Rupture& rupture);

}  // namespace kaname::spec
