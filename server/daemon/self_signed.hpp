// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>
#include <filesystem>
#include <string>

namespace kaname::daemon {

/// PEM texts.
struct KeyPair {
    std::string certificate, key;
};

/// The key and the certificate of a server without a certificate authority: <state>/tls/key.pem and
/// certificate.pem, mode 0600, made when they are not there, have ended at `now` or do not name
/// `host` (or this machine and its addresses, where `host` is all of them). Clients know the server
/// by that certificate itself. Throws Unavailable.
[[nodiscard]] KeyPair self_signed(const std::filesystem::path& state, const std::string& host,
                                  std::time_t now = std::time(nullptr));

}  // namespace kaname::daemon
