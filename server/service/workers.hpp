// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/workers_service.pb.h"
#include "server/service/context.hpp"

namespace kaname::service {

/// Agents themselves: that they are there, with which GPUs, and that they live.
class Workers {
public:
    explicit Workers(Context& context) : context_(context) {}

    void register_worker(const v1::RegisterRequest& request, v1::RegisterResponse& reply);
    void leave(const v1::LeaveRequest& request);
    void heartbeat(const v1::HeartbeatRequest& request, v1::HeartbeatResponse& reply);

private:
    Context& context_;
};

}  // namespace kaname::service
