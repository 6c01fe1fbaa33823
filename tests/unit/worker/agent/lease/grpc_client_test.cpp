// SPDX-License-Identifier: BSD-3-Clause
// The client does more than hand calls on.
#include "worker/agent/lease/grpc_client.hpp"

#include <atomic>
#include <thread>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "solvers/base/checksums.hpp"
#include "solvers/base/files.hpp"

namespace kaname::agent::grpc_client_test {
namespace {

/// Has a task for a claim, and lets its caller wait although it has.
class SlowServer final : public v1::Workers::Service {
public:
    SlowServer() {
        grpc::ServerBuilder builder;
        builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
        builder.RegisterService(this);
        server_ = builder.BuildAndStart();
    }
    ~SlowServer() override { server_->Shutdown(); }

    grpc::Status Claim(grpc::ServerContext* call, const v1::ClaimRequest* request,
                       v1::ClaimResponse* reply) override {
        ++n_claims;
        const auto end =
            std::chrono::steady_clock::now() + std::chrono::duration<double>(request->wait_s());
        while (std::chrono::steady_clock::now() < end && !call->IsCancelled()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        cancelled = cancelled || call->IsCancelled();
        reply->add_tasks()->set_label(request->claim_id());
        return grpc::Status::OK;
    }
    grpc::Status GetResultUpload(grpc::ServerContext*, const v1::GetUploadRequest*,
                                 v1::Upload*) override {
        return grpc::Status::OK;
    }
    grpc::Status PutResult(grpc::ServerContext*, grpc::ServerReader<v1::PutRequest>* reader,
                           v1::Artifact*) override {
        ++n_alone;
        for (v1::PutRequest part; reader->Read(&part);) {
            bytes += part.chunk();
        }
        return grpc::Status::OK;
    }
    grpc::Status PutResults(grpc::ServerContext*, grpc::ServerReader<v1::PutRequest>* reader,
                            v1::PutResultsResponse*) override {
        ++n_together;
        if (old) {
            return {grpc::StatusCode::UNIMPLEMENTED, ""};
        }
        for (v1::PutRequest part; reader->Read(&part);) {
            bytes += part.has_header() ? "|" : part.chunk();
        }
        return grpc::Status::OK;
    }
    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

    std::atomic<int> n_claims = 0;
    std::atomic<bool> cancelled = false;
    std::atomic<int> n_alone = 0, n_together = 0;
    bool old = false;   ///< of a version without PutResults
    std::string bytes;  ///< of results, in the order in which they came

private:
    int port_ = 0;
    std::unique_ptr<grpc::Server> server_;
};

v1::ClaimRequest waiting(double wait_s) {
    v1::ClaimRequest request;
    request.set_claim_id("mine");
    request.set_wait_s(wait_s);
    return request;
}

TEST(GrpcWorkersClient, AClaimThatIsNoLongerWantedIsCutShortAndItsTasksAreKnownAllTheSame) {
    SlowServer server;
    GrpcWorkersClient client({server.address()}, "token");
    const auto start = std::chrono::steady_clock::now();
    const std::jthread news([&] {
        while (server.n_claims == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        client.look_again();
    });

    const v1::ClaimResponse reply = client.claim(waiting(19), [&] { return server.n_claims > 0; });

    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
    ASSERT_EQ(reply.tasks_size(), 1);
    EXPECT_EQ(reply.tasks(0).label(), "mine");
    EXPECT_EQ(server.n_claims, 2);
}

TEST(GrpcWorkersClient, AClaimThatIsWantedWaits) {
    SlowServer server;
    GrpcWorkersClient client({server.address()}, "token");

    const v1::ClaimResponse reply = client.claim(waiting(0.2), [] { return false; });

    EXPECT_EQ(reply.tasks_size(), 1);
    EXPECT_EQ(server.n_claims, 1);
    EXPECT_FALSE(server.cancelled);
}

class Putting : public testing::Test {
protected:
    ResultFile file(const std::string& text) {
        const auto path = folder_.path() / sha256_hex(text).substr(0, 8);
        write_file(path, text);
        return {{sha256_hex(text), static_cast<std::int64_t>(text.size())}, path};
    }

    TemporaryFolder folder_;
    SlowServer server_;
    GrpcWorkersClient client_{{server_.address()}, "token"};
};

TEST_F(Putting, SmallResultsTravelTogetherAndALargeOneByItself) {
    const std::string large(5 << 20, 'x');

    client_.put_results(std::vector{file("a"), file(large), file("b")});

    EXPECT_EQ(server_.n_together, 1);
    EXPECT_EQ(server_.n_alone, 1);
    EXPECT_EQ(server_.bytes, large + "|a|b");
}

TEST_F(Putting, AnOlderServerGetsThemOneByOne) {
    server_.old = true;

    client_.put_results(std::vector{file("a"), file("b")});
    client_.put_results(std::vector{file("c"), file("d")});

    EXPECT_EQ(server_.n_together, 1) << "asked once";
    EXPECT_EQ(server_.bytes, "abcd");
}

}  // namespace
}  // namespace kaname::agent::grpc_client_test
