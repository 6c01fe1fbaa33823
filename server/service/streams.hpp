// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace kaname::service {

/// Gives the next message of a stream of requests; false at its end.
template <class Message>
using Read = std::function<bool(Message&)>;
/// Takes the next message of a stream of answers; false when nobody reads any more.
template <class Message>
using Write = std::function<bool(const Message&)>;
/// Whether the caller has gone.
using Cancelled = std::function<bool()>;

}  // namespace kaname::service
