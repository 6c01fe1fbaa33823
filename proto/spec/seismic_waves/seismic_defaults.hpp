// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/seismic_waves.pb.h"

namespace kaname::spec {

/// Fills in what is left out of model, mesh, sides, time, solver and output.
void fill_setting(v1::SeismicWaves& waves);
/// Fills in what fill_setting() does, and the defaults of sources and unit sources.
void fill_defaults(v1::SeismicWaves& waves);

}  // namespace kaname::spec
