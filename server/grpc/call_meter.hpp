// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <grpcpp/support/server_interceptor.h>

#include "server/service/meters.hpp"

namespace kaname::rpc {

/// Counts every call of a server and how it ended, whichever of gRPC's interfaces it is of, from
/// the arrival of its head until its status is sent. Streams have no time: how long a watch goes on
/// says nothing.
class CallMeters final : public grpc::experimental::ServerInterceptorFactoryInterface {
public:
    explicit CallMeters(service::Meters& meters) : meters_(meters) {}

    grpc::experimental::Interceptor* CreateServerInterceptor(
        grpc::experimental::ServerRpcInfo* info) override;

private:
    service::Meters& meters_;
};

}  // namespace kaname::rpc
