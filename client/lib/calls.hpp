// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include <grpcpp/grpcpp.h>
#include <sys/types.h>

#include "client/lib/client.hpp"
#include "proto/kaname/v1/admin_service.grpc.pb.h"
#include "proto/kaname/v1/artifacts_service.grpc.pb.h"
#include "proto/kaname/v1/campaigns_service.grpc.pb.h"
#include "proto/kaname/v1/datasets_service.grpc.pb.h"
#include "proto/kaname/v1/greens_service.grpc.pb.h"
#include "proto/kaname/v1/jobs_service.grpc.pb.h"

namespace kaname::client {

/// Limit of a call that lasts for as long as a job or a campaign goes on.
inline constexpr std::chrono::seconds kStream{24 * 3600};

/// Cancels calls that wait when the user wants to leave.
class Canceller {
public:
    explicit Canceller(std::function<bool()> cancelled);
    void add(grpc::ClientContext* call);
    void remove(grpc::ClientContext* call);

private:
    std::mutex mutex_;
    std::set<grpc::ClientContext*> calls_;
    std::function<bool()> cancelled_;
    std::jthread thread_;
};

struct Client::Parts {
    Parts(Endpoint endpoint, ClientOptions options);

    /// One call's context: token, deadline, and its end when the user leaves.
    class Call : public grpc::ClientContext {
    public:
        Call(Parts& parts, std::chrono::seconds limit);
        ~Call();

    private:
        Parts& parts_;
    };

    /// Throws what the user or the server says; the transport's failures name the server.
    void check(const grpc::Status& status, const char* call);
    /// `attempt` until it does not throw Unavailable, or the tries are used up.
    void insist(const std::function<void()>& attempt);
    /// A unary call with retries.
    template <class Method, class Stub, class Request, class Reply>
    void unary(const char* name, Stub& stub, Method method, const Request& request, Reply& reply,
               std::chrono::seconds limit = std::chrono::seconds(30)) {
        insist([&] {
            Call call(*this, limit);
            reply.Clear();
            check((stub.*method)(&call, request, &reply), name);
        });
    }

    Endpoint endpoint;
    ClientOptions options;
    std::shared_ptr<grpc::Channel> channel;
    std::unique_ptr<v1::Jobs::Stub> jobs;
    std::unique_ptr<v1::Campaigns::Stub> campaigns;
    std::unique_ptr<v1::Greens::Stub> greens;
    std::unique_ptr<v1::Artifacts::Stub> artifacts;
    std::unique_ptr<v1::Datasets::Stub> datasets;
    std::unique_ptr<v1::Admin::Stub> admin;
    Canceller canceller;
};

/// A stream that is taken up again where it broke, for as long as the server is not away for too
/// long. `open` reads one stream to its end and returns true when anything came.
void resume(Client::Parts& parts, const std::function<bool()>& open);

/// Where the page of a state folder's server is, as it wrote to client.json.
struct RecordedPage {
    std::string url;  ///< with http:// or https://; empty: it has none
    std::string ca;   ///< PEM: who vouches for it; empty: the system's authorities
};
[[nodiscard]] RecordedPage recorded_page(const std::filesystem::path& state);

/// To be called before a browser is sent there with a code: whoever listens must be the server's
/// user (`owner`, that of client.json), root or this user. Throws Unavailable.
void check_page(const RecordedPage& page, std::optional<uid_t> owner);

}  // namespace kaname::client
