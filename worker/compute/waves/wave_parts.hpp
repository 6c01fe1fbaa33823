// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/waves.pb.h"
#include "solvers/earth/structure.hpp"
#include "solvers/jobs/waves/wave_request.hpp"

/// Parts of messages that all kinds of waves have, in plain numbers.
namespace kaname::compute {

[[nodiscard]] jobs::WavePlace place_of(const v1::WavePlace& place);
[[nodiscard]] std::array<double, 3> force_of(const v1::PointForce& force);
[[nodiscard]] std::array<double, 6> moment_of(const v1::MomentTensor& moment);
[[nodiscard]] std::vector<jobs::WaveReceiver> receivers_of(
    const google::protobuf::RepeatedPtrField<v1::WaveReceiver>& receivers);
/// Layers of a structure without volumes.
[[nodiscard]] earth::LayeredStructure layers_of(const v1::Structure& structure);

}  // namespace kaname::compute
