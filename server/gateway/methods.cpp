// SPDX-License-Identifier: BSD-3-Clause
#include "server/gateway/methods.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "proto/kaname/v1/admin_service.pb.h"
#include "proto/kaname/v1/artifacts_service.pb.h"
#include "proto/kaname/v1/campaigns_service.pb.h"
#include "proto/kaname/v1/datasets_service.pb.h"
#include "proto/kaname/v1/greens_service.pb.h"
#include "proto/kaname/v1/jobs_service.pb.h"
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

}  // namespace kaname::gateway
