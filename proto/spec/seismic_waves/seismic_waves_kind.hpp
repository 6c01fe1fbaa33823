// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/seismic_waves.pb.h"
#include "proto/spec/form/request.hpp"

namespace kaname::spec {

/// Waves on tetrahedra: a mesh, a task for each source, four of them at a time, and one for their
/// seismograms. Schema kaname.v1.SeismicWaves.
[[nodiscard]] const Kind& seismic_waves_kind();

/// Returns the tasks of a checked specification (load_seismic_waves.hpp): sources first, then the
/// mesh.
[[nodiscard]] TaskGraph seismic_waves_graph(const v1::SeismicWaves& waves);

}  // namespace kaname::spec
