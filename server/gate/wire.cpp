// SPDX-License-Identifier: BSD-3-Clause
#include "server/gate/wire.hpp"

#include <cerrno>
#include <cstdlib>
#include <new>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

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

}  // namespace kaname::gate
