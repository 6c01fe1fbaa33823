// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/workers_service.pb.h"

/// How long what workers say of themselves may be: it is shown to people, in lists that must fit a
/// reply, and kept. Each throws ValidationError naming the field.
namespace kaname::service {

inline constexpr std::size_t kMaxName = 256;  ///< bytes of a worker's, a host's or an owner's name

void check_limits(const v1::RegisterRequest& request);
void check_limits(const v1::ClaimRequest& request);
void check_limits(const v1::HeartbeatRequest& request);
void check_limits(const google::protobuf::RepeatedPtrField<v1::TaskRef>& refs, const char* field);

/// Texts for people, cut to what is shown of them.
[[nodiscard]] v1::HeartbeatRequest shortened(const v1::HeartbeatRequest& request);

}  // namespace kaname::service
