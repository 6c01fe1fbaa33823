// SPDX-License-Identifier: BSD-3-Clause
// Who listens where a token is about to be sent.
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "proto/status/channel.hpp"
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

/// Addresses as the kernel lists them: 127.x.y.z, ::1 or all of them.
bool answers_loopback(const std::string& hexadecimal) {
    return hexadecimal.ends_with("7F") || hexadecimal == "00000000000000000000000001000000" ||
           hexadecimal.find_first_not_of('0') == std::string::npos;
}

/// Users of the sockets that listen on a port at loopback or at all addresses, as the kernel lists
/// them. Empty where it does not.
std::vector<uid_t> listeners(int port) {
    constexpr const char* kListens = "0A";
    std::vector<uid_t> users;
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::ifstream in(table);
        std::string line;
        std::getline(in, line);  // the heading
        while (std::getline(in, line)) {
            std::istringstream words(line);
            std::string number, local, remote, state, queues, timer, retransmits;
            uid_t user = 0;
            if (!(words >> number >> local >> remote >> state >> queues >> timer >> retransmits >>
                  user) ||
                state != kListens) {
                continue;
            }
            const std::size_t colon = local.rfind(':');
            int found = -1;
            std::from_chars(local.data() + colon + 1, local.data() + local.size(), found, 16);
            if (colon != std::string::npos && found == port &&
                answers_loopback(local.substr(0, colon))) {
                users.push_back(user);
            }
        }
    }
    return users;
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
    for (const uid_t user : listeners(address.port)) {
        if (!is_trusted(target, user)) {
            refuse(target, "the port", user);
        }
    }
}

}  // namespace kaname::rpc
