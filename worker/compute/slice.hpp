// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "worker/compute/reporter.hpp"

namespace kaname::compute {

/// Copies a block of a dataset to `out` as little-endian float64 in the order [source][epoch]
/// [station][component]; result {shape, source_ids, epochs_s, station_ids, components}. Ranges are
/// "start:count:stride". Throws InvalidArgument for a range that is none, OutOfRange for one that
/// leaves the dataset.
int slice(const std::string& dataset, const std::string& sources, const std::string& epochs,
          const std::string& stations, const std::string& out, Reporter& reporter);

}  // namespace kaname::compute
