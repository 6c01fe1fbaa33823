// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/waves.pb.h"
#include "solvers/base/error.hpp"

namespace kaname::spec {

/// Receivers of station files (read_station_csv) join the list, without a depth on the ground, and
/// the files leave the message, which then says all by itself. Files that resolve_files() has not
/// found stay. What is wrong with rows joins `broken`.
void take_receivers(google::protobuf::RepeatedPtrField<v1::File>& files,
                    google::protobuf::RepeatedPtrField<v1::WaveReceiver>& receivers,
                    std::vector<Violation>& broken);

}  // namespace kaname::spec
