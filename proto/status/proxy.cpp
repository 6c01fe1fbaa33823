// SPDX-License-Identifier: BSD-3-Clause
#include "proto/status/proxy.hpp"

#include <array>
#include <cstdlib>
#include <memory>
#include <sstream>

#include <netdb.h>
#include <strings.h>

#include "solvers/base/address.hpp"
#include "solvers/base/user_folders.hpp"

namespace kaname::rpc {
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

}  // namespace kaname::rpc
