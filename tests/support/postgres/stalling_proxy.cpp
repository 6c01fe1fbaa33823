// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/postgres/stalling_proxy.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace kaname::support {
namespace {

constexpr const char* kSocket = "/.s.PGSQL.5432";

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    return address;
}

}  // namespace

StallingProxy::StallingProxy(const std::filesystem::path& folder) : server_(folder.string()) {
    std::string made = "/tmp/kaname-proxy-XXXXXX";
    if (::mkdtemp(made.data()) == nullptr) {
        throw std::runtime_error("no temporary folder " + made);
    }
    folder_ = made;
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_of(folder_ + kSocket);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 64) != 0) {
        throw std::runtime_error("no socket in " + folder_);
    }
    thread_ = std::thread([this] { serve(); });
}

StallingProxy::~StallingProxy() {
    end_ = true;
    thread_.join();
    for (const auto& [client, server] : links_) {
        ::close(client);
        ::close(server);
    }
    ::close(listener_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void StallingProxy::forward(int from, int to) {
    char buffer[65536];
    const ssize_t n = ::recv(from, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n == 0) {
        ::shutdown(to, SHUT_WR);
    }
    for (ssize_t sent = 0; sent < n;) {
        const ssize_t now =
            ::send(to, buffer + sent, static_cast<std::size_t>(n - sent), MSG_NOSIGNAL);
        if (now <= 0) {
            return;
        }
        sent += now;
    }
}

void StallingProxy::serve() {
    while (!end_) {
        if (stalled_) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            continue;
        }
        std::vector<pollfd> all = {{listener_, POLLIN, 0}};
        for (const auto& [client, server] : links_) {
            all.push_back({client, POLLIN, 0});
            all.push_back({server, POLLIN, 0});
        }
        if (::poll(all.data(), all.size(), 20) <= 0 || stalled_) {
            continue;
        }
        for (std::size_t k = 0; k < links_.size(); ++k) {
            if (all[2 * k + 1].revents != 0) {
                forward(links_[k].first, links_[k].second);
            }
            if (all[2 * k + 2].revents != 0) {
                forward(links_[k].second, links_[k].first);
            }
        }
        if (all[0].revents != 0) {
            const int client = ::accept(listener_, nullptr, nullptr);
            const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            const sockaddr_un address = address_of(server_ + kSocket);
            (void)::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address);
            links_.emplace_back(client, server);
        }
    }
}

}  // namespace kaname::support
