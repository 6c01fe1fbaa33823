// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <set>
#include <string_view>

#include <dlfcn.h>
#include <grpc/grpc.h>
#include <grpc/support/time.h>

#include "proto/status/channel.hpp"

// gRPC 1.51 has two sets of timers, each with a thread: the older one is a table of functions that
// may be exchanged (grpc_timer_vtable), the methods of the newer one (TimerManager) are found by
// name, so that those of a program stand in front of them. Ours call the library's. They also keep
// the times at which timers are due, by which they know how long the thread may sleep.
namespace kaname::rpc {
namespace {

/// Milliseconds since the process began to count: gRPC's Timestamp, which is passed as this number.
using Time = std::int64_t;

/// Times are kept rounded up to this, or to what lies between one in 64 and one in 128 of the time
/// until then where that is more: however many calls have whatever limits, a few thousand places
/// hold them.
constexpr Time kGrain_ms = 16;

Time rounded_up(Time due, Time now) {
    Time grain = kGrain_ms;
    while (grain < (due - now) / 128) {
        grain *= 2;
    }
    return (due / grain + 1) * grain;
}

constexpr Time kNever = std::numeric_limits<Time>::max() / 2;
/// Longest sleep. Timers that were set before the exchange are not known here, and the limits of
/// calls (5 s and more) shall not end sleeps when they are set.
constexpr Time kLongest_ms = 4000;

template <class Function>
Function find(void* where, const char* name) {
    return reinterpret_cast<Function>(::dlsym(where, name));
}

Time now() {
    using FromTimespec = Time (*)(gpr_timespec);
    static const auto from_timespec = find<FromTimespec>(
        RTLD_DEFAULT, "_ZN9grpc_core9Timestamp21FromTimespecRoundDownE12gpr_timespec");
    return from_timespec(gpr_now(GPR_CLOCK_MONOTONIC));
}

/// DueTimes holds when the timers of a set are due, also those that were cancelled since.
class DueTimes {
public:
    /// To be called before the library has the timer. True: the thread sleeps longer than that, and
    /// must be kicked after. The library does so only for times before its own next look.
    bool add(Time due) {
        if (due > kNever) {
            return false;
        }
        const Time kept = rounded_up(std::max<Time>(0, due), now());
        const std::lock_guard lock(mutex_);
        times_.insert(kept);
        if (kept >= sleeps_until_) {
            return false;
        }
        sleeps_until_ = 0;
        return true;
    }
    /// Returns until when the thread sleeps that has found nothing due, where the library would
    /// look again at `next`.
    Time sleep_until(Time next) {
        if (next > kNever) {
            return next;
        }
        const std::lock_guard lock(mutex_);
        const Time at = now();
        // The library has seen to timers before its next look, or has just been given one, for
        // which it kicks the thread itself: that one is still to be known then.
        times_.erase(times_.begin(), times_.lower_bound(std::min(next, at)));
        const Time longest = at + kLongest_ms;
        const auto found = times_.lower_bound(next);
        const Time first = found == times_.end() ? longest : std::min(*found, longest);
        sleeps_until_ = first <= next + kGrain_ms ? next : first;
        return sleeps_until_;
    }

private:
    std::mutex mutex_;
    std::set<Time> times_;
    Time sleeps_until_ = 0;  ///< 0: it is about to look
};

// The older timers.

enum class Checked : int { NotChecked, NoneDue, Fired };

struct TimerTable {
    void (*init)(void* timer, Time due, void* closure);
    void (*cancel)(void* timer);
    Checked (*check)(Time* next);
    void (*list_init)();
    void (*list_shutdown)();
    void (*consume_kick)();
};

const TimerTable* library = nullptr;
void (*kick_poller)() = nullptr;

DueTimes& due_timers() {
    static auto& times = *new DueTimes;  // threads of the library outlive main
    return times;
}

void init_timer(void* timer, Time due, void* closure) {
    const bool kick = due_timers().add(due);
    library->init(timer, due, closure);
    if (kick) {
        kick_poller();
    }
}

Checked check_timers(Time* next) {
    const Checked checked = library->check(next);
    if (checked == Checked::NoneDue && next != nullptr) {
        *next = due_timers().sleep_until(*next);
    }
    return checked;
}

bool exchange_timers() {
    grpc_init();  // for good: each first one sets the library's table
    using Set = void (*)(const TimerTable*);
    const auto set = find<Set>(RTLD_DEFAULT, "_Z19grpc_set_timer_implP17grpc_timer_vtable");
    library = find<const TimerTable*>(RTLD_DEFAULT, "grpc_generic_timer_vtable");
    kick_poller = find<void (*)()>(RTLD_DEFAULT, "_Z16grpc_kick_pollerv");
    const bool known = std::string_view(grpc_version_string()).starts_with("29.") &&
                       set != nullptr && library != nullptr && kick_poller != nullptr;
    if (known) {
        static TimerTable ours = *library;
        ours.init = init_timer;
        ours.check = check_timers;
        set(&ours);
    }
    return known;
}

// The newer ones.

DueTimes& due_in_engine() {
    static auto& times = *new DueTimes;
    return times;
}

}  // namespace

void let_timers_sleep() {
    [[maybe_unused]] static const bool done = exchange_timers();
}

}  // namespace kaname::rpc

#define KANAME_MANAGER "_ZN17grpc_event_engine12posix_engine12TimerManager"
#define KANAME_TIMER_INIT \
    KANAME_MANAGER        \
    "9TimerInitEPNS0_5TimerEN9grpc_core9TimestampEPNS_12experimental11EventEngine7ClosureE"
#define KANAME_WAIT_UNTIL KANAME_MANAGER "9WaitUntilEN9grpc_core9TimestampE"

extern "C" {
void kaname_engine_timer_init(void* manager, void* timer, std::int64_t due,
                              void* closure) __asm__(KANAME_TIMER_INIT);
bool kaname_engine_wait_until(void* manager, std::int64_t next) __asm__(KANAME_WAIT_UNTIL);
}

/// Stands in front of TimerManager::TimerInit.
void kaname_engine_timer_init(void* manager, void* timer, std::int64_t due, void* closure) {
    using namespace kaname::rpc;
    static const auto init =
        find<decltype(&kaname_engine_timer_init)>(RTLD_NEXT, KANAME_TIMER_INIT);
    static const auto kick = find<void (*)(void*)>(RTLD_NEXT, KANAME_MANAGER "4KickEv");
    const bool sleeps = due_in_engine().add(due);
    init(manager, timer, due, closure);
    if (sleeps) {
        kick(manager);
    }
}

/// Stands in front of TimerManager::WaitUntil. The process has one manager.
bool kaname_engine_wait_until(void* manager, std::int64_t next) {
    using namespace kaname::rpc;
    static const auto wait =
        find<decltype(&kaname_engine_wait_until)>(RTLD_NEXT, KANAME_WAIT_UNTIL);
    return wait(manager, due_in_engine().sleep_until(next));
}
