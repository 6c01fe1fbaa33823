// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/workers_service.hpp"

#include <array>
#include <string>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "server/grpc/waiting_call.hpp"

namespace kaname::rpc {

using auth::Role;

grpc::ServerUnaryReactor* WorkersService::Register(grpc::CallbackServerContext* call,
                                                   const v1::RegisterRequest* request,
                                                   v1::RegisterResponse* reply) {
    return answer(host_, host_.heartbeats, *call, Role::Worker,
                  [=, this](const auth::Principal& caller) {
                      workers_.register_worker(*request, caller, *reply);
                  });
}

grpc::ServerUnaryReactor* WorkersService::Leave(grpc::CallbackServerContext* call,
                                                const v1::LeaveRequest* request,
                                                google::protobuf::Empty*) {
    return answer(host_, host_.heartbeats, *call, Role::Worker,
                  [=, this](const auth::Principal& caller) { workers_.leave(*request, caller); });
}

grpc::ServerUnaryReactor* WorkersService::Heartbeat(grpc::CallbackServerContext* call,
                                                    const v1::HeartbeatRequest* request,
                                                    v1::HeartbeatResponse* reply) {
    return answer(
        host_, host_.heartbeats, *call, Role::Worker,
        [=, this](const auth::Principal& caller) { workers_.heartbeat(*request, caller, *reply); });
}

grpc::ServerUnaryReactor* WorkersService::Complete(grpc::CallbackServerContext* call,
                                                   const v1::CompleteRequest* request,
                                                   v1::CompleteResponse* reply) {
    return answer(
        host_, host_.reports, *call, Role::Worker,
        [=, this](const auth::Principal& caller) { reports_.complete(*request, caller, *reply); });
}

grpc::ServerUnaryReactor* WorkersService::Fail(grpc::CallbackServerContext* call,
                                               const v1::FailRequest* request,
                                               google::protobuf::Empty*) {
    return answer(host_, host_.reports, *call, Role::Worker,
                  [=, this](const auth::Principal& caller) { reports_.fail(*request, caller); });
}

grpc::ServerUnaryReactor* WorkersService::ReturnTasks(grpc::CallbackServerContext* call,
                                                      const v1::ReturnTasksRequest* request,
                                                      google::protobuf::Empty*) {
    return answer(
        host_, host_.reports, *call, Role::Worker,
        [=, this](const auth::Principal& caller) { reports_.return_tasks(*request, caller); });
}

grpc::ServerUnaryReactor* WorkersService::GetResultUpload(grpc::CallbackServerContext* call,
                                                          const v1::GetUploadRequest* request,
                                                          v1::Upload* reply) {
    return answer(host_, host_.reports, *call, Role::Worker,
                  [=, this](const auth::Principal& caller) {
                      reports_.get_result_upload(*request, caller, *reply);
                  });
}

grpc::ServerUnaryReactor* WorkersService::GetCheckpointUpload(grpc::CallbackServerContext* call,
                                                              const v1::GetUploadRequest* request,
                                                              v1::Upload* reply) {
    return answer(host_, host_.reports, *call, Role::Worker,
                  [=, this](const auth::Principal& caller) {
                      reports_.get_checkpoint_upload(*request, caller, *reply);
                  });
}

grpc::ServerUnaryReactor* WorkersService::PutLog(grpc::CallbackServerContext* call,
                                                 const v1::PutLogRequest* request,
                                                 google::protobuf::Empty*) {
    return answer(host_, host_.reports, *call, Role::Worker,
                  [=, this](const auth::Principal& caller) { reports_.put_log(*request, caller); });
}

grpc::ServerUnaryReactor* WorkersService::Claim(grpc::CallbackServerContext* call,
                                                const v1::ClaimRequest* request,
                                                v1::ClaimResponse* reply) {
    return long_poll<v1::ClaimResponse>(
        {host_, host_.claims, *call, Role::Worker, &service::kClaims,
         [=, this](const auth::Principal& caller) { return claims_.claim(*request, caller); }},
        *reply);
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* WorkersService::GetInput(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request) {
    return stream<service::FilePart, grpc::ByteBuffer>(
        {host_, host_.inputs, *call, Role::Worker, &service::kInputs,
         [this, wanted = parsed<v1::ReadArtifactRequest>(*request)](const auth::Principal& caller) {
             return claims_.get_input(must(wanted), caller);
         }});
}

grpc::Status WorkersService::PutResult(grpc::ServerContext* call,
                                       grpc::ServerReader<v1::PutRequest>* reader,
                                       v1::Artifact* reply) {
    return handle(
        context_, *call, Role::Worker,
        [&](const auth::Principal& caller, service::Limits::Place& place) {
            reports_.put_result(reads(*reader, place), caller, *reply);
        },
        &service::kResultUploads);
}

grpc::Status WorkersService::PutResults(grpc::ServerContext* call,
                                        grpc::ServerReader<v1::PutRequest>* reader,
                                        v1::PutResultsResponse* reply) {
    return handle(
        context_, *call, Role::Worker,
        [&](const auth::Principal& caller, service::Limits::Place& place) {
            reports_.put_results(reads(*reader, place), caller, *reply);
        },
        &service::kResultUploads);
}

grpc::Status WorkersService::PutCheckpoint(grpc::ServerContext* call,
                                           grpc::ServerReader<v1::PutCheckpointRequest>* reader,
                                           v1::Artifact* reply) {
    return handle(
        context_, *call, Role::Worker,
        [&](const auth::Principal& caller, service::Limits::Place& place) {
            reports_.put_checkpoint(reads(*reader, place), caller, *reply);
        },
        &service::kResultUploads);
}

using auth::Role;

grpc::Status ArtifactsService::GetUpload(grpc::ServerContext* call,
                                         const v1::GetUploadRequest* request, v1::Upload* reply) {
    return handle(context_, *call, Role::User,
                  [&](const auth::Principal&) { artifacts_.get_upload(*request, *reply); });
}

grpc::Status ArtifactsService::Put(grpc::ServerContext* call,
                                   grpc::ServerReader<v1::PutRequest>* reader,
                                   v1::Artifact* reply) {
    return handle(
        context_, *call, Role::User,
        [&](const auth::Principal& caller, service::Limits::Place& place) {
            artifacts_.put(reads(*reader, place), caller, *reply);
        },
        &service::kUploads);
}

grpc::Status ArtifactsService::GetArtifact(grpc::ServerContext* call,
                                           const v1::GetArtifactRequest* request,
                                           v1::Artifact* reply) {
    return handle(context_, *call, Role::Viewer,
                  [&](const auth::Principal&) { artifacts_.get_artifact(*request, *reply); });
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* ArtifactsService::ReadArtifact(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request) {
    return stream<service::FilePart, grpc::ByteBuffer>(
        {host_, host_.files, *call, Role::Viewer, &service::kDownloads,
         [this, wanted = parsed<v1::ReadArtifactRequest>(*request)](const auth::Principal&) {
             return artifacts_.read_artifact(must(wanted));
         }});
}

grpc::ServerWriteReactor<v1::ReadSliceResponse>* ArtifactsService::ReadSlice(
    grpc::CallbackServerContext* call, const v1::ReadSliceRequest* request) {
    return stream<v1::ReadSliceResponse>(
        {host_, host_.slices, *call, Role::Viewer, &service::kDownloads,
         [=, this](const auth::Principal& caller) {
             return artifacts_.read_slice(*request, gone(*call, caller));
         }});
}

}  // namespace kaname::rpc

namespace kaname::service {
namespace {

using google::protobuf::internal::WireFormatLite;
using Chunk = std::shared_ptr<const std::string>;

void let_go(void* chunk) {
    delete static_cast<Chunk*>(chunk);
}

}  // namespace

grpc::ByteBuffer to_wire(const FilePart& part) {
    std::string head = part.head.SerializeAsString();
    const auto size = static_cast<google::protobuf::uint32>(part.chunk->size());
    constexpr auto kTag = WireFormatLite::MakeTag(v1::ReadArtifactResponse::kChunkFieldNumber,
                                                  WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
    std::array<google::protobuf::uint8, 10> prefix{};
    auto* end = google::protobuf::io::CodedOutputStream::WriteTagToArray(kTag, prefix.data());
    end = google::protobuf::io::CodedOutputStream::WriteVarint32ToArray(size, end);
    head.append(reinterpret_cast<const char*>(prefix.data()),
                static_cast<std::size_t>(end - prefix.data()));
    // gRPC may hold the bytes until they are on the socket, so the slice holds the chunk.
    auto* const held = new Chunk(part.chunk);
    const std::array<grpc::Slice, 2> slices{
        grpc::Slice(head),
        grpc::Slice(const_cast<char*>((*held)->data()), (*held)->size(), let_go, held)};
    return {slices.data(), slices.size()};
}

}  // namespace kaname::service
