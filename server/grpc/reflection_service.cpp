// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/reflection_service.hpp"

#include <set>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include "server/grpc/call.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::rpc {
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
