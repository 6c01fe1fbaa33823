// SPDX-License-Identifier: BSD-3-Clause
// Who listens where a token is about to be sent.
#include <cerrno>
#include <cstdio>
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

/// A port may be the server's again soon; a path is wrong until somebody puts it right.
[[noreturn]] void refuse(ErrorCode code, const Target& target, const std::string& what,
                         uid_t owner) {
    throw Error(code, target.address + ": " + what + " belongs to user " + std::to_string(owner) +
                          "; it must be root's, this user's or that of the owner of client.json. "
                          "No token was sent; who is it?");
}

void check_owner(const Target& target, const std::string& what, const struct stat& is) {
    if (!is_trusted(target, is.st_uid)) {
        refuse(ErrorCode::PermissionDenied, target, what, is.st_uid);
    }
}

void check_mode(const Target& target, const std::string& what, const struct stat& is) {
    if ((is.st_mode & 0022U) != 0) {
        char mode[16];
        std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(is.st_mode & 07777U));
        throw Error(ErrorCode::PermissionDenied,
                    target.address + ": others may write to " + what +
                        ", so that the socket may be anybody's, got mode " + mode +
                        "; no token was sent");
    }
}

/// A socket is the server's when only its user can have put it there: it and its folder are of
/// somebody trusted, and nobody else may write to the folder.
void check_socket(const Target& target, const fs::path& path) {
    struct stat socket {};
    if (::lstat(path.c_str(), &socket) != 0) {
        return;  // nobody listens: the call itself will say so
    }
    if (!S_ISSOCK(socket.st_mode)) {
        throw Error(ErrorCode::PermissionDenied,
                    target.address + ": must be a socket; no token was sent");
    }
    check_owner(target, "the socket", socket);
    check_mode(target, "it", socket);
    struct stat folder {};
    if (::stat(path.parent_path().c_str(), &folder) != 0) {
        throw Error(ErrorCode::Unavailable,
                    path.parent_path().string() + ": " + std::strerror(errno));
    }
    check_owner(target, "its folder", folder);
    check_mode(target, "its folder", folder);
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
            refuse(ErrorCode::Unavailable, target, "the port", user);
        }
    }
}

}  // namespace kaname::rpc
