// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/gateway/in_process_channel.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <map>

#include "proto/kaname/v1/admin_service.pb.h"
#include "proto/kaname/v1/artifacts_service.pb.h"
#include "proto/kaname/v1/campaigns_service.pb.h"
#include "proto/kaname/v1/datasets_service.pb.h"
#include "proto/kaname/v1/greens_service.pb.h"
#include "proto/kaname/v1/jobs_service.pb.h"
#include "server/grpc/call.hpp"
#include "server/web/gateway/messages.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gateway {
namespace {

/// Returns, for each method that rpc_page does not serve, the address that serves it or the reason.
const std::map<std::string, std::string>& left_out() {
    static const std::map<std::string, std::string> names = {
        {"Admin/MakeLoginCode", "POST /v1/login-codes"},
        {"Artifacts/GetUpload", "uploads are gRPC's"},
        {"Artifacts/ReadArtifact", "GET /v1/artifacts/<sha256>"},
        {"Artifacts/ReadSlice", "POST /v1/slices"},
    };
    return names;
}

/// By a message of each: a program has the descriptors of what it names alone.
std::array<const google::protobuf::FileDescriptor*, 6> files() {
    return {v1::GetJobRequest::descriptor()->file(),
            v1::StreamResultsRequest::descriptor()->file(),
            v1::GetArtifactRequest::descriptor()->file(),
            v1::GetDatasetRequest::descriptor()->file(),
            v1::GetCampaignRequest::descriptor()->file(),
            v1::GetStatsRequest::descriptor()->file()};
}

std::string why_not(const google::protobuf::MethodDescriptor& method, const std::string& name) {
    if (method.client_streaming()) {
        return "uploads are gRPC's";
    }
    const auto found = left_out().find(name);
    return found != left_out().end() ? found->second : "";
}

}  // namespace

std::string Method::path() const {
    return "/kaname.v1." + name;
}

std::vector<Method> methods_of(const std::vector<std::string>& services) {
    std::vector<Method> methods;
    for (const std::string& service : services) {
        const google::protobuf::ServiceDescriptor* found = nullptr;
        for (const google::protobuf::FileDescriptor* file : files()) {
            found = found == nullptr ? file->FindServiceByName(service) : found;
        }
        if (found == nullptr) {
            throw Error(ErrorCode::Internal, "kaname.v1." + service + " is no service");
        }
        for (int k = 0; k < found->method_count(); ++k) {
            const std::string name = service + '/' + found->method(k)->name();
            methods.push_back({found->method(k), name, why_not(*found->method(k), name)});
        }
    }
    return methods;
}

const Method* find(const std::vector<Method>& methods, std::string_view name) {
    const auto found = std::ranges::find_if(methods, [&](const Method& method) {
        return method.name == name && method.why_not.empty();
    });
    return found == methods.end() ? nullptr : &*found;
}

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

InProcessChannel::InProcessChannel(std::shared_ptr<grpc::Channel> channel)
    : stub_(std::move(channel)) {}

InProcessChannel::~InProcessChannel() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return n_open_ == 0; });
}

std::shared_ptr<void> InProcessChannel::open() {
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

void InProcessChannel::prepare(grpc::ClientContext& context, const Caller& caller,
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

std::string InProcessChannel::role_of(const Method& method) {
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
