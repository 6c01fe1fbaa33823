// SPDX-License-Identifier: BSD-3-Clause
// What the client does beyond handing calls on.
#include "worker/agent/lease/grpc_client.hpp"

#include <atomic>
#include <thread>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

namespace kaname::agent {
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
    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

    std::atomic<int> n_claims = 0;
    std::atomic<bool> cancelled = false;

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

    const v1::ClaimResponse reply = client.claim(waiting(19), [&] { return server.n_claims > 0; });

    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
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

}  // namespace
}  // namespace kaname::agent
