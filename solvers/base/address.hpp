// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname {

/// HOST:PORT of a network address.
struct Address {
    std::string host;  ///< an IPv6 address keeps its brackets
    int port = 0;      ///< 0..65535
};

/// Reads HOST:PORT. Throws InvalidArgument that begins with `field` (the option or variable) and
/// says what is missing.
[[nodiscard]] Address parse_address(const std::string& field, const std::string& text);

/// Returns whether only programs of this machine reach such a host: 127.x.y.z, ::1 or localhost. A
/// name such as 127.example.org is no address.
[[nodiscard]] bool is_loopback(const std::string& host);

/// Returns whether a host is an address that no router passes on: 169.254.x.y or fe80::.
[[nodiscard]] bool is_link_local(const std::string& host);

/// Throws InvalidArgument for an address that other machines reach, unless what goes over it is
/// encrypted; the message says what to do.
void check_exposure(const std::string& field, const std::string& text, bool encrypted);

/// Options of where a server listens and what with; empty: not given.
struct Listening {
    std::string listen, metrics, tls, tls_cert, tls_key, tls_client_ca;
    bool insecure = false;
    std::string http = {};
};

/// Throws InvalidArgument for what does not go together, or would let others read tokens and data.
void check_listening(const Listening& options);

}  // namespace kaname
