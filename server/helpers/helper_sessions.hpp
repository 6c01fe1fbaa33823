// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace kaname::helpers {

/// A process that has opened something and answers questions about it, one after the other. One
/// thread uses it at a time; it dies with the thread that made it.
class HelperSession {
public:
    virtual ~HelperSession() = default;
    /// False after it ended or did not answer: it is of no more use.
    [[nodiscard]] virtual bool usable() const = 0;
    /// True once it has answered.
    [[nodiscard]] virtual bool proven() const = 0;
};

struct HelperSessionsOptions {
    std::filesystem::path scratch;          ///< a folder of their own
    std::string what;                       ///< for messages, as in "readers of results"
    int most = 4;                           ///< sessions at a time: each has much in memory
    std::chrono::milliseconds idle{60000};  ///< after which one is closed
    std::chrono::seconds limit{300};        ///< longest wait for a place
};

/// Sessions by a key of what they have open, kept for the next call until they are idle for too
/// long or another key needs their place. Safe from any thread: callers for one key take turns, and
/// when all places are taken the others wait.
class HelperSessions {
public:
    /// Makes one with this folder for its files, which goes with it.
    using Start = std::function<std::unique_ptr<HelperSession>(const std::filesystem::path&)>;

    explicit HelperSessions(HelperSessionsOptions options);
    ~HelperSessions();
    HelperSessions(const HelperSessions&) = delete;
    HelperSessions& operator=(const HelperSessions&) = delete;

    /// Calls `use` with the key's session, for this caller alone. One that crashes
    /// (run::SessionEnded) ends alone; where it had answered before, a new one is used once.
    void with(const std::string& key, const Start& start,
              const std::function<void(HelperSession&)>& use);

private:
    using Clock = std::chrono::steady_clock;
    struct Slot {
        std::unique_ptr<HelperSession> session;
        bool busy = true;
        Clock::time_point used = Clock::now();
    };
    /// The key's session, for this caller alone; null: its place, and one is to be started.
    std::unique_ptr<HelperSession> take(const std::string& key);
    /// Keeps the session for the next call; null: gives its place up.
    void give(const std::string& key, std::unique_ptr<HelperSession> session);
    std::unique_ptr<HelperSession> begin(const Start& start);
    /// Starts sessions, so that none dies with its caller's thread, and closes idle ones.
    void keep();
    /// Takes out the sessions that were idle for so long; the mutex is held.
    std::vector<std::unique_ptr<HelperSession>> take_idle(std::chrono::milliseconds idle,
                                                          std::size_t most);

    const HelperSessionsOptions options_;
    std::mutex mutex_;
    std::condition_variable changed_, asked_;
    std::map<std::string, Slot> slots_;
    std::deque<std::packaged_task<std::unique_ptr<HelperSession>()>> starts_;
    int n_started_ = 0;
    bool ends_ = false;
    std::thread keeper_;  ///< last: it uses the others
};

}  // namespace kaname::helpers
