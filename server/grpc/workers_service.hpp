// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/byte_buffer.h>

#include "proto/kaname/v1/artifacts_service.grpc.pb.h"
#include "proto/kaname/v1/workers_service.grpc.pb.h"
#include "server/grpc/host.hpp"
#include "server/service/datasets/transfers.hpp"
#include "server/service/workers/claims.hpp"
#include "server/service/workers/reports.hpp"
#include "server/service/workers/workers.hpp"
#include "solvers/base/error.hpp"

namespace kaname::rpc {

/// All but the uploads are of the callback API: no call of others takes their threads.
template <class Base>
using WorkersKept = v1::Workers::WithCallbackMethod_Register<
    v1::Workers::WithCallbackMethod_Leave<v1::Workers::WithCallbackMethod_Heartbeat<
        v1::Workers::WithCallbackMethod_Claim<v1::Workers::WithRawCallbackMethod_GetInput<Base>>>>>;
template <class Base>
using WorkersReporting = v1::Workers::WithCallbackMethod_Complete<
    v1::Workers::WithCallbackMethod_Fail<v1::Workers::WithCallbackMethod_ReturnTasks<
        v1::Workers::WithCallbackMethod_PutLog<v1::Workers::WithCallbackMethod_GetResultUpload<
            v1::Workers::WithCallbackMethod_GetCheckpointUpload<Base>>>>>>;

class WorkersService final : public WorkersKept<WorkersReporting<v1::Workers::Service>> {
public:
    WorkersService(Host& host, service::Workers& workers, service::Claims& claims,
                   service::Reports& reports)
        : host_(host),
          context_(host.context),
          workers_(workers),
          claims_(claims),
          reports_(reports) {}

    grpc::ServerUnaryReactor* Register(grpc::CallbackServerContext* call,
                                       const v1::RegisterRequest* request,
                                       v1::RegisterResponse* reply) override;
    grpc::ServerUnaryReactor* Leave(grpc::CallbackServerContext* call,
                                    const v1::LeaveRequest* request,
                                    google::protobuf::Empty* reply) override;
    grpc::ServerUnaryReactor* Heartbeat(grpc::CallbackServerContext* call,
                                        const v1::HeartbeatRequest* request,
                                        v1::HeartbeatResponse* reply) override;
    grpc::ServerUnaryReactor* Complete(grpc::CallbackServerContext* call,
                                       const v1::CompleteRequest* request,
                                       v1::CompleteResponse* reply) override;
    grpc::ServerUnaryReactor* Fail(grpc::CallbackServerContext* call,
                                   const v1::FailRequest* request,
                                   google::protobuf::Empty* reply) override;
    grpc::ServerUnaryReactor* ReturnTasks(grpc::CallbackServerContext* call,
                                          const v1::ReturnTasksRequest* request,
                                          google::protobuf::Empty* reply) override;
    grpc::ServerUnaryReactor* GetResultUpload(grpc::CallbackServerContext* call,
                                              const v1::GetUploadRequest* request,
                                              v1::Upload* reply) override;
    grpc::ServerUnaryReactor* GetCheckpointUpload(grpc::CallbackServerContext* call,
                                                  const v1::GetUploadRequest* request,
                                                  v1::Upload* reply) override;
    grpc::ServerUnaryReactor* PutLog(grpc::CallbackServerContext* call,
                                     const v1::PutLogRequest* request,
                                     google::protobuf::Empty* reply) override;
    grpc::ServerUnaryReactor* Claim(grpc::CallbackServerContext* call,
                                    const v1::ClaimRequest* request,
                                    v1::ClaimResponse* reply) override;
    grpc::ServerWriteReactor<grpc::ByteBuffer>* GetInput(grpc::CallbackServerContext* call,
                                                         const grpc::ByteBuffer* request) override;
    grpc::Status PutResult(grpc::ServerContext* call, grpc::ServerReader<v1::PutRequest>* reader,
                           v1::Artifact* reply) override;
    grpc::Status PutResults(grpc::ServerContext* call, grpc::ServerReader<v1::PutRequest>* reader,
                            v1::PutResultsResponse* reply) override;
    grpc::Status PutCheckpoint(grpc::ServerContext* call,
                               grpc::ServerReader<v1::PutCheckpointRequest>* reader,
                               v1::Artifact* reply) override;

private:
    Host& host_;
    service::Context& context_;
    service::Workers& workers_;
    service::Claims& claims_;
    service::Reports& reports_;
};

using ArtifactsBase = v1::Artifacts::WithRawCallbackMethod_ReadArtifact<
    v1::Artifacts::WithCallbackMethod_ReadSlice<v1::Artifacts::Service>>;

class ArtifactsService final : public ArtifactsBase {
public:
    ArtifactsService(Host& host, service::Artifacts& artifacts)
        : host_(host), context_(host.context), artifacts_(artifacts) {}

    grpc::Status GetUpload(grpc::ServerContext* call, const v1::GetUploadRequest* request,
                           v1::Upload* reply) override;
    grpc::Status Put(grpc::ServerContext* call, grpc::ServerReader<v1::PutRequest>* reader,
                     v1::Artifact* reply) override;
    grpc::Status GetArtifact(grpc::ServerContext* call, const v1::GetArtifactRequest* request,
                             v1::Artifact* reply) override;
    grpc::ServerWriteReactor<grpc::ByteBuffer>* ReadArtifact(
        grpc::CallbackServerContext* call, const grpc::ByteBuffer* request) override;
    grpc::ServerWriteReactor<v1::ReadSliceResponse>* ReadSlice(
        grpc::CallbackServerContext* call, const v1::ReadSliceRequest* request) override;

private:
    Host& host_;
    service::Context& context_;
    service::Artifacts& artifacts_;
};

}  // namespace kaname::rpc

namespace kaname::service {

/// The bytes of a v1::ReadArtifactResponse with the chunk where it lies: gRPC's own way copies it.
[[nodiscard]] grpc::ByteBuffer to_wire(const FilePart& part);

}  // namespace kaname::service

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
