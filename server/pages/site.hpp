// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "server/gateway/gateway.hpp"
#include "server/grpc/api_server.hpp"
#include "server/http/server.hpp"
#include "server/pages/page_folder.hpp"
#include "server/service/descriptions.hpp"

namespace kaname::pages {

struct SiteOptions {
    http::ServerOptions http = {};
    std::filesystem::path page;      ///< folder of the built page
    std::filesystem::path sessions;  ///< file in which logins outlive the server
    std::string version;
};

/// All that a server has over HTTP: the page, logins, the calls of its gRPC server, files and
/// metrics.
class Site {
public:
    /// Listens, as http::Server, and makes codes for logins of `api`'s callers. What it uses
    /// outlives it, `api` until it has shut down.
    Site(const SiteOptions& options, rpc::ApiServer& api, const service::Backends& backends,
         helpers::Describer& describer);
    ~Site();
    Site(const Site&) = delete;
    Site& operator=(const Site&) = delete;

    [[nodiscard]] int port() const { return server_->port(); }
    [[nodiscard]] const gateway::Gateway& gateway() const { return gateway_; }
    /// Listens no more.
    void stop();

private:
    rpc::ApiServer& api_;
    gateway::Gateway gateway_;
    service::Descriptions descriptions_;
    PageFolder folder_;
    std::unique_ptr<http::Server> server_;
};

}  // namespace kaname::pages
