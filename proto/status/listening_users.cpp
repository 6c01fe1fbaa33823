// SPDX-License-Identifier: BSD-3-Clause
#include "proto/status/listening_users.hpp"

#include <array>
#include <charconv>
#include <cstring>
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

#include "solvers/base/fd.hpp"

namespace kaname::rpc {
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
