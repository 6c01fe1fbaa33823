// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/byte_buffer.h>

#include "solvers/base/error.hpp"

namespace kaname::rpc {

/// The request of a call whose answers are bytes; nothing where it is no such message.
template <class Request>
std::optional<Request> parsed(const grpc::ByteBuffer& bytes) {
    grpc::ByteBuffer copy = bytes;  // of references; deserialization takes it
    Request request;
    const grpc::Status status = grpc::SerializationTraits<Request>::Deserialize(&copy, &request);
    return status.ok() ? std::optional(request) : std::nullopt;
}

/// Throws InvalidArgument where there is none; after it is known who calls.
template <class Request>
const Request& must(const std::optional<Request>& request) {
    if (!request) {
        throw Error(ErrorCode::InvalidArgument, "the request cannot be parsed");
    }
    return *request;
}

}  // namespace kaname::rpc
