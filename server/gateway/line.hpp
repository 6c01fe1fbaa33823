// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include "server/gateway/methods.hpp"
#include "server/http/message.hpp"

namespace kaname::gateway {

using google::protobuf::Message;

/// Who calls, for the handler.
struct Caller {
    std::string authorization;  ///< "Bearer TOKEN"
    std::string connection;     ///< of the HTTP request, for limits
    std::string traceparent;    ///< W3C; empty: none
};
[[nodiscard]] Caller caller_of(const http::Request& request);

/// A channel to the gRPC server of this process.
class Line {
public:
    using Stub = grpc::TemplatedGenericStub<Message, Message>;

    explicit Line(std::shared_ptr<grpc::Channel> channel);
    /// Waits until the calls that are open have ended.
    ~Line();
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    /// Kept by a call until its end.
    [[nodiscard]] std::shared_ptr<void> open();

    /// Metadata and a deadline (none: 0) of a call.
    static void prepare(grpc::ClientContext& context, const Caller& caller,
                        std::chrono::seconds deadline);
    [[nodiscard]] Stub& stub() { return stub_; }
    /// The role that a method needs, as its handler says.
    [[nodiscard]] std::string role_of(const Method& method);

private:
    Stub stub_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int n_open_ = 0;
};

}  // namespace kaname::gateway
