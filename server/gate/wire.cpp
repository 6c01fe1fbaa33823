// SPDX-License-Identifier: BSD-3-Clause
#include "server/gate/wire.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include <netdb.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gate {
namespace {

constexpr std::string_view kProtocol = "\x02h2";
constexpr long kLongestChain = 32L << 10U;  ///< bytes of a client's certificates
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";  // of TLS 1.2

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

[[noreturn]] void refuse(const char* what, const char* why) {
    ERR_clear_error();
    throw Error(ErrorCode::InvalidArgument, std::string(what) + ": " + why);
}

Bio bio_of(const std::string& text) {
    return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free};
}

Certificate next_certificate(BIO* bio) {
    return {PEM_read_bio_X509(bio, nullptr, nullptr, nullptr), &X509_free};
}

void use_certificate(SSL_CTX* context, const std::string& pem) {
    const Bio bio = bio_of(pem);
    const Certificate own = next_certificate(bio.get());
    if (own == nullptr || SSL_CTX_use_certificate(context, own.get()) != 1) {
        refuse("certificate", "must be a certificate in PEM");
    }
    while (const Certificate authority = next_certificate(bio.get())) {
        SSL_CTX_add1_chain_cert(context, authority.get());
    }
}

void use_key(SSL_CTX* context, const std::string& pem) {
    const Bio bio = bio_of(pem);
    const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
    if (key == nullptr || SSL_CTX_use_PrivateKey(context, key.get()) != 1 ||
        SSL_CTX_check_private_key(context) != 1) {
        refuse("key", "must be the certificate's key in PEM, without a password");
    }
}

void ask_for_certificates(SSL_CTX* context, const std::string& pem) {
    const Bio bio = bio_of(pem);
    bool any = false;
    while (const Certificate authority = next_certificate(bio.get())) {
        any = X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) == 1;
        SSL_CTX_add_client_CA(context, authority.get());
    }
    if (!any) {
        refuse("client_ca", "must be certificates in PEM");
    }
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
}

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned offered_size, void*) {
    unsigned char* found = nullptr;
    const auto* own = reinterpret_cast<const unsigned char*>(kProtocol.data());
    if (SSL_select_next_proto(&found, size, own, kProtocol.size(), offered, offered_size) !=
        OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

}  // namespace

Tls make_tls(const std::string& certificate, const std::string& key, const std::string& client_ca) {
    Tls tls(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
    if (tls == nullptr) {
        throw std::bad_alloc();
    }
    SSL_CTX_set_min_proto_version(tls.get(), TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(tls.get(), kCiphers);
    SSL_CTX_set_options(tls.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                       SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_num_tickets(tls.get(), 0);
    SSL_CTX_set_max_cert_list(tls.get(), kLongestChain);
    SSL_CTX_set_session_cache_mode(tls.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(tls.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                    SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_alpn_select_cb(tls.get(), choose_protocol, nullptr);
    use_certificate(tls.get(), certificate);
    use_key(tls.get(), key);
    if (!client_ca.empty()) {
        ask_for_certificates(tls.get(), client_ca);
    }
    ERR_clear_error();  // the end of a PEM text is one
    return tls;
}

void Outbox::add(std::string_view bytes) {
    if (taken_ > 0) {
        text_.erase(0, taken_);
        taken_ = 0;
    }
    text_ += bytes;
}

void Outbox::take(std::size_t bytes) {
    constexpr std::size_t kKept = 4096;  // idle connections hold no more
    taken_ += bytes;
    if (empty()) {
        taken_ = 0;
        text_.clear();
        if (text_.capacity() > kKept) {
            text_ = std::string();
        }
    }
}

Wire::Wire(Fd socket, const Tls& tls) : socket_(std::move(socket)) {
    if (tls != nullptr) {
        ssl_ = SSL_new(tls.get());
        if (ssl_ == nullptr || SSL_set_fd(ssl_, socket_.get()) != 1) {
            SSL_free(ssl_);
            throw std::bad_alloc();
        }
        SSL_set_accept_state(ssl_);
    }
}

Wire::~Wire() {
    SSL_free(ssl_);
}

long Wire::result(int done) {
    const int why = SSL_get_error(ssl_, done);
    ERR_clear_error();
    wants_to_write_ = why == SSL_ERROR_WANT_WRITE;
    if (done > 0) {
        return done;
    }
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? kLater : kEnd;
}

long Wire::read(char* into, std::size_t most) {
    if (ssl_ != nullptr) {
        return result(SSL_read(ssl_, into, static_cast<int>(most)));
    }
    const ssize_t got = ::recv(socket_.get(), into, most, 0);
    return got >= 0 ? got : errno == EAGAIN || errno == EINTR ? kLater : kEnd;
}

long Wire::write(std::string_view bytes) {
    if (ssl_ != nullptr) {
        const long done = result(SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())));
        writes_after_reading_ = done == kLater && !wants_to_write_;
        return done;
    }
    const ssize_t done = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return done >= 0 ? done : errno == EAGAIN || errno == EINTR ? kLater : kEnd;
}

void Wire::end_writing() {
    if (ssl_ != nullptr && SSL_is_init_finished(ssl_) == 1) {
        (void)SSL_shutdown(ssl_);
        ERR_clear_error();
    }
    ::shutdown(socket_.get(), SHUT_WR);
}

namespace {

constexpr int kBacklog = 4096;
using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolved(const std::string& host, int port) {
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    const std::string name = bracketed ? host.substr(1, host.size() - 2) : host;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* first = nullptr;
    if (::getaddrinfo(name.c_str(), std::to_string(port).c_str(), &hints, &first) != 0) {
        first = nullptr;
    }
    return {first, &freeaddrinfo};
}

/// A closed one when the address cannot be bound. An IPv6 wildcard takes IPv4 too where `both`.
Fd bound(const sockaddr* address, socklen_t size, bool both) {
    constexpr int kYes = 1;
    const int ipv6_only = both ? 0 : 1;
    Fd socket(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &kYes, sizeof kYes);
    if (address->sa_family == AF_INET6) {
        ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &ipv6_only, sizeof ipv6_only);
    }
    const bool listens = socket.open() && ::bind(socket.get(), address, size) == 0 &&
                         ::listen(socket.get(), kBacklog) == 0;
    return listens ? std::move(socket) : Fd();
}

}  // namespace

std::vector<Fd> listen_on(const std::string& listen) {
    const Address address = parse_address("--listen", listen);
    std::vector<Fd> sockets;
    if (address.host == "0.0.0.0" || address.host == "[::]") {
        sockaddr_in6 any{};
        any.sin6_family = AF_INET6;
        any.sin6_port = htons(static_cast<std::uint16_t>(address.port));
        if (Fd socket = bound(reinterpret_cast<const sockaddr*>(&any), sizeof any, true);
            socket.open()) {
            sockets.push_back(std::move(socket));
            return sockets;
        }
    }
    int port = address.port;
    const Addresses all = resolved(address.host, port);
    for (const addrinfo* at = all.get(); at != nullptr; at = at->ai_next) {
        if (at->ai_family == AF_INET) {
            reinterpret_cast<sockaddr_in*>(at->ai_addr)->sin_port =
                htons(static_cast<std::uint16_t>(port));
        } else if (at->ai_family == AF_INET6) {
            reinterpret_cast<sockaddr_in6*>(at->ai_addr)->sin6_port =
                htons(static_cast<std::uint16_t>(port));
        }
        if (Fd socket = bound(at->ai_addr, at->ai_addrlen, false); socket.open()) {
            sockets.push_back(std::move(socket));
            port = port_of(sockets.back());
        }
    }
    if (sockets.empty()) {
        throw Error(ErrorCode::Unavailable,
                    "cannot listen on " + listen + ": in use, or not an address of this machine");
    }
    return sockets;
}

int port_of(const Fd& socket) {
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size);
    return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(own).sin6_port
                                           : reinterpret_cast<sockaddr_in&>(own).sin_port);
}

std::string address_of(const sockaddr_storage& peer) {
    constexpr const char* kMapped = "::ffff:";
    std::array<char, NI_MAXHOST> host{};
    const socklen_t size = peer.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (::getnameinfo(reinterpret_cast<const sockaddr*>(&peer), size, host.data(), host.size(),
                      nullptr, 0, NI_NUMERICHOST) != 0) {
        return "?";
    }
    const std::string text = host.data();
    return text.starts_with(kMapped) ? text.substr(std::strlen(kMapped)) : text;
}

Pair make_pair_of_sockets() {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
        throw Error(ErrorCode::Unavailable, "the server is out of files; call again later");
    }
    Pair pair{Fd(ends[0]), ends[1]};
    // Without a name of ours the system chooses an abstract one.
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    if (::bind(pair.near.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(sa_family_t)) !=
        0) {
        ::close(pair.far);
        throw Error(ErrorCode::Unavailable, "the server has no name for a socket");
    }
    return pair;
}

}  // namespace kaname::gate
