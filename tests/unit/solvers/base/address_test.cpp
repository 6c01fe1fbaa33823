// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/address.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::address_test {
namespace {

std::string refusal_of(const std::string& text) {
    try {
        (void)parse_address("--server", text);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Address, IsHostAndPort) {
    const Address address = parse_address("--server", "[::1]:7000");

    EXPECT_EQ(address.host, "[::1]");
    EXPECT_EQ(address.port, 7000);
}

TEST(Address, SaysWhatIsMissing) {
    EXPECT_EQ(
        refusal_of("localhost"),
        "--server: must be HOST:PORT with a port of 0..65535, got \"localhost\", which lacks a "
        "port or a host: \"127.0.0.1:7000\" has both");
    EXPECT_EQ(refusal_of("host:70000"),
              "--server: must be HOST:PORT with a port of 0..65535, got \"host:70000\"");
    EXPECT_EQ(
        refusal_of("http://host:70"),
        "--server: must be HOST:PORT with a port of 0..65535, got \"http://host:70\", which is "
        "no address of gRPC but of a page: leave out \"http://\" and what follows the port");
}

TEST(Address, ExposureNeedsConsent) {
    for (const char* own : {"127.0.0.1:0", "127.1.2.3:7000", "localhost:7000", "[::1]:7000"}) {
        EXPECT_NO_THROW(check_exposure("--listen", own, false)) << own;
    }
    for (const char* open : {"0.0.0.0:0", "[::]:7000", "10.0.0.7:7000", "node7:7000",
                             "127.example.org:7000", "127.0.0.1.example.org:7000"}) {
        EXPECT_THROW(check_exposure("--listen", open, false), Error) << open;
        EXPECT_NO_THROW(check_exposure("--listen", open, true)) << open;
    }
}

TEST(Address, ListeningSaysWhatDoesNotGoTogether) {
    const auto refusal = [](const Listening& options) -> std::string {
        try {
            check_listening(options);
        } catch (const Error& error) {
            return std::string(error.what()).substr(0, std::string(error.what()).find(':'));
        }
        return "";
    };
    const std::string open = "0.0.0.0:7400";
    EXPECT_EQ(refusal({}), "");
    EXPECT_EQ(refusal({.listen = "127.0.0.1:0"}), "");
    EXPECT_EQ(refusal({.listen = open, .tls = "self-signed"}), "");
    EXPECT_EQ(refusal({.listen = open, .tls_cert = "c", .tls_key = "k", .tls_client_ca = "a"}), "");
    EXPECT_EQ(refusal({.listen = open}), "--listen");
    EXPECT_EQ(refusal({.metrics = open}), "--metrics");
    EXPECT_EQ(refusal({.listen = open, .metrics = open, .tls = "self-signed"}), "--metrics");
    EXPECT_EQ(refusal({.tls = "self-signed"}), "--tls");
    EXPECT_EQ(refusal({.http = open}), "--http");
    EXPECT_EQ(refusal({.tls = "self-signed", .http = open}), "");
    EXPECT_EQ(refusal({.http = "127.0.0.1:0"}), "");
    EXPECT_EQ(refusal({.listen = open, .tls_cert = "c"}), "--tls-cert");
    EXPECT_EQ(refusal({.listen = open, .tls_key = "k"}), "--tls-cert");
    EXPECT_EQ(refusal({.listen = open, .tls = "self-signed", .tls_cert = "c", .tls_key = "k"}),
              "--tls-cert");
    EXPECT_EQ(refusal({.listen = "127.0.0.1:0", .tls_client_ca = "a"}), "--tls-client-ca");
    EXPECT_EQ(refusal({.listen = open, .tls = "self-signed", .insecure = true}), "--insecure");
}

}  // namespace
}  // namespace kaname::address_test
