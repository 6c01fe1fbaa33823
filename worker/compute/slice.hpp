// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/artifacts_service.pb.h"
#include "solvers/io/dataset/greens_slice.hpp"
#include "worker/jobs/frame/reporter.hpp"

namespace kaname::compute {

/// SliceOptions holds the wanted part of a dataset, as it is written on a command line.
struct SliceOptions {
    std::string wanted;  ///< file with a kaname.v1.ReadSliceRequest in JSON; the others add to it
    std::string sources, epochs, stations;  ///< "start:count:stride"; empty: not said
    std::vector<std::string> source_ids, patch_ids, station_ids;
    std::string from_s, to_s;
};

/// Throws InvalidArgument for a range or a time that is none.
[[nodiscard]] v1::ReadSliceRequest slice_of(const SliceOptions& options);

/// The indices that a slice's names, times and ranges stand for, in the order of its names. Throws
/// ValidationError with the first few ids that the dataset lacks and what is near to each, and for
/// a time without an epoch; OutOfRange for indices that leave it.
[[nodiscard]] io::GreensIndices indices_of(const io::GreensAxes& axes,
                                           const v1::ReadSliceRequest& wanted);

/// Copies a block of a dataset to `out`, a few MiB at a time, as little-endian float64 in the order
/// [source][epoch][station][component]; result {shape, source_ids, epochs_s, station_ids,
/// components}. Throws ValidationError for names that the dataset lacks, OutOfRange for indices
/// that leave it.
int slice(const std::string& dataset, const v1::ReadSliceRequest& wanted, const std::string& out,
          Reporter& reporter);

}  // namespace kaname::compute
