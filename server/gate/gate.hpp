// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/gate/caller.hpp"

namespace kaname::gate {

struct GateLimits {
    /// Connections before their first authenticated call. When there are more, the oldest of the
    /// same address gives way, in all one of the address that has most: a new one gets in. Whoever
    /// gives way is told so, and a client that has called calls again by itself. Of few open files
    /// a quarter is for these.
    std::size_t unknown = 1024, unknown_of_address = 512;
    std::chrono::milliseconds patience{10000};  ///< until that call
    /// The others, in all (fewer where few files may be open) and of an owner; a further one is
    /// refused.
    std::size_t known = 8192, known_of_owner = 2048;
    CallerLimits caller = {};
};

struct GateOptions {
    std::string listen;  ///< HOST:PORT; port 0: any free one
    /// PEM texts; without them what goes over the network is plain. With `client_ca` a client must
    /// show a certificate that it vouches for.
    std::string certificate = {}, key = {}, client_ca = {};
    GateLimits limits = {};
    /// Whose a token is. Called on a thread of its own; does not throw.
    std::function<Verdict(const std::optional<std::string>& authorization)> check = {};
    /// Takes over a connection to the server: a socket, whose peer's address is its name alone.
    std::function<void(int socket)> join = {};
    Health health = {};
    SendsMany sends_many = {};
    /// Told of each call that the gate refused.
    std::function<void(const std::string& path, int status)> refused = {};
    /// The serialised google.rpc.Status of a call that a limit of the gate refuses.
    std::function<std::string(const std::string& message)> details_of_limit = {};
};

/// Stands before a server of HTTP/2: nothing of a client reaches the server before a token that is
/// good, and what goes on keeps the limits of frames. One thread serves all connections.
class Gate {
public:
    /// Listens and serves. Throws Unavailable when the address cannot be bound, InvalidArgument
    /// for certificates that are none.
    explicit Gate(GateOptions options);
    /// Ends what is still open.
    ~Gate();
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    [[nodiscard]] int port() const;
    /// Nobody new gets in.
    void stop_listening();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// Raises how many files this process may have open to what the system allows it, at most 65,536.
void raise_file_limit();

}  // namespace kaname::gate
