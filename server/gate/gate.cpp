// SPDX-License-Identifier: BSD-3-Clause
#include "server/gate/gate.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "server/gate/wire.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gate {
namespace {

using Clock = Caller::Clock;
using Id = std::uint64_t;

constexpr std::chrono::milliseconds kBetweenSweeps{100}, kLastWord{1000};
constexpr int kAcceptedAtOnce = 16;
/// Each event carries an id of a caller and its side, or one of these constants.
constexpr std::uint64_t kWake = 0, kListener = 1;
enum Side : std::uint64_t { kClient = 0, kServer = 1 };
/// Files of a caller that is known: the client's socket, and both ends of that to the server.
constexpr std::size_t kFilesOfCaller = 3, kOtherFiles = 2048, kLeastKnown = 64;

/// The limits that this process has the files for.
GateLimits affordable(GateLimits limits) {
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    const auto all = static_cast<std::size_t>(files.rlim_cur);
    limits.unknown = std::min(limits.unknown, all / 4);
    limits.unknown_of_address = std::min(limits.unknown_of_address, limits.unknown / 2 + 1);
    const std::size_t known =
        (all > kOtherFiles + limits.unknown ? all - kOtherFiles - limits.unknown : all / 4) /
        kFilesOfCaller;
    limits.known = std::min(limits.known, std::max(kLeastKnown, known));
    limits.known_of_owner = std::min(limits.known_of_owner, limits.known / 2);
    return limits;
}

struct Guest {
    Caller caller;
    std::string address, owner = {};
    Clock::time_point until;  ///< while nobody knows it, or it ends
    std::uint32_t client_events = 0, server_events = 0;
    bool has_client = false, has_server = false;  ///< whether the sockets are polled
};

}  // namespace

struct Gate::Parts {
    explicit Parts(GateOptions with);
    ~Parts();

    void run();
    [[nodiscard]] bool speaks_still();
    void handle(const epoll_event& event);
    void admit();
    void welcome(Fd socket, const std::string& address);
    void make_room(const std::string& address);
    void give_way(Id id);
    [[nodiscard]] Fd open(Id id, const std::string& owner, std::string& refused);
    [[nodiscard]] std::shared_ptr<Account> account(const std::string& owner);
    void work(Id id);
    void watch(Id id, Guest& guest);
    void watch_one(Id id, Side side, int fd, std::uint32_t wanted, std::uint32_t& now, bool added);
    void sweep();
    void end(Id id);
    void check();
    void take_verdicts();
    void wake() const;

    GateOptions options;
    Tls tls;
    std::vector<Fd> listeners;
    int port = 0;
    Fd poll{::epoll_create1(EPOLL_CLOEXEC)};
    Fd waking{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    // These members belong to the thread that serves. Ids rise, so that the first one is the
    // oldest.
    std::map<Id, std::unique_ptr<Guest>> guests;
    std::set<Id> unknown, ending, eager;
    std::map<std::string, std::size_t> by_address, by_owner;  ///< unknown ones, known ones
    std::map<std::string, std::weak_ptr<Account>> accounts;   ///< of owners of known ones
    Id next_id = 1;
    Clock::time_point swept = Clock::now();
    bool listening = true;
    std::optional<Clock::time_point> stopped_at;

    std::mutex mutex;
    std::condition_variable asked;
    std::deque<std::pair<Id, std::optional<std::string>>> questions;
    std::vector<std::pair<Id, Verdict>> verdicts;
    bool stops_checking = false;
    std::atomic<bool> stopping = false, stops_listening = false;
    std::thread serving, checking;
};

Gate::Parts::Parts(GateOptions with) : options(std::move(with)) {
    if (!options.certificate.empty()) {
        tls = make_tls(options.certificate, options.key, options.client_ca);
    }
    options.limits = affordable(options.limits);
    listeners = listen_on(options.listen);
    port = port_of(listeners.front());
    epoll_event event{EPOLLIN, {.u64 = kWake}};
    ::epoll_ctl(poll.get(), EPOLL_CTL_ADD, waking.get(), &event);
    event.data.u64 = kListener;
    for (const Fd& listener : listeners) {
        ::epoll_ctl(poll.get(), EPOLL_CTL_ADD, listener.get(), &event);
    }
    checking = std::thread([this] { check(); });
    serving = std::thread([this] { run(); });
}

Gate::Parts::~Parts() {
    stopping = true;
    wake();
    serving.join();
    {
        const std::lock_guard lock(mutex);
        stops_checking = true;
    }
    asked.notify_all();
    checking.join();
}

void Gate::Parts::wake() const {
    const std::uint64_t one = 1;
    (void)!::write(waking.get(), &one, sizeof one);
}

void Gate::Parts::run() {
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);  // what TLS writes to may have gone
    std::array<epoll_event, 128> events{};
    while (!stopping || speaks_still()) {
        // Without anybody whose time is bounded nothing happens by itself.
        const bool timed = stopping || !unknown.empty() || !ending.empty();
        const int wait_ms = !eager.empty() ? 0
                            : timed        ? static_cast<int>(kBetweenSweeps.count())
                                           : -1;
        const int count =
            ::epoll_wait(poll.get(), events.data(), static_cast<int>(events.size()), wait_ms);
        for (const Id id : std::exchange(eager, {})) {
            work(id);
        }
        for (int k = 0; k < count; ++k) {
            handle(events[static_cast<std::size_t>(k)]);
        }
        if (Clock::now() - swept >= kBetweenSweeps) {
            sweep();
        }
    }
    guests.clear();
}

/// While the gate goes: whether the server's last words are still on their way.
bool Gate::Parts::speaks_still() {
    const auto now = Clock::now();
    if (!stopped_at) {
        stopped_at = now;
    }
    return guests.size() > unknown.size() && now - *stopped_at < kLastWord / 2;
}

void Gate::Parts::handle(const epoll_event& event) {
    if (event.data.u64 == kWake) {
        std::uint64_t ignored = 0;
        (void)!::read(waking.get(), &ignored, sizeof ignored);
        if (stops_listening && std::exchange(listening, false)) {
            listeners.clear();
        }
        take_verdicts();
        return;
    }
    if (event.data.u64 == kListener) {
        admit();
        return;
    }
    const Id id = event.data.u64 >> 1U;
    const auto found = guests.find(id);
    if (found == guests.end()) {
        return;
    }
    if ((event.events & (EPOLLHUP | EPOLLERR)) != 0) {
        if ((event.data.u64 & 1U) == kServer) {
            found->second->caller.server_has_gone();
        } else {
            found->second->caller.client_has_gone();
        }
    }
    work(id);
}

void Gate::Parts::admit() {
    for (const Fd& listener : listeners) {
        for (int k = 0; k < kAcceptedAtOnce; ++k) {
            sockaddr_storage peer{};
            socklen_t size = sizeof peer;
            Fd socket(::accept4(listener.get(), reinterpret_cast<sockaddr*>(&peer), &size,
                                SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (!socket.open()) {
                if ((errno == EMFILE || errno == ENFILE) && !unknown.empty()) {
                    give_way(*unknown.begin());
                }
                break;
            }
            welcome(std::move(socket), address_of(peer));
        }
    }
}

void Gate::Parts::welcome(Fd socket, const std::string& address) {
    constexpr int kYes = 1, kIdle_s = 30, kBetween_s = 10, kUnheard_ms = 60000;
    const int fd = socket.get();
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &kYes, sizeof kYes);
    // Who is gone without a word.
    ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &kYes, sizeof kYes);
    ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &kIdle_s, sizeof kIdle_s);
    ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &kBetween_s, sizeof kBetween_s);
    ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnheard_ms, sizeof kUnheard_ms);
    make_room(address);
    const Id id = next_id++;
    Caller::Needs needs{
        .check =
            [this, id](std::optional<std::string> authorization) {
                {
                    const std::lock_guard lock(mutex);
                    questions.emplace_back(id, std::move(authorization));
                }
                asked.notify_one();
            },
        .account = [this](const std::string& owner) { return account(owner); },
        .open = [this, id](const std::string& owner,
                           std::string& refused) { return open(id, owner, refused); },
        .refused = options.refused,
        .details_of_limit = options.details_of_limit,
        .health = &options.health,
        .sends_many = &options.sends_many};
    guests[id].reset(
        new Guest{.caller = Caller(std::move(socket), tls, options.limits.caller, std::move(needs)),
                  .address = address,
                  .until = Clock::now() + options.limits.patience});
    unknown.insert(id);
    ++by_address[address];
    work(id);
}

/// Its place is taken at once: it hears why, but nobody waits for it.
void Gate::Parts::give_way(Id id) {
    Caller& caller = guests.at(id)->caller;
    caller.send_away();
    (void)caller.work();
    end(id);
}

void Gate::Parts::make_room(const std::string& address) {
    const auto end_oldest = [&](const std::string& of) {
        const auto oldest =
            std::ranges::find_if(unknown, [&](Id id) { return guests.at(id)->address == of; });
        give_way(*oldest);
    };
    if (const auto own = by_address.find(address);
        own != by_address.end() && own->second >= options.limits.unknown_of_address) {
        end_oldest(address);
    }
    if (unknown.size() >= options.limits.unknown) {
        end_oldest(std::ranges::max_element(by_address, {}, [](const auto& entry) {
                       return entry.second;
                   })->first);
    }
}

Fd Gate::Parts::open(Id id, const std::string& owner, std::string& refused) {
    const std::size_t known = guests.size() - unknown.size();
    const auto own = by_owner.find(owner);
    const std::size_t count = own != by_owner.end() ? own->second : 0;
    const bool too_many = count >= options.limits.known_of_owner;
    if (too_many || known >= options.limits.known) {
        refused = "connections: at most " +
                  std::to_string(too_many ? options.limits.known_of_owner : options.limits.known) +
                  " may be open at a time " + (too_many ? "by \"" + owner + '"' : "in all") +
                  "; end some, or call again later";
        return {};
    }
    try {
        Pair pair = make_pair_of_sockets();
        Guest& guest = *guests.at(id);
        guest.owner = owner;
        ++by_owner[owner];
        if (const auto left = by_address.find(guest.address); --left->second == 0) {
            by_address.erase(left);
        }
        unknown.erase(id);
        options.join(pair.far);
        return std::move(pair.near);
    } catch (const Error& error) {
        refused = error.what();
        return {};
    }
}

std::shared_ptr<Account> Gate::Parts::account(const std::string& owner) {
    std::weak_ptr<Account>& kept = accounts[owner];
    std::shared_ptr<Account> account = kept.lock();
    if (!account) {
        account = std::make_shared<Account>(owner, options.limits.caller.calls);
        kept = account;
    }
    return account;
}

void Gate::Parts::work(Id id) {
    const auto found = guests.find(id);
    if (found == guests.end()) {
        return;
    }
    Guest& guest = *found->second;
    if (guest.caller.work()) {
        eager.insert(id);
    }
    if (guest.caller.over()) {
        end(id);
        return;
    }
    if (guest.caller.ending() && ending.insert(id).second) {
        guest.until = Clock::now() + kLastWord;
    }
    watch(id, guest);
}

void Gate::Parts::watch_one(Id id, Side side, int fd, std::uint32_t wanted, std::uint32_t& now,
                            bool added) {
    if (added && wanted == now) {
        return;
    }
    now = wanted;
    epoll_event event{wanted, {.u64 = id << 1U | side}};
    ::epoll_ctl(poll.get(), added ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
}

void Gate::Parts::watch(Id id, Guest& guest) {
    const Caller& caller = guest.caller;
    watch_one(id, kClient, caller.client(), caller.client_events(), guest.client_events,
              std::exchange(guest.has_client, true));
    if (caller.server() >= 0) {
        watch_one(id, kServer, caller.server(), caller.server_events(), guest.server_events,
                  std::exchange(guest.has_server, true));
    }
}

void Gate::Parts::sweep() {
    swept = Clock::now();
    std::vector<Id> late;
    for (const Id id : unknown) {
        if (guests.at(id)->until <= swept && !ending.contains(id)) {
            late.push_back(id);
        }
    }
    for (const Id id : late) {
        guests.at(id)->caller.send_away();
        work(id);
    }
    std::erase_if(accounts, [](const auto& entry) { return entry.second.expired(); });
    late.clear();
    for (const Id id : ending) {
        if (guests.at(id)->until <= swept) {
            late.push_back(id);
        }
    }
    for (const Id id : late) {
        end(id);
    }
}

void Gate::Parts::end(Id id) {
    const auto found = guests.find(id);
    const bool was_unknown = unknown.erase(id) > 0;
    auto& counts = was_unknown ? by_address : by_owner;
    const auto count = counts.find(was_unknown ? found->second->address : found->second->owner);
    if (--count->second == 0) {
        counts.erase(count);
    }
    ending.erase(id);
    eager.erase(id);
    guests.erase(found);
}

void Gate::Parts::check() {
    std::unique_lock lock(mutex);
    while (true) {
        asked.wait(lock, [this] { return stops_checking || !questions.empty(); });
        if (stops_checking) {
            return;
        }
        const auto [id, authorization] = std::move(questions.front());
        questions.pop_front();
        lock.unlock();
        Verdict verdict = options.check(authorization);
        lock.lock();
        verdicts.emplace_back(id, std::move(verdict));
        wake();
    }
}

void Gate::Parts::take_verdicts() {
    std::vector<std::pair<Id, Verdict>> all;
    {
        const std::lock_guard lock(mutex);
        all.swap(verdicts);
    }
    for (const auto& [id, verdict] : all) {
        if (const auto found = guests.find(id); found != guests.end()) {
            found->second->caller.take(verdict);
            work(id);
        }
    }
}

Gate::Gate(GateOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}

Gate::~Gate() = default;

int Gate::port() const {
    return parts_->port;
}

void Gate::stop_listening() {
    parts_->stops_listening = true;
    parts_->wake();
}

void raise_file_limit() {
    constexpr rlim_t kMost = 65536;  // programs that close all that there may be take their time
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = std::max(files.rlim_cur, std::min(files.rlim_max, kMost));
        ::setrlimit(RLIMIT_NOFILE, &files);
    }
}

}  // namespace kaname::gate
