// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "client/lib/endpoint.hpp"
#include "client/lib/recorded_page.hpp"

namespace kaname::client {

/// A code that logs in once, within a minute, at a server's page: as whoever has the endpoint's
/// token, which goes to nobody but the server's user. Throws Unavailable, Unauthenticated.
[[nodiscard]] std::string login_code(const RecordedPage& page, const Endpoint& endpoint);

}  // namespace kaname::client
