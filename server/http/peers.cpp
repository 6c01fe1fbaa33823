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
    peers_.push_back({socket, std::move(address), true, false, Clock::now()});
    changed_.notify_all();
    return &peers_.back();
}

void Peers::answering(Peer& peer) {
    const std::lock_guard lock(mutex_);
    peer.asking = false;
}

void Peers::asking(Peer& peer) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(peers_, [&](const Peer& one) { return &one == &peer; });
    peer.asking = true;
    peer.since = Clock::now();
    peers_.splice(peers_.end(), peers_, found);
    changed_.notify_all();
}

void Peers::end(Peer* peer) {
    const std::lock_guard lock(mutex_);
    std::erase_if(peers_, [&](const Peer& one) { return &one == peer; });
}

void Peers::watch() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        const auto first = std::ranges::find_if(
            peers_, [](const Peer& peer) { return peer.asking && !peer.ending; });
        if (first == peers_.end()) {
            changed_.wait(lock);
        } else if (first->since + limits_.asking <= Clock::now()) {
            shut(*first);
        } else {
            changed_.wait_until(lock, first->since + limits_.asking);
        }
    }
}

}  // namespace kaname::http
