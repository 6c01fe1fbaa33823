// SPDX-License-Identifier: BSD-3-Clause
// Who listens where a token is about to be sent.
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

#include "proto/status/channel.hpp"
#include "proto/status/listening_users.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"

namespace kaname::rpc {
namespace {

namespace fs = std::filesystem;

bool is_trusted(const Target& target, uid_t owner) {
    return owner == 0 || owner == ::geteuid() || owner == target.owner;
}

[[noreturn]] void refuse(const Target& target, const std::string& what, uid_t owner) {
    throw Error(ErrorCode::Unavailable,
                target.address + ": " + what + " belongs to user " + std::to_string(owner) +
                    "; it must be root's, this user's or that of the owner of client.json. No "
                    "token was sent; who is it?");
}

/// A socket is the server's when only its user can have put it there: it and its folder are of
/// somebody trusted, and nobody else may write to the folder.
void check_socket(const Target& target, const fs::path& path) {
    struct stat socket {};
    if (::lstat(path.c_str(), &socket) != 0) {
        return;  // nobody listens: the call itself will say so
    }
    if (!S_ISSOCK(socket.st_mode)) {
        throw Error(ErrorCode::Unavailable,
                    target.address + ": must be a socket; no token was sent");
    }
    if (!is_trusted(target, socket.st_uid)) {
        refuse(target, "the socket", socket.st_uid);
    }
    struct stat folder {};
    if (::stat(path.parent_path().c_str(), &folder) != 0) {
        throw Error(ErrorCode::Unavailable,
                    path.parent_path().string() + ": " + std::strerror(errno));
    }
    if (!is_trusted(target, folder.st_uid)) {
        refuse(target, "its folder", folder.st_uid);
    }
    if ((folder.st_mode & 0022) != 0) {
        throw Error(ErrorCode::Unavailable,
                    target.address +
                        ": others may write to its folder, so that the socket may be anybody's; "
                        "no token was sent");
    }
}

}  // namespace

void check_listener(const Target& target) {
    constexpr std::string_view kUnix = "unix:";
    if (target.address.starts_with(kUnix)) {
        check_socket(target, target.address.substr(kUnix.size()));
        return;
    }
    if (!target.ca.empty()) {
        return;
    }
    const Address address = parse_address("server", target.address);
    if (!is_loopback(address.host)) {
        throw Error(ErrorCode::InvalidArgument,
                    "server: must be reached over TLS beyond this machine, got \"" +
                        target.address +
                        "\" without a certificate to know it by: give --ca FILE (or KANAME_CA), "
                        "or reach it through an ssh tunnel");
    }
    for (const uid_t user : listening_users(address.port)) {
        if (!is_trusted(target, user)) {
            refuse(target, "the port", user);
        }
    }
}

}  // namespace kaname::rpc
