// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace kaname::service {

/// Gives the next message of a stream of requests; false at its end.
template <class Message>
using Read = std::function<bool(Message&)>;

}  // namespace kaname::service
