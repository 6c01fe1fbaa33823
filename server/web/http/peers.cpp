// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/http/peers.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <poll.h>
#include <sys/socket.h>

#include "solvers/base/error.hpp"

namespace kaname::http {

Peers::Peers(PeerLimits limits) : limits_(limits), thread_([this] { watch(); }) {}

Peers::~Peers() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

/// With the mutex held, so that the socket is still this peer's.
void Peers::shut(Peer& peer) {
    peer.ending = true;
    ::shutdown(peer.socket, SHUT_RDWR);
}

/// Takes those whose client has closed its end off the counts: their sockets close soon.
void Peers::note_gone() {
    std::vector<pollfd> polled;
    polled.reserve(peers_.size());
    for (const Peer& peer : peers_) {
        polled.push_back({peer.ending ? -1 : peer.socket, POLLRDHUP, 0});
    }
    if (::poll(polled.data(), polled.size(), 0) > 0) {
        auto at = polled.begin();
        for (Peer& peer : peers_) {
            peer.ending |= (at++)->revents != 0;
        }
    }
}

/// Counts the anonymous ones of an address, or those of an owner.
std::size_t Peers::count_of(Key key, const std::string& value) {
    return static_cast<std::size_t>(std::ranges::count_if(peers_, [&](const Peer& peer) {
        return !peer.ending && peer.*key == value && (key == &Peer::owner || peer.owner.empty());
    }));
}

/// The address of most anonymous peers, or the owner of most others.
std::string Peers::largest(Key key, bool anonymous) {
    std::map<std::string, std::size_t> counts;
    for (const Peer& peer : peers_) {
        if (!peer.ending && peer.owner.empty() == anonymous) {
            ++counts[peer.*key];
        }
    }
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    return most != counts.end() ? most->first : "";
}

void Peers::give_way(Key key, const std::string& value) {
    const auto find = [&](bool asking) {
        return std::ranges::find_if(peers_, [&](const Peer& peer) {
            return !peer.ending && peer.*key == value && peer.asking == asking &&
                   (key == &Peer::owner || peer.owner.empty());
        });
    };
    auto oldest = find(true);
    if (oldest == peers_.end()) {
        oldest = find(false);
    }
    if (oldest != peers_.end()) {
        shut(*oldest);
    }
}

void Peers::make_room(const std::string& address) {
    const std::lock_guard lock(mutex_);
    const auto of_address = [&] { return count_of(&Peer::address, address); };
    const auto anonymous = [&] { return count_of(&Peer::owner, ""); };
    if (of_address() < limits_.per_address && anonymous() < limits_.anonymous) {
        return;
    }
    note_gone();
    if (of_address() >= limits_.per_address) {
        give_way(&Peer::address, address);
    }
    if (anonymous() >= limits_.anonymous) {
        give_way(&Peer::address, largest(&Peer::address, true));
    }
}

void Peers::own(Peer& peer, const std::string& owner) {
    const std::lock_guard lock(mutex_);
    if (owner.empty() || peer.owner == owner) {
        return;
    }
    const auto of_owner = [&] { return count_of(&Peer::owner, owner); };
    const auto owned = [&] {
        return static_cast<std::size_t>(std::ranges::count_if(
            peers_, [](const Peer& one) { return !one.ending && !one.owner.empty(); }));
    };
    if (of_owner() >= limits_.per_owner || owned() >= limits_.owned) {
        note_gone();
    }
    std::size_t most = limits_.per_owner;
    if (owned() >= limits_.owned) {
        const std::string other = largest(&Peer::owner, false);
        most = std::min(most, count_of(&Peer::owner, other));
        if (of_owner() + 1 < most) {
            give_way(&Peer::owner, other);
        }
    }
    if (of_owner() >= most) {
        throw Error(ErrorCode::Exhausted, "connections: at most " + std::to_string(most) +
                                              " may be open at a time by \"" + owner +
                                              "\"; end some, or call again later");
    }
    peer.owner = owner;
}

Peers::Peer* Peers::begin(int socket, std::string address) {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    peers_.push_back({socket, std::move(address), true, false, now, now + limits_.asking});
    changed_.notify_all();
    return &peers_.back();
}

void Peers::answering(Peer& peer) {
    const std::lock_guard lock(mutex_);
    peer.asking = false;
}

void Peers::begin_to_ask(Peer& peer, std::chrono::milliseconds limit) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(peers_, [&](const Peer& one) { return &one == &peer; });
    peer.asking = true;
    peer.since = Clock::now();
    peer.until = peer.since + limit;
    peers_.splice(peers_.end(), peers_, found);
    changed_.notify_all();
}

void Peers::asking(Peer& peer) {
    begin_to_ask(peer, limits_.asking);
    const std::lock_guard lock(mutex_);
    peer.owner.clear();
}

void Peers::sending(Peer& peer) {
    begin_to_ask(peer, limits_.body);
}

void Peers::end(Peer* peer) {
    const std::lock_guard lock(mutex_);
    std::erase_if(peers_, [&](const Peer& one) { return &one == peer; });
}

std::size_t Peers::count() {
    const std::lock_guard lock(mutex_);
    return peers_.size();
}

void Peers::watch() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        Peer* next = nullptr;
        for (Peer& peer : peers_) {
            if (peer.asking && !peer.ending && (next == nullptr || peer.until < next->until)) {
                next = &peer;
            }
        }
        if (next == nullptr) {
            changed_.wait(lock);
        } else if (next->until <= Clock::now()) {
            shut(*next);
        } else {
            const auto until = next->until;  // it may go meanwhile
            changed_.wait_until(lock, until);
        }
    }
}

NetworkPlace place_of(const sockaddr* address) {
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    const socklen_t size =
        address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (::getnameinfo(address, size, host.data(), host.size(), port.data(), port.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return {"?", "?"};
    }
    return {host.data(), port.data()};
}

Resolved::Resolved(const Address& address) {
    const bool bracketed = address.host.starts_with('[') && address.host.ends_with(']');
    const std::string host =
        bracketed ? address.host.substr(1, address.host.size() - 2) : address.host;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    if (::getaddrinfo(host.c_str(), std::to_string(address.port).c_str(), &hints, &first_) != 0) {
        first_ = nullptr;
    }
}

Resolved::~Resolved() {
    if (first_ != nullptr) {
        ::freeaddrinfo(first_);
    }
}

}  // namespace kaname::http
