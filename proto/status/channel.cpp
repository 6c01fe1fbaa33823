// SPDX-License-Identifier: BSD-3-Clause
#include "proto/status/channel.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <grpcpp/grpcpp.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/user_folders.hpp"

namespace kaname::rpc {
namespace {

std::shared_ptr<grpc::ChannelCredentials> credentials(const Target& target) {
    if (target.ca.empty()) {
        return grpc::InsecureChannelCredentials();
    }
    return grpc::SslCredentials({target.ca, target.key, target.certificate});
}

}  // namespace

std::shared_ptr<grpc::Channel> connect(const Target& target) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 60000);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, proxy_of(target) ? 1 : 0);
    if (target.address.starts_with("unix:")) {
        // Nothing is to be found out about a socket: each call would wake both sides for pings that
        // measure it.
        constexpr int kWindow = 1 << 20;
        arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
        arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kWindow);
    }
    return grpc::CreateCustomChannel(target.address, credentials(target), arguments);
}

std::string read_pem(const std::string& field, const std::string& file) {
    if (file.empty()) {
        return "";
    }
    const std::string text = read_file_if_any(file);
    if (text.find("-----BEGIN ") == std::string::npos) {
        throw Error(ErrorCode::NotFound,
                    field + ": must name a PEM file that can be read, got \"" + file + '"');
    }
    return text;
}

namespace {

/// Returns "2026-01-31 23:59 UTC".
std::string text_of(std::time_t time) {
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts)};
}

std::time_t time_of(const ASN1_TIME* time) {
    std::tm parts{};
    return ASN1_TIME_to_tm(time, &parts) == 1 ? ::timegm(&parts) : 0;
}

}  // namespace

std::string certificate_refusal_advice(const std::string& message) {
    const auto says = [&](const char* words) { return message.find(words) != std::string::npos; };
    if (says("certificate verify failed") || says("CERTIFICATE_VERIFY_FAILED")) {
        return "; its certificate is not the one, or not signed by the one, that KANAME_CA, --ca "
               "or "
               "client.json names, or has expired: copy tls/certificate.pem of the server's state "
               "folder anew";
    }
    if (says("is not in peer certificate")) {
        return "; its certificate is for other names: use one that it has (openssl x509 -ext "
               "subjectAltName shows them), or start the server with --listen of this one";
    }
    return "";
}

std::string certificate_time_advice(const std::string& pem, std::time_t now) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> text(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
    std::time_t begins = 0, ends = 0;
    while (X509* const found = PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr)) {
        const std::unique_ptr<X509, decltype(&X509_free)> certificate(found, &X509_free);
        const std::time_t from = time_of(X509_get0_notBefore(certificate.get()));
        const std::time_t until = time_of(X509_get0_notAfter(certificate.get()));
        if (from <= now && now <= until) {
            return "";
        }
        begins = begins == 0 ? from : std::min(begins, from);
        ends = std::max(ends, until);
    }
    ERR_clear_error();  // of the end of the text
    const std::string clock = ", and this machine's clock says " + text_of(now) + ": ";
    return ends == 0 ? ""
           : now < begins
               ? "; the certificate that the server is known by holds from " + text_of(begins) +
                     " on" + clock + "set the clock"
               : "; the certificate that the server is known by held until " + text_of(ends) +
                     clock + "set the clock, or have the server make a new one";
}

// Finds out which protocol a port speaks, for the message of a call that failed.
namespace {

constexpr timeval kPatience{1, 0};
/// kPreface holds the bytes with which an HTTP/2 client begins, and empty settings.
constexpr std::string_view kPreface{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33};
constexpr std::size_t kFrameHead = 9, kTypeAt = 3;
constexpr char kSettings = 4;

class Socket {
public:
    explicit Socket(int fd) : fd_(fd) {}
    ~Socket() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    [[nodiscard]] int fd() const { return fd_; }

private:
    int fd_;
};

std::string without_brackets(const std::string& host) {
    return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

PortProtocol spoken_at(const std::string& address) {
    const Address parts = parse_address("server", address);
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (::getaddrinfo(without_brackets(parts.host).c_str(), std::to_string(parts.port).c_str(),
                      &hints, &found) != 0) {
        return PortProtocol::Nothing;
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        const Socket socket(::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, 0));
        (void)::setsockopt(socket.fd(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
        (void)::setsockopt(socket.fd(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
        if (::connect(socket.fd(), one->ai_addr, one->ai_addrlen) != 0) {
            continue;
        }
        (void)::send(socket.fd(), kPreface.data(), kPreface.size(), MSG_NOSIGNAL);
        char head[kFrameHead];
        const ssize_t n = ::recv(socket.fd(), head, sizeof head, MSG_WAITALL);
        const bool frame = n == static_cast<ssize_t>(kFrameHead) && head[kTypeAt] == kSettings;
        return frame ? PortProtocol::Plain : PortProtocol::Else;
    }
    return PortProtocol::Nothing;
}

std::string transport_advice(const Target& target) {
    if (target.address.starts_with("unix:")) {
        return "";
    }
    if (std::string advice = proxy_advice(target); !advice.empty()) {
        return advice;
    }
    const bool tls = !target.ca.empty();
    try {
        check_listener(target);
    } catch (const Error&) {
        return "";  // a stranger is not spoken to
    }
    if (std::string advice = certificate_time_advice(target.ca, std::time(nullptr));
        !advice.empty()) {
        return advice;
    }
    const PortProtocol spoken = spoken_at(target.address);
    if (!tls && spoken == PortProtocol::Else) {
        return "; what listens there does not answer without encryption: when it speaks TLS, set "
               "KANAME_CA or --ca to its certificate";
    }
    if (tls && spoken == PortProtocol::Plain) {
        return "; it listens without TLS: leave out KANAME_CA and --ca, or start it with --tls";
    }
    return "";
}

namespace {

std::string bare(const std::string& host) {
    return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

bool is_near(const std::string& host) {
    return is_loopback(host) || is_link_local(host);
}

/// Returns whether one of the addresses of a name is this machine's or its link's.
bool resolves_nearby(const std::string& host) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (::getaddrinfo(bare(host).c_str(), nullptr, &hints, &found) != 0) {
        return false;  // a name that the proxy alone can resolve
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        std::array<char, NI_MAXHOST> text{};
        if (::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0,
                          NI_NUMERICHOST) == 0 &&
            is_near(text.data())) {
            return true;
        }
    }
    return false;
}

bool ends_with_ignoring_case(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           ::strcasecmp(text.c_str() + text.size() - end.size(), end.c_str()) == 0;
}

bool is_excepted(const std::string& host) {
    const char* const own = std::getenv("no_grpc_proxy");
    std::istringstream ends(own != nullptr ? own : environment("no_proxy"));
    for (std::string end; std::getline(ends, end, ',');) {
        if (!end.empty() && ends_with_ignoring_case(host, end)) {
            return true;
        }
    }
    return false;
}

/// Returns "http://host:port" of "http://user:password@host:port".
std::string without_user(const std::string& url) {
    const std::size_t scheme = url.find("://");
    const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
    const std::size_t at = url.rfind('@');
    return at == std::string::npos || at < begin ? url : url.substr(0, begin) + url.substr(at + 1);
}

}  // namespace

std::optional<Proxy> proxy_of(const Target& target) {
    if (target.ca.empty() || target.address.starts_with("unix:")) {
        return std::nullopt;
    }
    for (const char* variable : {"grpc_proxy", "https_proxy", "http_proxy"}) {
        const char* const url = std::getenv(variable);  // the first that is set decides
        if (url == nullptr) {
            continue;
        }
        const std::string host = parse_address("server", target.address).host;
        if (*url == '\0' || is_near(host) || is_excepted(bare(host)) || resolves_nearby(host)) {
            return std::nullopt;
        }
        return Proxy{variable, without_user(url)};
    }
    return std::nullopt;
}

std::string proxy_advice(const Target& target) {
    const std::optional<Proxy> proxy = proxy_of(target);
    if (!proxy) {
        return "";
    }
    const std::string host = bare(parse_address("server", target.address).host);
    return "; the connection goes through the proxy " + proxy->place + " (from " + proxy->variable +
           "), which must let it pass: no_proxy=" + host + " leads around it";
}

// Who listens where a token is about to be sent.

namespace {

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
void check_socket(const Target& target, const std::filesystem::path& path) {
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
