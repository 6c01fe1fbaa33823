// SPDX-License-Identifier: BSD-3-Clause
// With exchange.cpp the only source that knows GNU libmicrohttpd.
#include "server/web/http/server.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include "proto/reason/reasoned_error.hpp"
#include "server/web/http/answers.hpp"
#include "server/web/http/exchange.hpp"
#include "server/web/http/peers.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"

namespace kaname::http {
namespace {

constexpr unsigned kThreads = 2;                         ///< that serve connections
constexpr int kQuickMakers = 2, kSlowMakers = 4;         ///< threads that make answers
constexpr std::chrono::milliseconds kBetweenLooks{200};  ///< at who has left
/// kMemory is the memory of a connection [bytes]: its head and what libmicrohttpd makes of it.
constexpr std::size_t kMemory = Server::kHeadBytes + (4U << 10U);
constexpr const char* kTlsVersions = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

/// Checks a caller's certificate. Returns 0, with which GnuTLS goes on, or an error.
int verify_caller(gnutls_session_t session) {
    std::string purpose = GNUTLS_KP_TLS_WWW_CLIENT;
    gnutls_typed_vdata_st wanted{GNUTLS_DT_KEY_PURPOSE_OID,
                                 reinterpret_cast<unsigned char*>(purpose.data()), 0};
    unsigned status = 0;
    const int done = gnutls_certificate_verify_peers(session, &wanted, 1, &status);
    return done == GNUTLS_E_SUCCESS && status == 0 ? 0 : GNUTLS_E_CERTIFICATE_ERROR;
}

/// A client that is gone without a word, or that acknowledges nothing, ends its connection.
void notice_dead_peers(int socket) {
    constexpr int kYes = 1, kIdle_s = 30, kBetween_s = 10, kUnheard_ms = 60000;
    ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &kYes, sizeof kYes);
    ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &kIdle_s, sizeof kIdle_s);
    ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &kBetween_s, sizeof kBetween_s);
    ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnheard_ms, sizeof kUnheard_ms);
}

Peers::Peer* peer_of(MHD_Connection* connection) {
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info != nullptr ? static_cast<Peers::Peer*>(info->socket_context) : nullptr;
}

}  // namespace

struct Server::Parts {
    Parts(const ServerOptions& with, std::vector<Page> having, Authenticate who)
        : options(with),
          pages(std::move(having)),
          authenticate(std::move(who)),
          peers(with.peers) {}

    void start();
    [[nodiscard]] MHD_Daemon* start_at(const sockaddr* address);
    void read(MHD_Connection* connection, const char* path, const char* method, Exchange& into);
    [[nodiscard]] Answer shutting_down(const Request& request) const;
    /// Runs `job` elsewhere, while the exchange is suspended; it resumes it.
    void elsewhere(Exchange& exchange, std::function<void()> job);
    void finish(Exchange& exchange, Answer answer);
    [[nodiscard]] std::optional<Answer> refusal_of_exchange(Exchange& exchange);
    void let_go();
    void admit(Exchange& exchange);
    void make_answer(Exchange& exchange);
    void take_body(Exchange& exchange, const char* bytes, std::size_t& size);
    MHD_Result go_on(Exchange& exchange, const char* bytes, std::size_t& size);
    MHD_Result answer_with(Exchange& exchange);

    // libmicrohttpd calls these functions with a Parts as their first argument.
    static MHD_Result on_address(void* self, const sockaddr* address, socklen_t);
    static void on_connection(void* self, MHD_Connection* connection, void** context,
                              MHD_ConnectionNotificationCode what);
    static MHD_Result on_request(void* self, MHD_Connection* connection, const char* path,
                                 const char* method, const char*, const char* bytes,
                                 std::size_t* size, void** state);
    static void on_end(void* self, MHD_Connection* connection, void** state,
                       MHD_RequestTerminationCode);
    static void on_message(void* self, const char* format, va_list values);

    ServerOptions options;
    std::vector<Page> pages;
    Authenticate authenticate;
    std::atomic<bool> stopping = false, started = false;
    std::string said;  ///< by the library, while it starts
    Peers peers;
    std::mutex mutex;
    std::condition_variable changed;
    int n_suspended = 0;          ///< whose answer is being made
    std::set<Exchange*> feeding;  ///< whose answer comes by and by
    ThreadPool quick{kQuickMakers}, slow{kSlowMakers};
    MHD_Daemon* daemon = nullptr;
    std::thread letting_go;
};

void Server::Parts::on_message(void* self, const char* format, va_list values) {
    auto& parts = *static_cast<Parts*>(self);
    // Later it tells of callers who break off, one line each.
    if (!parts.started) {
        std::array<char, 512> text{};
        (void)std::vsnprintf(text.data(), text.size(), format, values);
        parts.said += text.data();
    }
}

MHD_Result Server::Parts::on_address(void* self, const sockaddr* address, socklen_t) {
    auto& parts = *static_cast<Parts*>(self);
    parts.peers.make_room(place_of(address).address);
    return MHD_YES;
}

void Server::Parts::on_connection(void* self, MHD_Connection* connection, void** context,
                                  MHD_ConnectionNotificationCode what) {
    auto& parts = *static_cast<Parts*>(self);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        parts.peers.end(static_cast<Peers::Peer*>(*context));
        return;
    }
    const auto* socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    const auto* address = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    *context = parts.peers.begin(socket->connect_fd, place_of(address->client_addr).address);
    notice_dead_peers(socket->connect_fd);
    if (!parts.options.client_ca.empty()) {
        const auto* tls = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
        auto* const session = static_cast<gnutls_session_t>(tls->tls_session);
        gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
        gnutls_session_set_verify_function(session, verify_caller);
    }
}

void Server::Parts::read(MHD_Connection* connection, const char* path, const char* method,
                         Exchange& into) {
    Request& request = into.request;
    request.method = method;
    request.path = path;
    read_values(connection, request);
    const auto* address = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const NetworkPlace place = place_of(address->client_addr);
    request.connection = place.address + ":" + place.port;
    const auto* socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    // The socket is open for as long as its connection is suspended.
    request.gone = [this, fd = socket->connect_fd] {
        pollfd polled{fd, POLLRDHUP, 0};
        return stopping || (::poll(&polled, 1, 0) > 0 &&
                            (polled.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0);
    };
    const auto* head = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (head != nullptr && head->header_size > kHeadBytes) {
        into.answer =
            plain(431, "the head of a request must have at most " + std::to_string(kHeadBytes) +
                           " bytes, got " + std::to_string(head->header_size));
        into.answered = true;
    }
}

Answer Server::Parts::shutting_down(const Request& request) const {
    return error_answer(request, rpc::ShuttingDown());
}

void Server::Parts::elsewhere(Exchange& exchange, std::function<void()> job) {
    {
        const std::lock_guard lock(mutex);
        ++n_suspended;
    }
    MHD_suspend_connection(exchange.connection);
    const bool is_slow = exchange.page != nullptr && exchange.page->slow;
    if (!(is_slow ? slow : quick).submit(std::move(job))) {
        finish(exchange, shutting_down(exchange.request));
    }
}

void Server::Parts::finish(Exchange& exchange, Answer answer) {
    exchange.answer = std::move(answer);
    exchange.answered = true;
    const std::lock_guard lock(mutex);
    MHD_resume_connection(exchange.connection);  // the exchange may go now
    --n_suspended;
    changed.notify_all();
}

/// Refuses also who has too many connections.
std::optional<Answer> Server::Parts::refusal_of_exchange(Exchange& exchange) {
    Request& request = exchange.request;
    std::optional<Answer> refusal = refusal_of(request, exchange.page, authenticate);
    Peers::Peer* const peer = peer_of(exchange.connection);
    if (!refusal && peer != nullptr) {
        try {
            peers.own(*peer, request.caller.name);
        } catch (const Error& error) {
            refusal = error_answer(request, error);
        }
    }
    return refusal;
}

/// Ends the feeds whose reader has left. A connection that waits for the next piece of one is
/// suspended, and the library does not look at its socket.
void Server::Parts::let_go() {
    std::unique_lock lock(mutex);
    while (!stopping) {
        if (feeding.empty()) {
            changed.wait(lock, [this] { return stopping.load() || !feeding.empty(); });
            continue;
        }
        changed.wait_for(lock, kBetweenLooks, [this] { return stopping.load(); });
        for (Exchange* exchange : feeding) {
            if (exchange->answer.feed->left()) {
                exchange->answer.feed->fail();
            }
        }
    }
}

/// Asks who calls, before a body is read.
void Server::Parts::admit(Exchange& exchange) {
    exchange.stage = Exchange::Stage::Admitting;
    elsewhere(exchange, [this, &exchange] {
        std::optional<Answer> refusal =
            stopping ? shutting_down(exchange.request) : refusal_of_exchange(exchange);
        if (refusal) {
            finish(exchange, std::move(*refusal));
            return;
        }
        const std::lock_guard lock(mutex);
        MHD_resume_connection(exchange.connection);
        --n_suspended;
        changed.notify_all();
    });
}

void Server::Parts::make_answer(Exchange& exchange) {
    const bool admitted = exchange.stage == Exchange::Stage::Body;
    exchange.stage = Exchange::Stage::Answering;
    elsewhere(exchange, [this, &exchange, admitted] {
        if (stopping) {
            finish(exchange, shutting_down(exchange.request));
            return;
        }
        if (!admitted) {
            if (auto refusal = refusal_of_exchange(exchange)) {
                finish(exchange, std::move(*refusal));
                return;
            }
        }
        answer_to(exchange.request, *exchange.page,
                  [this, &exchange](Answer answer) { finish(exchange, std::move(answer)); });
    });
}

void Server::Parts::take_body(Exchange& exchange, const char* bytes, std::size_t& size) {
    std::string& body = exchange.request.body;
    exchange.overflown |= body.size() + size > exchange.page->body_bytes;
    if (exchange.overflown) {
        body.clear();
    } else {
        body.append(bytes, size);
    }
    size = 0;
}

MHD_Result Server::Parts::answer_with(Exchange& exchange) {
    if (exchange.answer.feed) {
        exchange.answer.feed->attach(
            [connection = exchange.connection] { MHD_resume_connection(connection); },
            exchange.request.gone);
        const std::lock_guard lock(mutex);
        feeding.insert(&exchange);
        changed.notify_all();
        if (stopping) {
            exchange.answer.feed->fail();
        }
    }
    return send(exchange, !options.certificate.empty());
}

MHD_Result Server::Parts::go_on(Exchange& exchange, const char* bytes, std::size_t& size) {
    using Stage = Exchange::Stage;
    if (exchange.answered) {
        return answer_with(exchange);
    }
    Peers::Peer* const peer = peer_of(exchange.connection);
    switch (exchange.stage) {
        case Stage::Head:
            make_answer(exchange);
            break;
        case Stage::Admitting:
            exchange.stage = Stage::Body;
            if (peer != nullptr) {
                peers.sending(*peer);
            }
            if (size > 0) {
                take_body(exchange, bytes, size);
            }
            break;
        case Stage::Body:
            if (size > 0) {
                take_body(exchange, bytes, size);
                break;
            }
            if (peer != nullptr) {
                peers.answering(*peer);
            }
            if (exchange.overflown) {
                exchange.answer = too_large(exchange.request, exchange.page->body_bytes);
                exchange.answered = true;
                return answer_with(exchange);
            }
            make_answer(exchange);
            break;
        case Stage::Answering:
            break;
    }
    return MHD_YES;
}

MHD_Result Server::Parts::on_request(void* self, MHD_Connection* connection, const char* path,
                                     const char* method, const char*, const char* bytes,
                                     std::size_t* size, void** state) {
    auto& parts = *static_cast<Parts*>(self);
    try {
        auto* exchange = static_cast<Exchange*>(*state);
        if (exchange != nullptr) {
            return parts.go_on(*exchange, bytes, *size);
        }
        *state = exchange = new Exchange;  // on_end deletes it
        exchange->connection = connection;
        if (Peers::Peer* const peer = peer_of(connection)) {
            parts.peers.answering(*peer);
        }
        parts.read(connection, path, method, *exchange);
        if (exchange->answered) {
            return parts.answer_with(*exchange);
        }
        exchange->page = find_page(parts.pages, exchange->request.path);
        // An answer before the end of a request ends the connection: so it is for who sends a body
        // alone.
        if (exchange->request.has_body()) {
            parts.admit(*exchange);
        }
        return MHD_YES;
    } catch (const std::exception&) {
        return MHD_NO;  // out of memory: the connection ends
    }
}

void Server::Parts::on_end(void* self, MHD_Connection* connection, void** state,
                           MHD_RequestTerminationCode) {
    auto& parts = *static_cast<Parts*>(self);
    auto* const exchange = static_cast<Exchange*>(*state);
    {
        const std::lock_guard lock(parts.mutex);
        parts.feeding.erase(exchange);
    }
    delete exchange;
    *state = nullptr;
    if (Peers::Peer* const peer = peer_of(connection)) {
        parts.peers.asking(*peer);
    }
}

MHD_Daemon* Server::Parts::start_at(const sockaddr* address) {
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    flags |= address->sa_family == AF_INET6 ? static_cast<unsigned>(MHD_USE_IPv6) : 0U;
    std::vector<MHD_OptionItem> more;
    const auto add = [&more](MHD_OPTION option, const std::string& text) {
        if (!text.empty()) {
            more.push_back({option, 0, const_cast<char*>(text.c_str())});
        }
    };
    if (!options.certificate.empty()) {
        flags |= MHD_USE_TLS;
        add(MHD_OPTION_HTTPS_MEM_CERT, options.certificate);
        add(MHD_OPTION_HTTPS_MEM_KEY, options.key);
        add(MHD_OPTION_HTTPS_MEM_TRUST, options.client_ca);
        more.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(kTlsVersions)});
    }
    more.push_back({MHD_OPTION_END, 0, nullptr});
    const auto stall = std::chrono::ceil<std::chrono::seconds>(options.longest_stall).count();
    return MHD_start_daemon(
        flags, 0, &Parts::on_address, this, &Parts::on_request, this,  //
        MHD_OPTION_EXTERNAL_LOGGER, &Parts::on_message, this,          // first, to hear of the rest
        MHD_OPTION_SOCK_ADDR, address, MHD_OPTION_THREAD_POOL_SIZE, kThreads,
        MHD_OPTION_CONNECTION_LIMIT, static_cast<unsigned>(2 * options.peers.in_all()),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, kMemory, MHD_OPTION_CONNECTION_TIMEOUT,
        static_cast<unsigned>(stall), MHD_OPTION_NOTIFY_COMPLETED, &Parts::on_end, this,
        MHD_OPTION_NOTIFY_CONNECTION, &Parts::on_connection, this, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_ARRAY, more.data(), MHD_OPTION_END);
}

void Server::Parts::start() {
    const Address address = parse_address(options.option, options.listen);
    const Resolved resolved(address);
    for (const addrinfo* at = resolved.first(); at != nullptr && daemon == nullptr;
         at = at->ai_next) {
        said.clear();
        daemon = start_at(at->ai_addr);
    }
    if (daemon == nullptr) {
        const bool bound = resolved.first() != nullptr && said.find("bind") == std::string::npos;
        throw Error(ErrorCode::Unavailable,
                    options.option + ": cannot listen on " + options.listen + ": " +
                        (bound ? said.substr(0, said.find('\n'))
                               : "in use, or not an address of this machine"));
    }
    started = true;
    letting_go = std::thread([this] { let_go(); });
}

Server::Server(const ServerOptions& options, std::vector<Page> pages, Authenticate authenticate)
    : parts_(std::make_unique<Parts>(options, std::move(pages), std::move(authenticate))) {
    parts_->start();
}

// No connection may be suspended when the library stops: each has its answer by then, or its end.
Server::~Server() {
    {
        const std::lock_guard lock(parts_->mutex);
        parts_->stopping = true;
    }
    parts_->changed.notify_all();
    parts_->letting_go.join();
    parts_->quick.stop();
    parts_->slow.stop();
    {
        std::unique_lock lock(parts_->mutex);
        parts_->changed.wait(lock, [this] { return parts_->n_suspended == 0; });
        for (Exchange* exchange : parts_->feeding) {
            exchange->answer.feed->fail();
        }
    }
    MHD_stop_daemon(parts_->daemon);
}

std::size_t Server::connections() const {
    return parts_->peers.count();
}

int Server::port() const {
    return MHD_get_daemon_info(parts_->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

}  // namespace kaname::http
