// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include "server/web/http/message.hpp"

/// The calls of the gRPC server for who speaks HTTP and JSON: each is handed to the handler that
/// gRPC's callers reach, so that there is one rule for roles, owners, limits and the audit
/// (docs/decisions/0087-json-by-the-same-handlers.md).
namespace kaname::gateway {

/// One call of kaname.v1.
struct Method {
    const google::protobuf::MethodDescriptor* descriptor = nullptr;
    std::string name;     ///< "Jobs/ListJobs"
    std::string why_not;  ///< it is not served over HTTP; empty: it is
    /// As gRPC names it: "/kaname.v1.Jobs/ListJobs".
    [[nodiscard]] std::string path() const;
    [[nodiscard]] bool streams() const { return descriptor->server_streaming(); }
};

/// All calls of these services of package kaname.v1, from their descriptors. A new one is served
/// without a word here.
[[nodiscard]] std::vector<Method> methods_of(const std::vector<std::string>& services);

/// Null: none of that name is served.
[[nodiscard]] const Method* find(const std::vector<Method>& methods, std::string_view name);

using google::protobuf::Message;

/// Who calls, for the handler.
struct Caller {
    std::string authorization;  ///< "Bearer TOKEN"
    std::string connection;     ///< of the HTTP request, for limits
    std::string traceparent;    ///< W3C; empty: none
};
[[nodiscard]] Caller caller_of(const http::Request& request);

/// A channel to the gRPC server of this process.
class InProcessChannel {
public:
    using Stub = grpc::TemplatedGenericStub<Message, Message>;

    explicit InProcessChannel(std::shared_ptr<grpc::Channel> channel);
    /// Waits until the calls that are open have ended.
    ~InProcessChannel();
    InProcessChannel(const InProcessChannel&) = delete;
    InProcessChannel& operator=(const InProcessChannel&) = delete;

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
