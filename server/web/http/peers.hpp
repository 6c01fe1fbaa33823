// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include <netdb.h>

#include "solvers/base/address.hpp"

namespace kaname::http {

/// Connections. An anonymous one has sent no token with the request that it is at; another belongs
/// to the owner of the token until its answer has ended.
struct PeerLimits {
    std::size_t anonymous = 256, per_address = 64;  ///< anonymous ones, in all and of an address
    std::size_t owned = 512, per_owner = 64;        ///< the others, in all and of an owner
    /// For the head of a request from its beginning, and for the time between two.
    std::chrono::milliseconds asking{5000};
    std::chrono::milliseconds body{30000};  ///< for the body of a request, all of it
    [[nodiscard]] std::size_t in_all() const { return anonymous + owned; }
};

/// The connections of a server, and who of them asks for too long: such a one is shut down, which
/// whoever polls its socket sees as its end. No limit is reached at another's cost: a new anonymous
/// connection is let in, and one of the same address gives way where that has too many, else one of
/// the address that has most; an owner with too many is refused, also for those who have their
/// share when others have more. Connections whose client has closed them are not counted. Safe from
/// any thread.
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
        std::string owner = {};          ///< of the request that is answered; empty: anonymous
    };

    /// Makes room for one of this address: those that ask give way first, the oldest of them.
    void make_room(const std::string& address);
    /// A new one, whose socket stays open until `end`.
    [[nodiscard]] Peer* begin(int socket, std::string address);
    void answering(Peer& peer);  ///< its request is there: it has no limit now
    void asking(Peer& peer);     ///< its answer has ended: it may ask again
    void sending(Peer& peer);    ///< it may send a body now
    /// Counts it as the owner's until its answer has ended. Throws Exhausted where the owner has
    /// too many.
    void own(Peer& peer, const std::string& owner);
    void end(Peer* peer);
    [[nodiscard]] std::size_t count();  ///< of those that have not ended

private:
    using Key = std::string Peer::*;
    void watch();
    void shut(Peer& peer);
    void begin_to_ask(Peer& peer, std::chrono::milliseconds limit);
    void note_gone();
    [[nodiscard]] std::size_t count_of(Key key, const std::string& value);
    [[nodiscard]] std::string largest(Key key, bool anonymous);
    void give_way(Key key, const std::string& value);

    PeerLimits limits_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::list<Peer> peers_;  ///< in the order of `since`
    bool stopping_ = false;
    std::thread thread_;
};

/// Where a caller calls from, in numbers; "?" where it cannot be told.
struct NetworkPlace {
    std::string address, port;
};
[[nodiscard]] NetworkPlace place_of(const sockaddr* address);

/// Addresses of HOST:PORT; ends with its destruction.
class Resolved {
public:
    explicit Resolved(const Address& address);
    ~Resolved();
    Resolved(const Resolved&) = delete;
    Resolved& operator=(const Resolved&) = delete;
    [[nodiscard]] const addrinfo* first() const { return first_; }

private:
    addrinfo* first_ = nullptr;
};

}  // namespace kaname::http
