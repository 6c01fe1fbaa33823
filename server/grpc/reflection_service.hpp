// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "server/service/context.hpp"

namespace kaname::rpc {

/// Streams of reflection that may be open; each holds a thread of the synchronous API.
inline constexpr service::Limit kReflections{"reflection streams", 2, 2, 16};

/// Which calls there are, for grpcurl: to who may read, as any other call. The library's own
/// service asks for no token.
class ReflectionService final : public grpc::reflection::v1alpha::ServerReflection::Service {
public:
    /// `services`: full names of those that the server has.
    ReflectionService(service::Context& context, std::vector<std::string> services)
        : context_(context), services_(std::move(services)) {}

    grpc::Status ServerReflectionInfo(
        grpc::ServerContext* call,
        grpc::ServerReaderWriter<grpc::reflection::v1alpha::ServerReflectionResponse,
                                 grpc::reflection::v1alpha::ServerReflectionRequest>* stream)
        override;

private:
    service::Context& context_;
    std::vector<std::string> services_;
};

}  // namespace kaname::rpc
