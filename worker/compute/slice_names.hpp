// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/artifacts_service.pb.h"
#include "solvers/io/dataset/greens_slice.hpp"

namespace kaname::compute {

/// The indices that a slice's names, times and ranges stand for, in the order of its names. Throws
/// ValidationError with the first few ids that the dataset lacks and what is near to each, and for
/// a time without an epoch; OutOfRange for indices that leave it.
[[nodiscard]] io::GreensIndices indices_of(const io::GreensAxes& axes,
                                           const v1::ReadSliceRequest& wanted);

}  // namespace kaname::compute
