// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <grpc/event_engine/event_engine.h>
#include <grpcpp/version_info.h>

#include "proto/status/channel.hpp"

namespace kaname::rpc {

// gRPC runs closures at once or later by an engine that programs may give it. That of 1.51 wakes
// every second, though nothing is due. Later versions ask more of an engine (sockets, names), and
// their own is kept.
#if GRPC_CPP_VERSION_MAJOR == 1 && GRPC_CPP_VERSION_MINOR == 51
namespace {

using grpc_event_engine::experimental::EventEngine;
using grpc_event_engine::experimental::MemoryAllocatorFactory;

/// SleepingEngine runs closures on its threads, which sleep until one is due.
class SleepingEngine final : public EventEngine {
public:
    SleepingEngine() {
        for (int n = 0; n < kThreads; ++n) {
            threads_.emplace_back([this] { run(); });
        }
    }
    ~SleepingEngine() override {
        {
            const std::lock_guard lock(mutex_);
            ends_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }

    bool IsWorkerThread() override { return is_worker; }
    void Run(Closure* closure) override { (void)RunAfter(Duration::zero(), closure); }
    void Run(absl::AnyInvocable<void()> closure) override {
        (void)RunAfter(Duration::zero(), std::move(closure));
    }
    TaskHandle RunAfter(Duration when, Closure* closure) override {
        return RunAfter(when, [closure] { closure->Run(); });
    }
    TaskHandle RunAfter(Duration when, absl::AnyInvocable<void()> closure) override {
        const std::lock_guard lock(mutex_);
        const Due due{Clock::now() + when, ++n_};
        closures_.emplace(due, std::move(closure));
        if (closures_.begin()->first == due) {
            changed_.notify_all();
        }
        return {{static_cast<std::intptr_t>(due.first.time_since_epoch().count()), due.second}};
    }
    bool Cancel(TaskHandle handle) override {
        const Clock::time_point at{Clock::duration(handle.keys[0])};
        absl::AnyInvocable<void()> closure;  // what it holds ends outside of the lock
        const std::lock_guard lock(mutex_);
        const auto found = closures_.find({at, handle.keys[1]});
        if (found == closures_.end()) {
            return false;
        }
        closure = std::move(found->second);
        closures_.erase(found);
        return true;
    }

    // This version makes its sockets and resolves names without an engine.
    absl::StatusOr<std::unique_ptr<Listener>> CreateListener(
        Listener::AcceptCallback, absl::AnyInvocable<void(absl::Status)>,
        const grpc_event_engine::experimental::EndpointConfig&,
        std::unique_ptr<MemoryAllocatorFactory>) override {
        refuse("CreateListener");
    }
    ConnectionHandle Connect(OnConnectCallback, const ResolvedAddress&,
                             const grpc_event_engine::experimental::EndpointConfig&,
                             grpc_event_engine::experimental::MemoryAllocator, Duration) override {
        refuse("Connect");
    }
    bool CancelConnect(ConnectionHandle) override { refuse("CancelConnect"); }
    std::unique_ptr<DNSResolver> GetDNSResolver(const DNSResolver::ResolverOptions&) override {
        refuse("GetDNSResolver");
    }

private:
    using Clock = std::chrono::steady_clock;
    using Due =
        std::pair<Clock::time_point, std::intptr_t>;  ///< with its number, which orders ties
    static constexpr int kThreads = 3;

    [[noreturn]] static void refuse(const char* what) {
        throw std::logic_error(std::string("gRPC 1.51 asks its engine for no ") + what);
    }

    void run() {
        is_worker = true;
        std::unique_lock lock(mutex_);
        while (!ends_) {
            if (closures_.empty() ||
                (has_sleeper_ && closures_.begin()->first.first > Clock::now())) {
                changed_.wait(lock);
                continue;
            }
            const Due due = closures_.begin()->first;
            if (due.first > Clock::now()) {
                has_sleeper_ = true;
                changed_.wait_until(lock, due.first);
                has_sleeper_ = false;
                continue;
            }
            {
                absl::AnyInvocable<void()> closure = std::move(closures_.begin()->second);
                closures_.erase(closures_.begin());
                if (!closures_.empty()) {
                    changed_.notify_all();  // another sees to the next, however long this one takes
                }
                lock.unlock();
                closure();
            }
            lock.lock();
        }
    }

    static thread_local bool is_worker;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<Due, absl::AnyInvocable<void()>> closures_;
    std::intptr_t n_ = 0;
    bool has_sleeper_ = false, ends_ = false;
    std::vector<std::thread> threads_;
};

thread_local bool SleepingEngine::is_worker = false;

}  // namespace

void sleep_until_due() {
    [[maybe_unused]] static const bool done = [] {
        grpc_event_engine::experimental::SetEventEngineFactory(
            [] { return std::make_unique<SleepingEngine>(); });
        return true;
    }();
}
#else
void sleep_until_due() {}
#endif

}  // namespace kaname::rpc
