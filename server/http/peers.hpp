// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace kaname::http {

struct PeerLimits {
    std::size_t in_all = 256, per_address = 64;  ///< connections
    /// For the head of a request from its beginning, and for the time between two.
    std::chrono::milliseconds asking{5000};
    std::chrono::milliseconds body{30000};  ///< for the body of a request, all of it
};

/// The connections of a server, and who of them asks for too long: such a one is shut down, which
/// whoever polls its socket sees as its end. When there is no room for a new one, the one that has
/// asked for longest gives way, of the same address where that has too many. Safe from any thread.
class Peers {
public:
    using Clock = std::chrono::steady_clock;

    explicit Peers(PeerLimits limits);
    ~Peers();
    Peers(const Peers&) = delete;
    Peers& operator=(const Peers&) = delete;

    struct Peer {
        int socket = -1;
        std::string address;
        bool asking = true, ending = false;
        Clock::time_point since, until;  ///< of what it asks
    };

    /// Makes room for one of this address; false: all that there are get an answer just now.
    [[nodiscard]] bool make_room(const std::string& address);
    /// A new one, whose socket stays open until `end`.
    [[nodiscard]] Peer* begin(int socket, std::string address);
    void answering(Peer& peer);  ///< its request is there: it has no limit now
    void asking(Peer& peer);     ///< its answer has ended: it may ask again
    void sending(Peer& peer);    ///< it may send a body now
    void end(Peer* peer);

private:
    void watch();
    void shut(Peer& peer);
    void begin_to_ask(Peer& peer, std::chrono::milliseconds limit);

    PeerLimits limits_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::list<Peer> peers_;  ///< in the order of `since`
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace kaname::http
