// SPDX-License-Identifier: BSD-3-Clause
// A server describes itself to the callers that may know.
#include <set>

#include <google/protobuf/descriptor.pb.h>

#include "proto/grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "server/grpc/admin_service.hpp"
#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::reflection_test {
namespace {

using grpc::StatusCode;
using grpc::reflection::v1alpha::ServerReflection;
using grpc::reflection::v1alpha::ServerReflectionRequest;
using grpc::reflection::v1alpha::ServerReflectionResponse;

class Reflection : public ApiTest {
protected:
    /// The answer to one question, and the stream's end.
    grpc::Status ask(const std::string& token, const ServerReflectionRequest& request,
                     ServerReflectionResponse& reply) {
        Call context(token);
        const auto stream = stub_->ServerReflectionInfo(&context);
        stream->Write(request);
        (void)stream->Read(&reply);
        stream->WritesDone();
        return stream->Finish();
    }

    std::unique_ptr<ServerReflection::Stub> stub_ = ServerReflection::NewStub(channel_);
};

TEST_F(Reflection, WantsATokenLikeAnyCall) {
    ServerReflectionRequest request;
    request.set_list_services("*");
    ServerReflectionResponse reply;

    EXPECT_EQ(ask("", request, reply).error_code(), StatusCode::UNAUTHENTICATED);
    EXPECT_EQ(ask("guess", request, reply).error_code(), StatusCode::UNAUTHENTICATED);
    EXPECT_EQ(ask(agent_, request, reply).error_code(), StatusCode::PERMISSION_DENIED);
    EXPECT_FALSE(reply.has_list_services_response());
    EXPECT_TRUE(ask(viewer_, request, reply).ok());
}

TEST_F(Reflection, TellsServicesAndTheFilesThatDescribeThem) {
    ServerReflectionRequest request;
    request.set_list_services("*");
    ServerReflectionResponse reply;
    ASSERT_TRUE(ask(viewer_, request, reply).ok());
    std::set<std::string> services;
    for (const auto& service : reply.list_services_response().service()) {
        services.insert(service.name());
    }
    EXPECT_TRUE(services.contains("kaname.v1.Jobs"));
    EXPECT_TRUE(services.contains("kaname.v1.Workers"));

    request.set_file_containing_symbol("kaname.v1.Jobs");
    ASSERT_TRUE(ask(viewer_, request, reply).ok());

    std::set<std::string> files, wanted;
    for (const std::string& bytes : reply.file_descriptor_response().file_descriptor_proto()) {
        google::protobuf::FileDescriptorProto file;
        ASSERT_TRUE(file.ParseFromString(bytes));
        EXPECT_TRUE(files.insert(file.name()).second) << file.name() << " twice";
        wanted.insert(file.dependency().begin(), file.dependency().end());
    }
    EXPECT_TRUE(files.contains("proto/kaname/v1/jobs_service.proto"));
    for (const std::string& file : wanted) {
        EXPECT_TRUE(files.contains(file)) << file << " is imported and not told";
    }
    request.set_file_by_filename("/etc/passwd");
    ASSERT_TRUE(ask(viewer_, request, reply).ok());
    EXPECT_EQ(reply.error_response().error_code(), StatusCode::NOT_FOUND);
}

TEST_F(Reflection, AnswersUnderTheNameOfItsFirstVersion) {
    const grpc::internal::RpcMethod method(
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", nullptr,
        grpc::internal::RpcMethod::BIDI_STREAMING, channel_);
    using Stream = grpc::internal::ClientReaderWriterFactory<ServerReflectionRequest,
                                                             ServerReflectionResponse>;
    for (const auto& [token, code] : {std::pair(viewer_, StatusCode::OK),
                                      std::pair(std::string(), StatusCode::UNAUTHENTICATED)}) {
        Call context(token);
        const std::unique_ptr<
            grpc::ClientReaderWriter<ServerReflectionRequest, ServerReflectionResponse>>
            stream(Stream::Create(channel_.get(), method, &context));
        ServerReflectionRequest request;
        request.set_file_containing_symbol("kaname.v1.Jobs");
        ServerReflectionResponse reply;
        stream->Write(request);
        EXPECT_EQ(stream->Read(&reply), code == StatusCode::OK);
        stream->WritesDone();
        EXPECT_EQ(stream->Finish().error_code(), code);
        EXPECT_EQ(reply.has_file_descriptor_response(), code == StatusCode::OK);
    }
}

TEST_F(Reflection, FewStreamsAreOpenAtATime) {
    std::vector<std::unique_ptr<Call>> calls;
    std::vector<std::unique_ptr<
        grpc::ClientReaderWriter<ServerReflectionRequest, ServerReflectionResponse>>>
        streams;
    ServerReflectionRequest request;
    request.set_list_services("*");
    ServerReflectionResponse reply;
    for (int n = 0; n < rpc::kReflections.per_principal; ++n) {
        calls.push_back(std::make_unique<Call>(viewer_));
        streams.push_back(stub_->ServerReflectionInfo(calls.back().get()));
        streams.back()->Write(request);
        ASSERT_TRUE(streams.back()->Read(&reply));
    }

    EXPECT_EQ(ask(viewer_, request, reply).error_code(), StatusCode::RESOURCE_EXHAUSTED);

    streams.back()->WritesDone();
    EXPECT_TRUE(streams.back()->Finish().ok());
    streams.pop_back();
    for (const auto& call : calls) {
        call->TryCancel();
    }
}

}  // namespace
}  // namespace kaname::service::reflection_test
