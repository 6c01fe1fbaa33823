// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/status/channel.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

// Who listens where a token is about to be sent.
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

namespace {

/// 127.x.y.z, ::1, either of them mapped, or all addresses.
bool answers_loopback(int family, const __be32* words) {
    if (family == AF_INET) {
        return words[0] == 0 || (ntohl(words[0]) >> 24U) == 127;
    }
    const bool high_is_0 = words[0] == 0 && words[1] == 0;
    const std::uint32_t third = ntohl(words[2]), last = ntohl(words[3]);
    return high_is_0 &&
           ((third == 0 && last <= 1) || (third == 0xFFFF && (last == 0 || (last >> 24U) == 127)));
}

struct Question {
    nlmsghdr header;
    inet_diag_req_v2 body;
};

/// Adds the users of one family's listening sockets; false when the kernel does not answer.
bool add_users(int netlink, int family, int port, std::vector<uid_t>& users) {
    Question question{};
    question.header.nlmsg_len = sizeof question;
    question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    question.body.sdiag_family = static_cast<__u8>(family);
    question.body.sdiag_protocol = IPPROTO_TCP;
    question.body.idiag_states = 1U << TCP_LISTEN;
    if (::send(netlink, &question, sizeof question, 0) < 0) {
        return false;
    }
    alignas(nlmsghdr) std::array<char, 32768> buffer;
    while (true) {
        const ssize_t got = ::recv(netlink, buffer.data(), buffer.size(), 0);
        if (got <= 0) {
            return false;
        }
        auto left = static_cast<unsigned>(got);
        for (auto* message = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(message, left);
             message = NLMSG_NEXT(message, left)) {
            if (message->nlmsg_type == NLMSG_DONE) {
                return true;
            }
            if (message->nlmsg_type != SOCK_DIAG_BY_FAMILY) {
                return false;
            }
            const auto* socket = static_cast<const inet_diag_msg*>(NLMSG_DATA(message));
            if (ntohs(socket->id.idiag_sport) == port &&
                answers_loopback(socket->idiag_family, socket->id.idiag_src)) {
                users.push_back(socket->idiag_uid);
            }
        }
    }
}

std::optional<std::vector<uid_t>> told_by_the_kernel(int port) {
    const Fd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    if (netlink.get() < 0) {
        return std::nullopt;
    }
    const timeval second{1, 0};
    ::setsockopt(netlink.get(), SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    std::vector<uid_t> users;
    for (const int family : {AF_INET, AF_INET6}) {
        if (!add_users(netlink.get(), family, port, users)) {
            return std::nullopt;
        }
    }
    return users;
}

/// Addresses as /proc lists them.
bool answers_loopback(const std::string& hexadecimal) {
    return hexadecimal.ends_with("7F") || hexadecimal == "00000000000000000000000001000000" ||
           hexadecimal == "0000000000000000FFFF000000000000" ||
           hexadecimal.find_first_not_of('0') == std::string::npos;
}

}  // namespace

std::vector<uid_t> listening_users(int port) {
    if (const auto users = told_by_the_kernel(port)) {
        return *users;
    }
    return listening_users_of_proc(port);
}

std::vector<uid_t> listening_users_of_proc(int port) {
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

}  // namespace kaname::rpc
