// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/store/operations_store.hpp"

namespace kaname::service {

/// How the database is, asked at most once in 15 s whoever wants to know: its answer reads sums
/// over all tables and the size of all files.
///
/// Transactions whose beginning the role may not see have the age since which they have been seen:
/// since the look before the first that saw them where that was recent, else not known until they
/// have been seen for a minute.
class DatabaseLook {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;

    explicit DatabaseLook(store::OperationsStore& store, Now now = Clock::now)
        : store_(store), now_(std::move(now)) {}

    /// Throws Unavailable.
    [[nodiscard]] store::DatabaseState read();

private:
    static constexpr std::chrono::seconds kLasts{15}, kRecent{60};
    struct Seen {
        Clock::time_point since;
        bool from_the_beginning;
    };

    void add_hidden(store::DatabaseState& state, Clock::time_point now);

    store::OperationsStore& store_;
    Now now_;
    std::mutex mutex_;
    std::optional<store::DatabaseState> last_;
    Clock::time_point at_;
    std::map<std::string, Seen> seen_;
};

/// A histogram as Prometheus has them: counts of what was at most each bound, sum, and how many.
struct Histogram {
    std::vector<std::int64_t> at_most;  ///< by bound; each counts those of the bounds before it too
    double sum = 0;
    std::int64_t n = 0;

    void observe(std::span<const double> bounds, double value);
};

/// Counts and measures this server's work since its start, for the page of metrics. Labels are from
/// sets that no caller can make larger; values beyond them are called "other". Safe from any
/// thread.
class Meters {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;
    static constexpr std::array kRpcBounds_s = {0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 30.0};
    static constexpr std::array kTaskBounds_s = {0.1,   1.0,    5.0,    15.0,   60.0,
                                                 300.0, 1800.0, 7200.0, 43200.0};
    static constexpr std::array kFillBounds = {0.25, 0.5, 0.75, 1.0};
    static constexpr std::size_t kMostVerbs = 32, kMostMethods = 200;

    explicit Meters(Now now = Clock::now) : now_(std::move(now)) {}

    /// A call that ended. `seconds` < 0: it has no time of its own, such as a stream.
    void called(const std::string& method, int code, double seconds);
    /// Tasks of one claim: how long each could have started, of at most `most` that it might have.
    void claimed(const std::string& verb, std::span<const double> waited_s, std::size_t most);
    /// An attempt ended after so many seconds (< 0: not known): done, failed, returned, lost or
    /// fenced; `reason` of a failure: its class.
    void ended(const std::string& outcome, const std::string& reason, const std::string& verb,
               double seconds, bool source);
    /// Tasks of workers that fell silent.
    void lost(std::int64_t tasks);
    /// Over the last five minutes, or since the start.
    [[nodiscard]] double sources_per_minute() const;

    struct Readings {
        std::map<std::pair<std::string, std::string>, std::int64_t> calls;  ///< method, code
        std::map<std::string, Histogram> call_s;                            ///< by method
        std::map<std::string, Histogram> wait_s, stage_s;                   ///< by verb
        Histogram fill;
        std::map<std::pair<std::string, std::string>, std::int64_t> attempts;  ///< outcome, reason
        std::int64_t sources = 0;
    };
    [[nodiscard]] Readings read() const;

private:
    static constexpr int kWindow_s = 300;
    [[nodiscard]] const std::string& known_verb(const std::string& verb);

    Now now_;
    Clock::time_point started_ = now_();
    mutable std::mutex calls_mutex_, mutex_;
    Readings readings_;
    std::map<std::string, bool> verbs_;
    /// Sources that were done in each of the last seconds, in place of those of the window before.
    struct Second {
        std::int64_t at = -1, n = 0;
    };
    std::array<Second, kWindow_s> seconds_{};
};

/// Name of a code of gRPC, "OK", "UNAVAILABLE" ...
[[nodiscard]] const char* code_name(int code);

}  // namespace kaname::service
