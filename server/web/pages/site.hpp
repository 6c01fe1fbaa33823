// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/grpc/api_server.hpp"
#include "server/service/datasets/datasets.hpp"
#include "server/web/gateway/gateway.hpp"
#include "server/web/http/pages.hpp"
#include "server/web/http/server.hpp"

/// The tables of pages that the server has over HTTP.
namespace kaname::pages {

/// GET /metrics, for Prometheus; 503 when `metrics` throws.
[[nodiscard]] http::Page metrics_page(std::function<std::string()> metrics);

/// GET /healthz, 200 as long as the program answers, and GET /readyz, 200 while it takes work and
/// its database answers, else 503: for probes, without a token.
[[nodiscard]] std::vector<http::Page> health_pages(std::function<bool()> serves);

/// GET of /v1/datasets/<job uuid>/: file?partial=&verify=, and where there are descriptions
/// map?partial=, report?partial= and solves?partial=&source=ID,ID; /v1/artifacts/<sha256>?verify=.
[[nodiscard]] http::Page dataset_page(service::Downloads& downloads,
                                      service::Descriptions* descriptions = nullptr);
[[nodiscard]] http::Page artifact_page(service::Downloads& downloads);

/// GET /v1/jobs/<job uuid>/mesh.
[[nodiscard]] http::Page mesh_page(service::Descriptions& descriptions);

/// All of them; what they use outlives them.
[[nodiscard]] std::vector<http::Page> all_pages(std::function<std::string()> metrics,
                                                service::Downloads& downloads,
                                                service::Descriptions* descriptions = nullptr);

/// The built page of a folder: its files, in memory, so that no address leads anywhere else. They
/// are read again when index.html has changed. Safe from any thread.
class PageFolder {
public:
    static constexpr std::size_t kMostFiles = 500, kMostBytes = 64U << 20U;

    explicit PageFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// GET / and what lies below it, for everybody. Files below assets/ have their hash in their
    /// names. Where there is no index.html, / says where the page is looked for.
    [[nodiscard]] http::Page page();

private:
    struct File {
        std::string text, type, sha256;
        bool for_ever = false;
    };
    using Files = std::map<std::string, File>;  ///< by path below the folder

    [[nodiscard]] std::shared_ptr<const Files> files();
    [[nodiscard]] Files read() const;
    [[nodiscard]] http::Answer answer(const http::Request& request);

    const std::filesystem::path folder_;
    std::mutex mutex_;
    std::shared_ptr<const Files> files_;
    std::filesystem::file_time_type written_;  ///< of the index.html that was read
};

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
