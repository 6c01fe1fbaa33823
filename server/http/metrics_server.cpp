// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/metrics_server.hpp"

#include <atomic>
#include <charconv>
#include <optional>
#include <thread>
#include <utility>

#include <httplib.h>

#include "solvers/base/error.hpp"

namespace kaname::http {
namespace {

constexpr const char* kFormat = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::size_t kThreads = 2;  // the page is asked for a few times a minute
constexpr int kUnauthorized = 401, kForbidden = 403, kUnavailable = 503;

std::pair<std::string, int> split(const std::string& listen) {
    const std::size_t colon = listen.rfind(':');
    int port = -1;
    if (colon != std::string::npos) {
        const char* end = listen.data() + listen.size();
        const auto parsed = std::from_chars(listen.data() + colon + 1, end, port);
        port = parsed.ec == std::errc() && parsed.ptr == end ? port : -1;
    }
    if (colon == 0 || port < 0 || port > 65535) {
        throw Error(ErrorCode::InvalidArgument, "metrics: must be HOST:PORT, got '" + listen + "'");
    }
    return {listen.substr(0, colon), port};
}

std::optional<auth::Principal> caller(const httplib::Request& request, const auth::Tokens& tokens) {
    constexpr std::string_view kScheme = "Bearer ";
    const std::string value = request.get_header_value("Authorization");
    return value.starts_with(kScheme) ? tokens.find(std::string_view(value).substr(kScheme.size()))
                                      : std::nullopt;
}

}  // namespace

struct MetricsServer::Parts {
    httplib::Server server;
    int port = 0;
    std::atomic<bool> ended = false;
    std::thread thread;
};

MetricsServer::MetricsServer(const std::string& listen, const auth::Tokens& tokens,
                             std::function<std::string()> metrics)
    : parts_(std::make_unique<Parts>()) {
    const auto [host, port] = split(listen);
    httplib::Server& server = parts_->server;
    server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };  // it takes ownership
    server.Get("/metrics", [&tokens, metrics = std::move(metrics)](const httplib::Request& request,
                                                                   httplib::Response& response) {
        const auto principal = caller(request, tokens);
        if (!principal || !auth::allows(principal->role, auth::Role::Viewer)) {
            response.status = principal ? kForbidden : kUnauthorized;
            response.set_content("a token of role viewer is needed\n", "text/plain");
            return;
        }
        try {
            response.set_content(metrics(), kFormat);
        } catch (const std::exception& error) {
            response.status = kUnavailable;
            response.set_content(std::string(error.what()) + "\n", "text/plain");
        }
    });
    // By default the library would share a port with whoever has it already.
    server.set_socket_options([](socket_t socket) {
        const int yes = 1;
        ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    if (port == 0) {
        parts_->port = server.bind_to_any_port(host);
    } else {
        parts_->port = server.bind_to_port(host, port) ? port : -1;
    }
    if (parts_->port <= 0) {
        throw Error(ErrorCode::Unavailable,
                    "cannot listen on " + listen + ": in use, or not an address of this machine");
    }
    parts_->thread = std::thread([parts = parts_.get()] {
        parts->server.listen_after_bind();
        parts->ended = true;
    });
}

MetricsServer::~MetricsServer() {
    if (parts_->thread.joinable()) {
        // A server that does not run yet would not hear it.
        while (!parts_->server.is_running() && !parts_->ended) {
            std::this_thread::yield();
        }
        parts_->server.stop();
        parts_->thread.join();
    }
}

int MetricsServer::port() const {
    return parts_->port;
}

}  // namespace kaname::http
