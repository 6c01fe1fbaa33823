// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/admin_service.hpp"

#include <functional>
#include <set>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include "server/grpc/call.hpp"
#include "solvers/base/text.hpp"

namespace kaname::rpc {

using auth::Role;

grpc::Status AdminService::ListWorkers(grpc::ServerContext* call,
                                       const v1::ListWorkersRequest* request,
                                       v1::ListWorkersResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.list_workers(*request, *reply); });
}

grpc::Status AdminService::DrainWorker(grpc::ServerContext* call,
                                       const v1::DrainWorkerRequest* request, v1::Worker* reply) {
    return handle(context_, *call, Role::Operator, [&](const auth::Principal& caller) {
        admin_.drain_worker(*request, caller, *reply);
    });
}

grpc::Status AdminService::SetDrain(grpc::ServerContext* call, const v1::SetDrainRequest* request,
                                    v1::SetDrainResponse*) {
    return handle(context_, *call, Role::Operator,
                  [&](const auth::Principal& caller) { admin_.set_drain(*request, caller); });
}

grpc::Status AdminService::ListDrains(grpc::ServerContext* call,
                                      const v1::ListDrainsRequest* request,
                                      v1::ListDrainsResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.list_drains(*request, *reply); });
}

grpc::Status AdminService::SetQuota(grpc::ServerContext* call, const v1::SetQuotaRequest* request,
                                    v1::Quota* reply) {
    return handle(context_, *call, Role::Operator, [&](const auth::Principal& caller) {
        admin_.set_quota(*request, caller, *reply);
    });
}

grpc::Status AdminService::ListQuotas(grpc::ServerContext* call,
                                      const v1::ListQuotasRequest* request,
                                      v1::ListQuotasResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.list_quotas(*request, *reply); });
}

grpc::Status AdminService::UncordonGpu(grpc::ServerContext* call,
                                       const v1::UncordonGpuRequest* request,
                                       v1::UncordonGpuResponse*) {
    return handle(context_, *call, Role::Operator,
                  [&](const auth::Principal& caller) { admin_.uncordon_gpu(*request, caller); });
}

grpc::Status AdminService::SetCordon(grpc::ServerContext* call, const v1::SetCordonRequest* request,
                                     v1::SetCordonResponse*) {
    return handle(context_, *call, Role::Operator,
                  [&](const auth::Principal& caller) { admin_.set_cordon(*request, caller); });
}

grpc::Status AdminService::ListCordons(grpc::ServerContext* call,
                                       const v1::ListCordonsRequest* request,
                                       v1::ListCordonsResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.list_cordons(*request, *reply); });
}

grpc::Status AdminService::ListGpuHistory(grpc::ServerContext* call,
                                          const v1::ListGpuHistoryRequest* request,
                                          v1::ListGpuHistoryResponse* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.list_gpu_history(*request, *reply); });
}

grpc::Status AdminService::ListBackups(grpc::ServerContext* call,
                                       const v1::ListBackupsRequest* request,
                                       v1::ListBackupsResponse* reply) {
    return handle(context_, *call, Role::Admin,
                  [&](const auth::Principal&) { admin_.list_backups(*request, *reply); });
}

grpc::Status AdminService::GetStats(grpc::ServerContext* call, const v1::GetStatsRequest*,
                                    v1::Stats* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { admin_.get_stats(*reply); });
}

grpc::Status AdminService::MakeToken(grpc::ServerContext* call, const v1::MakeTokenRequest* request,
                                     v1::MakeTokenResponse* reply) {
    return handle(context_, *call, Role::Admin, [&](const auth::Principal& caller) {
        access_.make_token(*request, caller, *reply);
    });
}

grpc::Status AdminService::ListTokens(grpc::ServerContext* call,
                                      const v1::ListTokensRequest* request,
                                      v1::ListTokensResponse* reply) {
    return handle(context_, *call, Role::Admin,
                  [&](const auth::Principal&) { access_.list_tokens(*request, *reply); });
}

grpc::Status AdminService::RevokeToken(grpc::ServerContext* call,
                                       const v1::RevokeTokenRequest* request, v1::Token* reply) {
    return handle(context_, *call, Role::Admin, [&](const auth::Principal& caller) {
        access_.revoke_token(*request, caller, *reply);
    });
}

grpc::Status AdminService::MakeLoginCode(grpc::ServerContext* call, const v1::MakeLoginCodeRequest*,
                                         v1::MakeLoginCodeResponse* reply) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal& caller) {
        access_.make_login_code(caller, token_of(*call), *reply);
    });
}

grpc::Status AdminService::CollectGarbage(grpc::ServerContext* call,
                                          const v1::CollectGarbageRequest* request,
                                          v1::CollectGarbageResponse* reply) {
    return handle(context_, *call, Role::Admin, [&](const auth::Principal& caller) {
        admin_.collect_garbage(*request, caller, *reply);
    });
}

grpc::Status AdminService::ListAuditEvents(grpc::ServerContext* call,
                                           const v1::ListAuditEventsRequest* request,
                                           v1::ListAuditEventsResponse* reply) {
    return handle(context_, *call, Role::Admin,
                  [&](const auth::Principal&) { access_.list_audit_events(*request, *reply); });
}

namespace {

using google::protobuf::FileDescriptor;
using grpc::reflection::v1alpha::ServerReflectionRequest;
using grpc::reflection::v1alpha::ServerReflectionResponse;

constexpr std::size_t kMaxName = 512;

/// The file and all that it imports, each once.
void add_files(const FileDescriptor& file, std::set<const FileDescriptor*>& told,
               ServerReflectionResponse& reply) {
    if (!told.insert(&file).second) {
        return;
    }
    google::protobuf::FileDescriptorProto message;
    file.CopyTo(&message);
    message.SerializeToString(
        reply.mutable_file_descriptor_response()->add_file_descriptor_proto());
    for (int k = 0; k < file.dependency_count(); ++k) {
        add_files(*file.dependency(k), told, reply);
    }
}

void answer_reflection(const ServerReflectionRequest& request,
                       const std::vector<std::string>& services, ServerReflectionResponse& reply) {
    const auto* pool = google::protobuf::DescriptorPool::generated_pool();
    const FileDescriptor* file = nullptr;
    std::string wanted = "what was asked for";
    switch (request.message_request_case()) {
        case ServerReflectionRequest::kListServices:
            for (const std::string& name : services) {
                reply.mutable_list_services_response()->add_service()->set_name(name);
            }
            return;
        case ServerReflectionRequest::kFileByFilename:
            wanted = to_utf8(request.file_by_filename(), kMaxName);
            file = pool->FindFileByName(wanted);
            break;
        case ServerReflectionRequest::kFileContainingSymbol:
            wanted = to_utf8(request.file_containing_symbol(), kMaxName);
            file = pool->FindFileContainingSymbol(wanted);
            break;
        default:
            break;
    }
    if (file != nullptr) {
        std::set<const FileDescriptor*> told;
        add_files(*file, told, reply);
        return;
    }
    reply.mutable_error_response()->set_error_code(grpc::StatusCode::NOT_FOUND);
    reply.mutable_error_response()->set_error_message(wanted + " is not of this server");
}

}  // namespace

ReflectionService::ReflectionService(service::Context& context, std::vector<std::string> services)
    : context_(context), services_(std::move(services)) {
    using Handler = grpc::internal::BidiStreamingHandler<ReflectionService, ServerReflectionRequest,
                                                         ServerReflectionResponse>;
    static const std::string path = std::string("/") + kReflectionV1 + "/ServerReflectionInfo";
    AddMethod(new grpc::internal::RpcServiceMethod(  // which the base owns
        path.c_str(), grpc::internal::RpcMethod::BIDI_STREAMING,
        new Handler(std::mem_fn(&ReflectionService::ServerReflectionInfo), this)));
}

grpc::Status ReflectionService::ServerReflectionInfo(
    grpc::ServerContext* call,
    grpc::ServerReaderWriter<ServerReflectionResponse, ServerReflectionRequest>* stream) {
    return handle(
        context_, *call, auth::Role::Viewer,
        [&](const auth::Principal&) {
            ServerReflectionRequest request;
            while (stream->Read(&request)) {
                ServerReflectionResponse reply;
                reply.set_valid_host(to_utf8(request.host(), kMaxName));
                if (request.ByteSizeLong() <= kMaxName) {
                    *reply.mutable_original_request() = request;
                }
                answer_reflection(request, services_, reply);
                if (!stream->Write(reply)) {
                    return;
                }
            }
        },
        &kReflections);
}

}  // namespace kaname::rpc
