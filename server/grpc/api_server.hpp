// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <grpcpp/channel.h>

#include "server/service/admin/access.hpp"
#include "server/service/context.hpp"
#include "server/service/datasets/dataset_keeper.hpp"
#include "server/service/datasets/datasets.hpp"

namespace kaname::rpc {

/// The gRPC server: Jobs, Greens, Artifacts, Datasets, Workers, Admin, health and reflection.
class ApiServer {
public:
    /// Listens. Throws Unavailable when the address cannot be bound.
    ApiServer(service::ApiOptions options, const service::Backends& backends);
    ~ApiServer();
    ApiServer(const ApiServer&) = delete;
    ApiServer& operator=(const ApiServer&) = delete;

    [[nodiscard]] int port() const;
    /// The page for Prometheus. Throws Unavailable when the database does not answer.
    [[nodiscard]] std::string metrics() const;
    /// Counts what the server does besides calls.
    [[nodiscard]] service::Meters& meters();
    /// For what a server does with datasets by itself; goes with this.
    [[nodiscard]] service::DatasetKeeper& dataset_keeper();
    /// Who has the token of an Authorization header, for other transports; see
    /// service::authenticate.
    [[nodiscard]] auth::Principal authenticate(const std::optional<std::string>& authorization,
                                               auth::Role needed, const std::string& method) const;
    /// Calls of this process's own, for other transports.
    [[nodiscard]] std::shared_ptr<grpc::Channel> local_channel() const;
    /// Counts a stream that another transport keeps open, until what it returns goes. Throws
    /// Exhausted.
    [[nodiscard]] std::shared_ptr<void> take_stream(const auth::Principal& caller,
                                                    const std::string& connection) const;
    /// Files for other transports; they live as long as this.
    [[nodiscard]] service::Downloads& downloads() const;
    /// Takes what makes codes for logins; see service::Access.
    void make_login_codes_by(service::MakeLoginCode make);
    /// Sets the status that the health service reports for all services.
    void set_serving(bool serving);
    [[nodiscard]] bool is_serving() const;
    /// `then`, which is short, is called after each change through this server; empty: no more.
    void when_changed(std::function<void()> then);
    /// Has all calls that wait look again: something has changed through another server.
    void wake();
    /// Returns true if nothing has changed through this server for a minute.
    [[nodiscard]] bool is_quiet() const;
    /// Calls that wait end with UNAVAILABLE and claims hand out nothing; others go on.
    void drain();
    /// Drains, gives running calls `grace` to end, then cancels them.
    void shutdown(std::chrono::seconds grace);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace kaname::rpc
