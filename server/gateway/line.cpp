// SPDX-License-Identifier: BSD-3-Clause
#include "server/gateway/line.hpp"

#include <algorithm>
#include <future>

#include "server/gateway/messages.hpp"
#include "server/grpc/gateway_call.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gateway {
namespace {

/// version-trace-parent-flags, as https://www.w3.org/TR/trace-context/ has it.
bool is_traceparent(const std::string& text) {
    constexpr std::string_view kForm = "xx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx";
    return text.size() == kForm.size() &&
           std::ranges::equal(text, kForm, [](char letter, char form) {
               return form == '-'
                          ? letter == '-'
                          : (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
           });
}

}  // namespace

Caller caller_of(const http::Request& request) {
    const std::string trace = request.header("traceparent").value_or("");
    return {request.authorization, request.connection, is_traceparent(trace) ? trace : ""};
}

Line::Line(std::shared_ptr<grpc::Channel> channel) : stub_(std::move(channel)) {}

Line::~Line() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return n_open_ == 0; });
}

std::shared_ptr<void> Line::open() {
    {
        const std::lock_guard lock(mutex_);
        ++n_open_;
    }
    return {nullptr, [this](void*) {
                const std::lock_guard lock(mutex_);
                --n_open_;
                changed_.notify_all();
            }};
}

void Line::prepare(grpc::ClientContext& context, const Caller& caller,
                   std::chrono::seconds deadline) {
    context.AddMetadata("authorization", caller.authorization);
    context.AddMetadata(rpc::kGatewayKey, rpc::gateway_key());
    context.AddMetadata(rpc::kGatewayConnection, caller.connection);
    if (!caller.traceparent.empty()) {
        context.AddMetadata("traceparent", caller.traceparent);
    }
    if (deadline.count() > 0) {
        context.set_deadline(std::chrono::system_clock::now() + deadline);
    }
}

std::string Line::role_of(const Method& method) {
    constexpr std::chrono::seconds kPatience{10};
    grpc::ClientContext context;
    context.AddMetadata(rpc::kGatewayKey, rpc::gateway_key());
    context.AddMetadata(rpc::kGatewayAsksRole, "1");
    context.set_deadline(std::chrono::system_clock::now() + kPatience);
    const auto request = new_message(*method.descriptor->input_type());
    const auto reply = new_message(*method.descriptor->output_type());
    std::promise<grpc::Status> ended;
    stub_.UnaryCall(&context, method.path(), {}, request.get(), reply.get(),
                    [&](grpc::Status status) { ended.set_value(std::move(status)); });
    const grpc::Status status = ended.get_future().get();
    const std::string& said = status.error_message();
    constexpr std::string_view kRole = rpc::kRoleIs;
    if (status.error_code() != grpc::StatusCode::FAILED_PRECONDITION || !said.starts_with(kRole)) {
        throw Error(ErrorCode::Internal,
                    method.name + " does not say which role it needs: " + said);
    }
    return said.substr(kRole.size());
}

}  // namespace kaname::gateway
