// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <google/protobuf/message.h>
#include <grpcpp/support/status.h>

namespace kaname::gateway {

inline constexpr std::size_t kMaxRequestJson = 1U << 20U;  ///< bytes of a body that is a message

/// An empty message of a generated type.
[[nodiscard]] std::unique_ptr<google::protobuf::Message> new_message(
    const google::protobuf::Descriptor& type);

/// The message that a JSON text says in protobuf's mapping; an empty text says nothing. Throws
/// ValidationError, of field `what`, for what is no JSON and for fields that it has not.
[[nodiscard]] std::unique_ptr<google::protobuf::Message> parse(
    const google::protobuf::Descriptor& type, const std::string& json, const std::string& what);

/// google.rpc.Status as JSON.
[[nodiscard]] std::string to_json(const grpc::Status& status);

/// Throws what a status of our own server stands for.
[[noreturn]] void throw_status(const grpc::Status& status);

}  // namespace kaname::gateway
