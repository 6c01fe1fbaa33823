// SPDX-License-Identifier: BSD-3-Clause
// The port as gRPC's own client sees it: who has no good token, and what is not taken of the
// others.
#include <grpcpp/generic/generic_stub.h>

#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::network_test {
namespace {

class NetworkTest : public ApiTest {
protected:
    static constexpr const char* kCheck = "/grpc.health.v1.Health/Check";

    /// A connection of its own: gRPC shares those whose arguments are equal.
    std::shared_ptr<grpc::Channel> connect() {
        grpc::ChannelArguments arguments;
        arguments.SetInt("kaname.test.connection", ++n_connections_);
        return grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(server_->port()),
                                         grpc::InsecureChannelCredentials(), arguments);
    }
    /// A request of about so many bytes, which is refused for what it says.
    v1::CreateJobRequest large(std::size_t bytes) {
        v1::CreateJobRequest request;
        *request.mutable_batch() = batch_;
        request.mutable_batch()->set_name(std::string(bytes, 'x'));
        return request;
    }
    static grpc::Status create(const std::shared_ptr<grpc::Channel>& channel,
                               const std::string& token, const v1::CreateJobRequest& request) {
        v1::Job job;
        return call(*v1::Jobs::NewStub(channel), &v1::Jobs::Stub::CreateJob, token, request, job);
    }
    /// Returns the status with which a call ends whose message and answer are bytes.
    static grpc::Status ask(const std::shared_ptr<grpc::Channel>& channel, const std::string& path,
                            const std::string& message, std::string& answer) {
        grpc::GenericStub stub(channel);
        Call call("");
        const grpc::Slice slice(message);
        const grpc::ByteBuffer sent(&slice, 1);
        grpc::ByteBuffer got;
        grpc::CompletionQueue queue;
        const auto reader = stub.PrepareUnaryCall(&call, path, sent, &queue);
        grpc::Status status;
        reader->StartCall();
        reader->Finish(&got, &status, nullptr);
        void* tag = nullptr;
        bool ok = false;
        queue.Next(&tag, &ok);
        std::vector<grpc::Slice> slices;
        (void)got.Dump(&slices);
        for (const grpc::Slice& part : slices) {
            answer.append(reinterpret_cast<const char*>(part.begin()), part.size());
        }
        return status;
    }

private:
    int n_connections_ = 0;
};

TEST_F(NetworkTest, ACallWithoutAGoodTokenIsRefusedWhateverItsSize) {
    const auto channel = connect();
    for (const std::size_t bytes : {100U, 3U << 20U}) {
        for (const char* token : {"", "guess"}) {
            const grpc::Status status = create(channel, token, large(bytes));
            EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED)
                << bytes << ' ' << token << ' ' << status.error_message();
        }
    }
    EXPECT_NE(create(channel, "", large(1)).error_message().find("no token: authorization"),
              std::string::npos);
    // A call with a good token passes authentication on the same connection.
    EXPECT_EQ(create(channel, user_, large(1000)).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_NE(server_->metrics().find("UNAUTHENTICATED"), std::string::npos);
}

TEST_F(NetworkTest, AFirstCallMayBeLarge) {
    EXPECT_EQ(create(connect(), user_, large(3U << 20U)).error_code(),
              grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(NetworkTest, CompressedMessagesAreNotTaken) {
    const auto stub = v1::Jobs::NewStub(connect());
    for (const auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
        Call call(user_);
        call.set_compression_algorithm(algorithm);
        v1::Job job;
        const grpc::Status status = stub->CreateJob(&call, large(2U << 20U), &job);
        EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED) << status.error_message();
    }
}

TEST_F(NetworkTest, HealthIsToldToAnybody) {
    std::string serving, unknown, watched;
    const auto channel = connect();

    EXPECT_TRUE(ask(channel, kCheck, "", serving).ok());
    EXPECT_EQ(serving, "\x08\x01");
    EXPECT_TRUE(ask(channel, kCheck, "\x0a\x0ekaname.v1.Jobs", serving).ok());
    EXPECT_EQ(ask(channel, kCheck, "\x0a\x01x", unknown).error_code(), grpc::StatusCode::NOT_FOUND);
    EXPECT_EQ(ask(channel, "/grpc.health.v1.Health/Watch", "", watched).error_code(),
              grpc::StatusCode::UNAUTHENTICATED);
    server_->set_serving(false);
    std::string not_serving;
    EXPECT_TRUE(ask(channel, kCheck, "", not_serving).ok());
    EXPECT_EQ(not_serving, "\x08\x02");
}

}  // namespace
}  // namespace kaname::service::network_test
