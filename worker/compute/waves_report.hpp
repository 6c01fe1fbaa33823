// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/kaname/v1/voxel_waves.pb.h"
#include "solvers/io/dataset/seismogram_dataset.hpp"

namespace kaname::compute {

/// Reports the contents of a file of seismograms, with `text` for people.
[[nodiscard]] v1::WavesReport report_of(const io::SeismogramDataset& dataset,
                                        const std::string& file);

}  // namespace kaname::compute
