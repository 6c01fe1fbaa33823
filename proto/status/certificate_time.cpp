// SPDX-License-Identifier: BSD-3-Clause
#include "proto/status/certificate_time.hpp"

#include <algorithm>
#include <memory>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace kaname::rpc {
namespace {

/// Returns "2026-01-31 23:59 UTC".
std::string text_of(std::time_t time) {
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts)};
}

std::time_t time_of(const ASN1_TIME* time) {
    std::tm parts{};
    return ASN1_TIME_to_tm(time, &parts) == 1 ? ::timegm(&parts) : 0;
}

}  // namespace

std::string certificate_refusal_advice(const std::string& message) {
    const auto says = [&](const char* words) { return message.find(words) != std::string::npos; };
    if (says("certificate verify failed") || says("CERTIFICATE_VERIFY_FAILED")) {
        return "; its certificate is not the one, or not signed by the one, that KANAME_CA, --ca "
               "or "
               "client.json names, or has expired: copy tls/certificate.pem of the server's state "
               "folder anew";
    }
    if (says("is not in peer certificate")) {
        return "; its certificate is for other names: use one that it has (openssl x509 -ext "
               "subjectAltName shows them), or start the server with --listen of this one";
    }
    return "";
}

std::string certificate_time_advice(const std::string& pem, std::time_t now) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> text(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
    std::time_t begins = 0, ends = 0;
    while (X509* const found = PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr)) {
        const std::unique_ptr<X509, decltype(&X509_free)> certificate(found, &X509_free);
        const std::time_t from = time_of(X509_get0_notBefore(certificate.get()));
        const std::time_t until = time_of(X509_get0_notAfter(certificate.get()));
        if (from <= now && now <= until) {
            return "";
        }
        begins = begins == 0 ? from : std::min(begins, from);
        ends = std::max(ends, until);
    }
    ERR_clear_error();  // of the end of the text
    const std::string clock = ", and this machine's clock says " + text_of(now) + ": ";
    return ends == 0 ? ""
           : now < begins
               ? "; the certificate that the server is known by holds from " + text_of(begins) +
                     " on" + clock + "set the clock"
               : "; the certificate that the server is known by held until " + text_of(ends) +
                     clock + "set the clock, or have the server make a new one";
}

}  // namespace kaname::rpc
