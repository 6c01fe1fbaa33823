// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <memory>

#include "server/web/gateway/events.hpp"
#include "server/web/gateway/in_process_channel.hpp"
#include "server/web/gateway/login.hpp"
#include "server/web/gateway/overview.hpp"
#include "server/web/http/pages.hpp"

namespace kaname::gateway {

/// Holds the parts of the server that a gateway uses; they outlive it.
struct GatewayOptions {
    std::shared_ptr<grpc::Channel> channel;  ///< to the gRPC server of this process
    ByToken by_token;
    Overview::Take take_stream;
    LoginOptions login = {};
};

/// The gRPC server's calls over HTTP: rows of a table of pages, and who may see them. Two servers
/// may have the same rows.
class Gateway {
public:
    explicit Gateway(GatewayOptions options);

    [[nodiscard]] http::Authenticate authenticate();
    /// Logins, calls, events, slices. This outlives them.
    [[nodiscard]] std::vector<http::Page> pages();
    /// Makes a code for a login; see Login.
    [[nodiscard]] SessionStore::Kept make_login_code(const std::string& token,
                                                     const std::string& owner) {
        return login_.make_code(token, owner);
    }
    [[nodiscard]] const std::vector<Method>& methods() const { return methods_; }
    /// Streams of its own end, saying that the server shuts down.
    void drain() { overview_.end(); }

private:
    std::vector<Method> methods_;
    std::function<AllowedCalls(auth::Role)> abilities_;
    // Members are in this order: the channel waits for its calls, which the poller ends and the
    // login checks.
    Poller poller_;
    Login login_;
    InProcessChannel channel_;
    Overview overview_;
};

/// Services of package kaname.v1 whose calls are people's; Workers has those of agents alone.
[[nodiscard]] const std::vector<std::string>& served_services();

/// Receives the result of a call with one answer.
using Answered = std::function<void(const grpc::Status& status, const Message& reply)>;

/// Calls; `answered` is called once, from a thread of gRPC. While `gone` (empty: never) is false:
/// then the call is cancelled. `gone` is not asked any more when `answered` is called.
void call(InProcessChannel& channel, Poller& poller, const Method& method, const Caller& caller,
          std::unique_ptr<Message> request, std::function<bool()> gone, Answered answered);

/// POST /v1/rpc/<Service>/<Method>. What it refers to outlives it.
[[nodiscard]] http::Page rpc_page(const std::vector<Method>& methods, InProcessChannel& channel,
                                  Poller& poller);

/// POST /v1/slices: the doubles of a ReadSliceRequest, little-endian, and their shape in
/// Kaname-Shape. What it refers to outlives it; `methods` may leave ReadSlice out.
[[nodiscard]] http::Page slices_page(const std::vector<Method>& methods, InProcessChannel& channel,
                                     Poller& poller,
                                     std::function<void(const http::Request&)> look_again);

}  // namespace kaname::gateway
