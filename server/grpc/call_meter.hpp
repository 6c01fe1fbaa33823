// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include <grpcpp/support/server_interceptor.h>

#include "server/service/meters.hpp"

namespace kaname::rpc {

/// Calls of a server that have begun and not ended. Safe from any thread.
class CallsInProgress {
public:
    void begin();
    void end();
    /// Returns when there is none, or after `longest`.
    void wait_for_none(std::chrono::milliseconds longest);

private:
    std::mutex mutex_;
    std::condition_variable ended_;
    std::int64_t n_ = 0;
};

/// Counts every call of a server and how it ended, whichever of gRPC's interfaces it is of, from
/// the arrival of its head until its status is sent. Streams have no time: how long a watch goes on
/// says nothing.
class CallMeters final : public grpc::experimental::ServerInterceptorFactoryInterface {
public:
    CallMeters(service::Meters& meters, CallsInProgress& calls) : meters_(meters), calls_(calls) {}

    grpc::experimental::Interceptor* CreateServerInterceptor(
        grpc::experimental::ServerRpcInfo* info) override;

private:
    service::Meters& meters_;
    CallsInProgress& calls_;
};

}  // namespace kaname::rpc
