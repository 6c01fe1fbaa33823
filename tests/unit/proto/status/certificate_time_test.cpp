// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "proto/status/channel.hpp"

namespace kaname::rpc::certificate_time_test {
namespace {

// A self-signed certificate whose key nobody has, and when it holds.
constexpr const char* kPem =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBhTCCASugAwIBAgIUJtn9c6ftn9gXHttC4LLdG69WA6swCgYIKoZIzj0EAwIw\n"
    "GDEWMBQGA1UEAwwNa2FuYW1lLXNlcnZlcjAeFw0yNjExMjcyMTE3MjBaFw0zNjEx\n"
    "MjQyMTE3MjBaMBgxFjAUBgNVBAMMDWthbmFtZS1zZXJ2ZXIwWTATBgcqhkjOPQIB\n"
    "BggqhkjOPQMBBwNCAARSC85OJQDSoorSrBhafBO6C5ri3JxheOLOJvADwMzCiGr8\n"
    "XoWCrJOu8CxlxPPh3w4mPY160Eb4Ez+LS1mmNBauo1MwUTAdBgNVHQ4EFgQU7S5V\n"
    "vRYwqrU/eFJFRinnjp5SEn4wHwYDVR0jBBgwFoAU7S5VvRYwqrU/eFJFRinnjp5S\n"
    "En4wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAtwvdDPJX1MvS\n"
    "qJtcLGPFL/9iOCQ81/0JNlohxtzpUDoCIAJQhgn06lOj32OnwS8dy04jrK+H7cij\n"
    "Qmrln5kgz7zZ\n"
    "-----END CERTIFICATE-----\n";
constexpr std::time_t kFrom = 1795814240, kUntil = 2111174240;

TEST(CertificateTime, SaysThatAClockIsBehindOrACertificateOver) {
    EXPECT_EQ(certificate_time_advice(kPem, kFrom), "");
    EXPECT_EQ(certificate_time_advice(kPem, kUntil), "");
    EXPECT_EQ(certificate_time_advice(kPem, 86400),
              "; the certificate that the server is known by holds from 2026-11-27 21:17 UTC on, "
              "and this machine's "
              "clock says 1970-01-02 00:00 UTC: set the clock");
    EXPECT_NE(
        certificate_time_advice(kPem, kUntil + 1).find("held until 2036-11-24 21:17 UTC, and"),
        std::string::npos);
}

TEST(CertificateTime, IsNothingWithoutACertificate) {
    EXPECT_EQ(certificate_time_advice("", 0), "");
    EXPECT_EQ(certificate_time_advice("-----BEGIN CERTIFICATE-----\nx\n", 0), "");
}

TEST(CertificateTime, OneThatHoldsIsEnough) {
    EXPECT_EQ(certificate_time_advice(std::string(kPem) + kPem, kFrom + 1), "");
}

TEST(CertificateTime, ARefusedCertificateIsSaidWithWhatHelps) {
    EXPECT_NE(certificate_refusal_advice("Ssl handshake failed: SSL_ERROR_SSL: error:0A000086:SSL "
                                         "routines::certificate verify failed")
                  .find("copy tls/certificate.pem"),
              std::string::npos);
    EXPECT_NE(certificate_refusal_advice("Peer name a.b is not in peer certificate").find("names"),
              std::string::npos);
    EXPECT_EQ(certificate_refusal_advice("Connection refused"), "");
}

}  // namespace
}  // namespace kaname::rpc::certificate_time_test
