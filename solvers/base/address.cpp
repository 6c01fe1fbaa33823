// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/address.hpp"

#include <charconv>
#include <cstring>
#include <optional>

#include <arpa/inet.h>

#include "solvers/base/error.hpp"

namespace kaname {
namespace {

/// Returns the IPv6 address that `host` spells, IPv4 ones mapped; nothing for a name.
std::optional<in6_addr> parse_ip(std::string host) {
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    }
    host = host.substr(0, host.find('%'));  // the zone of a link-local address
    in6_addr address{};
    if (::inet_pton(AF_INET6, host.c_str(), &address) == 1) {
        return address;
    }
    address.s6_addr[10] = address.s6_addr[11] = 0xFF;
    return ::inet_pton(AF_INET, host.c_str(), &address.s6_addr[12]) == 1 ? std::optional(address)
                                                                         : std::nullopt;
}

bool is_mapped(const in6_addr& address) {
    return IN6_IS_ADDR_V4MAPPED(&address) != 0;
}

}  // namespace

Address parse_address(const std::string& field, const std::string& text) {
    const std::size_t colon = text.rfind(':');
    Address address;
    const bool is_url = text.find('/') != std::string::npos;
    if (colon != std::string::npos && colon > 0 && !is_url) {
        const char* const last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data() + colon + 1, last, address.port);
        if (error == std::errc() && end == last && address.port >= 0 && address.port < 65536) {
            address.host = text.substr(0, colon);
            return address;
        }
    }
    const bool bare = !text.empty() && (colon == std::string::npos || text.ends_with(']'));
    const std::size_t scheme = text.find("://");
    throw Error(ErrorCode::InvalidArgument,
                field + ": must be HOST:PORT with a port of 0..65535, got \"" + text + "\"" +
                    (is_url ? ", which is no address of gRPC but of a page: leave out " +
                                  (scheme == std::string::npos
                                       ? ""
                                       : '"' + text.substr(0, scheme + 3) + "\" and ") +
                                  "what follows the port"
                     : bare ? ", which lacks a port or a host: \"127.0.0.1:7000\" has both"
                            : ""));
}

bool is_loopback(const std::string& host) {
    const std::optional<in6_addr> ip = parse_ip(host);
    return ip ? IN6_IS_ADDR_LOOPBACK(&*ip) != 0 || (is_mapped(*ip) && ip->s6_addr[12] == 127)
              : host == "localhost";
}

bool is_link_local(const std::string& host) {
    const std::optional<in6_addr> ip = parse_ip(host);
    return ip && (IN6_IS_ADDR_LINKLOCAL(&*ip) != 0 ||
                  (is_mapped(*ip) && ip->s6_addr[12] == 169 && ip->s6_addr[13] == 254));
}

void check_exposure(const std::string& field, const std::string& text, bool encrypted) {
    if (!encrypted && !is_loopback(parse_address(field, text).host)) {
        throw Error(ErrorCode::InvalidArgument,
                    field + ": must be an address of this machine alone (127.0.0.1:PORT), got \"" +
                        text +
                        "\": without TLS, tokens and data would travel in plain text for all of "
                        "the network to read. Give --tls self-signed, or a certificate of your own "
                        "(--tls-cert FILE --tls-key FILE); else keep 127.0.0.1 and reach it "
                        "through an ssh tunnel");
    }
}

void check_listening(const Listening& options) {
    if (options.insecure) {
        throw Error(ErrorCode::InvalidArgument,
                    "--insecure: is no longer taken, since tokens and data would travel in plain "
                    "text: give --tls self-signed (or --tls-cert and --tls-key) with --listen");
    }
    const bool own = !options.tls_cert.empty() || !options.tls_key.empty();
    if (own && (options.tls_cert.empty() || options.tls_key.empty() || !options.tls.empty())) {
        throw Error(ErrorCode::InvalidArgument,
                    "--tls-cert: goes with --tls-key, and with --tls not at all");
    }
    const bool encrypted = own || !options.tls.empty();
    if (!options.tls_client_ca.empty() && !encrypted) {
        throw Error(
            ErrorCode::InvalidArgument,
            "--tls-client-ca: must be left out without --tls-cert or --tls, which it is for");
    }
    if (encrypted && options.listen.empty() && options.http.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "--tls: is for what --listen HOST:PORT and --http HOST:PORT open; the socket "
                    "needs none");
    }
    if (!options.listen.empty()) {
        check_exposure("--listen", options.listen, encrypted);
    }
    if (!options.http.empty()) {
        check_exposure("--http", options.http, encrypted);
    }
    if (!options.metrics.empty()) {
        check_exposure("--metrics", options.metrics, false);
    }
}

}  // namespace kaname
