// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/peers.hpp"

#include <algorithm>
#include <iterator>

#include <sys/socket.h>

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

bool Peers::make_room(const std::string& address) {
    const std::lock_guard lock(mutex_);
    const auto full = [&](bool of_address, std::size_t most) {
        const auto counts = [&](const Peer& peer) {
            return !peer.ending && (!of_address || peer.address == address);
        };
        if (static_cast<std::size_t>(std::ranges::count_if(peers_, counts)) < most) {
            return false;
        }
        const auto oldest = std::ranges::find_if(
            peers_, [&](const Peer& peer) { return counts(peer) && peer.asking; });
        if (oldest == peers_.end()) {
            return true;
        }
        shut(*oldest);
        return false;
    };
    return !full(true, limits_.per_address) && !full(false, limits_.in_all);
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
}

void Peers::sending(Peer& peer) {
    begin_to_ask(peer, limits_.body);
}

void Peers::end(Peer* peer) {
    const std::lock_guard lock(mutex_);
    std::erase_if(peers_, [&](const Peer& one) { return &one == peer; });
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

}  // namespace kaname::http
