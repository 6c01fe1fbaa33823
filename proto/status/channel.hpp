// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <grpcpp/channel.h>
#include <sys/types.h>

namespace kaname::rpc {

/// Where a server is and what it is known by. `ca`, `certificate` and `key` are PEM texts: with a
/// `ca` (or a certificate that is pinned as one) the connection is TLS; the other two are the
/// caller's own, for a server that asks for them.
struct Target {
    std::string address;  ///< host:port, or unix:/path
    std::string ca = {}, certificate = {}, key = {};
    /// Who else than root and this user may be the server's user: the owner of client.json.
    std::optional<uid_t> owner = {};
};

/// A channel that notices a dead connection within a minute or two and finds a server that comes
/// back within a second. A first attempt may fail although the server is there: gRPC 1.51 reads
/// connect's errno after it has allocated, so calls must be tried again. It goes through a proxy
/// only where proxy_of says so.
[[nodiscard]] std::shared_ptr<grpc::Channel> connect(const Target& target);

/// To be called before a token is sent: whoever listens where the server was must be the server's
/// user, root or this user. Throws InvalidArgument where nothing is encrypted and the address is
/// not of this machine; PermissionDenied when somebody else has the socket or its folder, or may
/// write there; Unavailable, as the server is not there, when somebody else has the port. With TLS
/// the certificate says who it is, and nothing is asked.
void check_listener(const Target& target);

/// Users of the sockets that listen on a TCP port of this machine, at loopback or at all addresses.
/// Empty where the kernel does not tell. Asked before each call: the kernel is asked for the
/// listening sockets alone (sock_diag), since its list of all (/proc/net/tcp) takes 10 ms and more.
[[nodiscard]] std::vector<uid_t> listening_users(int port);

/// Returns these users by /proc/net/tcp and tcp6, for kernels without sock_diag.
[[nodiscard]] std::vector<uid_t> listening_users_of_proc(int port);

/// Spoken is how a network port answers a client that speaks HTTP/2 without encryption.
enum class PortProtocol {
    Nothing,  ///< nobody listens
    Plain,    ///< the same
    Else      ///< something else, TLS perhaps
};
/// Looks for a second or two; no token is sent. Throws InvalidArgument for what is no HOST:PORT.
[[nodiscard]] PortProtocol spoken_at(const std::string& address);

/// Returns what the message of a call that found no server adds: the proxy on the way, what to do
/// when one side of the connection speaks TLS and the other does not; else nothing.
[[nodiscard]] std::string transport_advice(const Target& target);

/// The text of a PEM file; empty for no name. Throws NotFound, beginning with `field`.
[[nodiscard]] std::string read_pem(const std::string& field, const std::string& file);

/// Returns what the message of a call that found no server says when none of the certificates of a
/// PEM text holds at `now`, as this machine's clock has it: since when or until when they do. Empty
/// when one holds, or the text has none.
[[nodiscard]] std::string certificate_time_advice(const std::string& pem, std::time_t now);

/// Returns what helps where `message`, gRPC's of a call, says that a server's certificate was
/// refused; empty for another message.
[[nodiscard]] std::string certificate_refusal_advice(const std::string& message);

/// The HTTP proxy that a channel goes through.
struct Proxy {
    std::string variable;  ///< of the environment, which names it
    std::string place;     ///< its address, without a user or password
};

/// Returns the proxy between here and a server; nothing when the channel is direct. A proxy sees
/// nothing but TLS: a target without it, a socket, and what the machine or its link has themselves
/// (by address, or as a name is resolved here) are never proxied, whatever grpc_proxy, https_proxy
/// and http_proxy say. no_grpc_proxy and no_proxy hold as gRPC reads them.
[[nodiscard]] std::optional<Proxy> proxy_of(const Target& target);

/// Returns what the message of a call that failed says about the proxy; empty without one.
[[nodiscard]] std::string proxy_advice(const Target& target);

/// For programs that stay: what gRPC does later is done by threads that sleep until it is due. To
/// be called before gRPC is used. Nothing happens with other versions of gRPC than 1.51.
void sleep_until_due();

}  // namespace kaname::rpc
