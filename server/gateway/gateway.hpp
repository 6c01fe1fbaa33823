// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "server/gateway/door.hpp"
#include "server/gateway/overview.hpp"

namespace kaname::gateway {

/// Holds the parts of the server that a gateway uses; they outlive it.
struct GatewayOptions {
    std::shared_ptr<grpc::Channel> channel;  ///< to the gRPC server of this process
    ByToken by_token;
    Overview::Take take_stream;
    DoorOptions door = {};
};

/// The gRPC server's calls over HTTP: rows of a table of pages, and who may see them. Two servers
/// may have the same rows.
class Gateway {
public:
    explicit Gateway(GatewayOptions options);

    [[nodiscard]] http::Authenticate authenticate();
    /// Logins, calls, events, slices. This outlives them.
    [[nodiscard]] std::vector<http::Page> pages();
    /// Makes a code for a login; see Door.
    [[nodiscard]] Sealed::Kept make_login_code(const std::string& token, const std::string& owner) {
        return door_.make_code(token, owner);
    }
    [[nodiscard]] const std::vector<Method>& methods() const { return methods_; }
    /// Streams of its own end, saying that the server shuts down.
    void drain() { overview_.end(); }

private:
    std::vector<Method> methods_;
    std::function<Abilities(auth::Role)> abilities_;
    // In this order: the line waits for its calls, which the rounds end and the door looks at.
    Rounds rounds_;
    Door door_;
    Line line_;
    Overview overview_;
};

/// Services of package kaname.v1 whose calls are people's; Workers has those of agents alone.
[[nodiscard]] const std::vector<std::string>& served_services();

}  // namespace kaname::gateway
