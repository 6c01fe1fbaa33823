// SPDX-License-Identifier: BSD-3-Clause
#include "server/run/assembly/listeners.hpp"

#include <csignal>
#include <iostream>

#include "proto/status/channel.hpp"
#include "server/launcher/launcher.hpp"
#include "server/run/daemon/access.hpp"
#include "server/run/daemon/state_folder.hpp"
#include "server/run/embedded/cluster.hpp"
#include "server/run/embedded/data_folder.hpp"
#include "server/run/program/options.hpp"
#include "server/web/pages/site.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/compute_runner.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/spawn.hpp"

namespace kaname::assembly {
namespace fs = std::filesystem;
namespace {

fs::path page_folder(const program::Options& options) {
    return options.page_folder.empty()
               ? run::beside_this_program("").parent_path().parent_path() / "share/kaname/page"
               : fs::absolute(options.page_folder);
}

}  // namespace

void add_certificates(service::ApiOptions& api, const program::Options& options,
                      const std::filesystem::path& state) {
    if (!options.tls.empty()) {
        const auto host = [](const char* option, const std::string& address) {
            return address.empty() ? "" : parse_address(option, address).host;
        };
        const std::string listen = host("--listen", options.listen);
        const std::string http = host("--http", options.http);
        // It names this machine's loopback addresses anyway.
        const daemon::KeyPair pair = daemon::self_signed(
            state, http.empty() || (!listen.empty() && !is_loopback(listen)) ? listen : http);
        api.certificate = pair.certificate;
        api.key = pair.key;
    } else if (!options.tls_cert.empty()) {
        api.certificate = rpc::read_pem("--tls-cert", options.tls_cert);
        api.key = rpc::read_pem("--tls-key", options.tls_key);
    }
    api.client_ca = rpc::read_pem("--tls-client-ca", options.tls_client_ca);
}

std::unique_ptr<rpc::ApiServer> open_api(service::ApiOptions with, const std::string& otherwise,
                                         const service::Backends& backends, const Log& log) {
    try {
        return std::make_unique<rpc::ApiServer>(with, backends);
    } catch (const Error& error) {
        if (with.listen == otherwise) {
            throw;
        }
        log(std::string(error.what()) + "; taking another port");
    }
    with.listen = otherwise;
    return std::make_unique<rpc::ApiServer>(with, backends);
}

std::unique_ptr<http::Server> open_metrics(const program::Options& options,
                                           const std::filesystem::path& state, rpc::ApiServer& api,
                                           const Log& log) {
    if (options.metrics.empty()) {
        return nullptr;
    }
    const auto open_at = [&](const std::string& address) {
        std::vector<http::Page> rows = pages::health_pages([&api] { return api.is_serving(); });
        rows.push_back(pages::metrics_page([&api] { return api.metrics(); }));
        return std::make_unique<http::Server>(
            http::ServerOptions{.option = "--metrics", .listen = address}, std::move(rows),
            [&api](http::Request& request, auth::Role needed, const std::string& method) {
                return api.authenticate(request.header("authorization"), needed, method);
            });
    };
    const std::string where = daemon::metrics_where_it_was(options.metrics, state);
    std::unique_ptr<http::Server> server;
    try {
        server = open_at(where);
    } catch (const Error& error) {
        if (where == options.metrics || error.code() != ErrorCode::Unavailable) {
            throw;
        }
        log(std::string(error.what()) + "; taking another port");
        server = open_at(options.metrics);
    }
    log("metrics at http://" + daemon::local_address(options.metrics, server->port()) + "/metrics");
    return server;
}

std::unique_ptr<pages::Site> open_site(const program::Options& options,
                                       const service::ApiOptions& with,
                                       const std::filesystem::path& state, rpc::ApiServer& api,
                                       const service::Backends& backends,
                                       helpers::Describer& describer, const Program& program) {
    if (options.http.empty()) {
        return nullptr;
    }
    pages::SiteOptions site{.http = {.listen = daemon::http_where_it_was(options.http, state),
                                     .certificate = with.certificate,
                                     .key = with.key,
                                     .client_ca = with.client_ca,
                                     .longest_stall = with.longest_stall},
                            .page = page_folder(options),
                            .sessions = state / "sessions",
                            .version = program.version};
    try {
        return std::make_unique<pages::Site>(site, api, backends, describer);
    } catch (const Error& error) {
        if (site.http.listen == options.http || error.code() != ErrorCode::Unavailable) {
            throw;
        }
        program.log(std::string(error.what()) + "; taking another port");
    }
    site.http.listen = options.http;
    return std::make_unique<pages::Site>(site, api, backends, describer);
}

namespace fs = std::filesystem;
using std::chrono::seconds;

int stop(const program::Options& options) {
    const fs::path state = daemon::state_folder(options.state);
    bool any = false;
    const fs::path told = state / program::kStopWorkers;
    if (options.stop_workers) {
        write_file(told, "");
    }
    if (const auto server = embedded::StateLock::holder(state)) {
        any = run::send_signal(*server, SIGTERM);
        if (!run::wait_until_gone(*server, seconds(kShutdownLimit_s))) {
            run::send_signal(*server, SIGKILL);
            run::wait_until_gone(*server, seconds(10));
        }
    }
    any |= !launcher::LocalLauncher::running_in(state / "agents").empty();
    launcher::LocalLauncher::stop_all_in(state / "agents", kAgentGrace);
    any |= embedded::stop_orphan(state);
    std::error_code ignored;
    if (fs::remove(told, ignored)) {  // no server was there to see it
        constexpr double kCommand_s = 60;
        any |= launcher::Dispatches::cancel_marked_in(state / program::kSlurmMarks, kCommand_s) > 0;
    }
    fs::remove(state / "server.pid", ignored);
    std::cout << (any ? "stopped\n" : "nothing was running\n");
    return run::kExitOk;
}

}  // namespace kaname::assembly
