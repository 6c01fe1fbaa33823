// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "proto/kaname/v1/workers_service.pb.h"
#include "server/service/context.hpp"

namespace kaname::service {

/// Agents themselves: that they are there, with which GPUs, and that they live.
class Workers {
public:
    explicit Workers(Context& context) : context_(context) {}

    void register_worker(const v1::RegisterRequest& request, const auth::Principal& caller,
                         v1::RegisterResponse& reply);
    void leave(const v1::LeaveRequest& request, const auth::Principal& caller);
    void heartbeat(const v1::HeartbeatRequest& request, const auth::Principal& caller,
                   v1::HeartbeatResponse& reply);

private:
    /// Drops what is said of tasks that are not this worker's.
    void keep_own_progress(const std::string& worker_id, v1::HeartbeatRequest& heard);
    void check_gpus(const auth::Principal& caller, const std::string& worker_id,
                    const v1::HeartbeatRequest& heard);

    Context& context_;
};

/// How long what workers say of themselves may be: it is shown to people, in lists that must fit a
/// reply, and kept. Each throws ValidationError naming the field.

inline constexpr std::size_t kMaxName = 256;  ///< bytes of a worker's, a host's or an owner's name

void check_limits(const v1::RegisterRequest& request);
void check_limits(const v1::ClaimRequest& request);
void check_limits(const v1::HeartbeatRequest& request);
void check_limits(const google::protobuf::RepeatedPtrField<v1::TaskRef>& refs, const char* field);

/// Texts for people, cut to what is shown of them.
[[nodiscard]] v1::HeartbeatRequest shortened(const v1::HeartbeatRequest& request);

}  // namespace kaname::service
