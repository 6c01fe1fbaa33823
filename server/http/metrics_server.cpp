// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/metrics_server.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <list>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "solvers/base/error.hpp"

namespace kaname::http {
namespace {

constexpr const char* kFormat = "text/plain; version=0.0.4; charset=utf-8";

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

/// A socket that listens. Throws Unavailable.
Fd listen_on(const std::string& listen) {
    const auto [host, port] = split(listen);
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const std::string name = bracketed ? host.substr(1, host.size() - 2) : host;
    Fd socket;
    if (::getaddrinfo(name.c_str(), std::to_string(port).c_str(), &hints, &found) == 0) {
        for (const addrinfo* at = found; at != nullptr && !socket.open(); at = at->ai_next) {
            Fd one(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
            const int yes = 1;
            if (one.open() &&
                ::setsockopt(one.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                ::bind(one.get(), at->ai_addr, at->ai_addrlen) == 0 &&
                ::listen(one.get(), SOMAXCONN) == 0) {
                socket = std::move(one);
            }
        }
        ::freeaddrinfo(found);
    }
    if (!socket.open()) {
        throw Error(ErrorCode::Unavailable,
                    "cannot listen on " + listen + ": in use, or not an address of this machine");
    }
    return socket;
}

int port_of(const Fd& socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                               : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

std::optional<auth::Principal> caller(const Request& request, const auth::Tokens& tokens) {
    constexpr std::string_view kScheme = "Bearer ";
    const std::string value = request.header("authorization");
    return value.starts_with(kScheme) ? tokens.find(std::string_view(value).substr(kScheme.size()))
                                      : std::nullopt;
}

std::string plain(int status, const std::string& text) {
    return response(status, "text/plain", text + "\n");
}

std::string answer_to(const Request& request, const auth::Tokens& tokens,
                      const std::function<std::string()>& metrics) {
    const auto principal = caller(request, tokens);
    if (!principal || !auth::allows(principal->role, auth::Role::Viewer)) {
        return plain(principal ? 403 : 401, "a token of role viewer is needed");
    }
    if (request.path != "/metrics") {
        return plain(404, "there is /metrics and nothing else");
    }
    if (request.method != "GET") {
        return plain(405, "method must be GET, got " + request.method);
    }
    if (request.has_body()) {
        return plain(413, "a request must have no body");
    }
    try {
        return response(200, kFormat, metrics());
    } catch (const std::exception& error) {
        return plain(503, error.what());
    }
}

}  // namespace

struct MetricsServer::Parts {
    void run();
    void accept_all();
    void serve(const std::vector<pollfd>& polled);

    Connection::Answer answer;
    ConnectionLimits limits;
    Fd listening, stop;
    int port = 0;
    std::list<Connection> connections;
    std::thread thread;
};

void MetricsServer::Parts::accept_all() {
    while (true) {
        Fd socket(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket.open()) {
            return;
        }
        if (connections.size() >= kMaxConnections) {
            const auto oldest =
                std::ranges::find_if(connections, [](const auto& one) { return one.is_reading(); });
            if (oldest == connections.end()) {
                continue;  // all are being answered: the new one is closed
            }
            connections.erase(oldest);
        }
        connections.emplace_back(std::move(socket), limits, Connection::Clock::now());
    }
}

void MetricsServer::Parts::serve(const std::vector<pollfd>& polled) {
    const auto now = Connection::Clock::now();
    auto at = polled.begin() + 2;
    for (auto one = connections.begin(); one != connections.end() && at != polled.end(); ++at) {
        const bool goes_on = now < one->deadline() && (at->revents == 0 || one->go_on(answer));
        one = goes_on ? std::next(one) : connections.erase(one);
    }
}

void MetricsServer::Parts::run() {
    while (true) {
        std::vector<pollfd> polled = {{stop.get(), POLLIN, 0}, {listening.get(), POLLIN, 0}};
        auto until = Connection::Clock::now() + std::chrono::hours(1);
        for (const Connection& one : connections) {
            polled.push_back({one.socket(), one.events(), 0});
            until = std::min(until, one.deadline());
        }
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - Connection::Clock::now());
        (void)::poll(polled.data(), polled.size(),
                     static_cast<int>(std::max<std::int64_t>(0, left.count())));
        if (polled[0].revents != 0) {
            return;
        }
        serve(polled);  // before new ones come: they were not polled
        accept_all();
    }
}

MetricsServer::MetricsServer(const std::string& listen, const auth::Tokens& tokens,
                             std::function<std::string()> metrics, ConnectionLimits limits)
    : parts_(std::make_unique<Parts>()) {
    parts_->answer = [&tokens, metrics = std::move(metrics)](const Request& request) {
        return answer_to(request, tokens, metrics);
    };
    parts_->limits = limits;
    parts_->listening = listen_on(listen);
    parts_->port = port_of(parts_->listening);
    parts_->stop = Fd(::eventfd(0, EFD_CLOEXEC));
    if (!parts_->stop.open()) {
        throw Error(ErrorCode::Unavailable, "metrics: no descriptor is left");
    }
    parts_->thread = std::thread([parts = parts_.get()] { parts->run(); });
}

MetricsServer::~MetricsServer() {
    const std::uint64_t one = 1;
    (void)!::write(parts_->stop.get(), &one, sizeof one);
    parts_->thread.join();
}

int MetricsServer::port() const {
    return parts_->port;
}

}  // namespace kaname::http
