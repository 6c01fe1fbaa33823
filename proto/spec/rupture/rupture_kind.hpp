// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/rupture.pb.h"
#include "proto/spec/form/request.hpp"

namespace kaname::spec {

/// Name of the dataset in a folder of results, and of the one event in it.
inline constexpr const char* kRuptureFile = "rupture.h5";
inline constexpr const char* kRuptureEvent = "rupture";

/// A spontaneous rupture: a mesh, a task for the rupture, and one for its dataset. Schema
/// kaname.v1.Rupture.
[[nodiscard]] const Kind& rupture_kind();

/// Returns the tasks of a checked specification (load_rupture.hpp): the rupture first, then the
/// mesh.
[[nodiscard]] TaskGraph rupture_graph(const v1::Rupture& rupture);

}  // namespace kaname::spec
