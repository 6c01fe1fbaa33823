// SPDX-License-Identifier: BSD-3-Clause
#include "client/lib/login_code.hpp"

#include <memory>

#include <httplib.h>
#include <nlohmann/json.hpp>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "proto/status/channel.hpp"
#include "solvers/base/environment.hpp"
#include "solvers/base/error.hpp"

namespace kaname::client {
namespace {

/// Certificates of a PEM text, as what a connection trusts; the connection frees it.
X509_STORE* store_of(const std::string& pem) {
    X509_STORE* const store = X509_STORE_new();
    const std::unique_ptr<BIO, decltype(&BIO_free)> text(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
    while (X509* const certificate = PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr)) {
        X509_STORE_add_cert(store, certificate);
        X509_free(certificate);
    }
    return store;
}

}  // namespace

std::string login_code(const RecordedPage& page, const Endpoint& endpoint) {
    const bool encrypted = page.url.starts_with("https://");
    rpc::check_listener({.address = page.url.substr(page.url.find("://") + 3),
                         .ca = encrypted ? page.ca : "",
                         .owner = endpoint.owner});
    // The certificate of this user, where the server wants to see one.
    httplib::Client client(page.url, environment("KANAME_CERT"), environment("KANAME_KEY"));
    if (encrypted && !page.ca.empty()) {
        client.set_ca_cert_store(store_of(page.ca));
    }
    const httplib::Result answer =
        client.Post("/v1/login-codes", {{"Authorization", "Bearer " + endpoint.token}}, "{}",
                    "application/json");
    if (!answer) {
        throw Error(ErrorCode::Unavailable,
                    "the page at " + page.url + " does not answer: " + to_string(answer.error()));
    }
    const auto said = nlohmann::json::parse(answer->body, nullptr, false);
    if (answer->status != 200 || !said.is_object()) {
        throw Error(answer->status == 401 ? ErrorCode::Unauthenticated : ErrorCode::Unavailable,
                    "the page at " + page.url + " makes no login: " +
                        (said.is_object() ? said.value("message", answer->body) : answer->body));
    }
    return said.value("code", "");
}

}  // namespace kaname::client
