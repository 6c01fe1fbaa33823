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
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/helpers/compute.hpp"
#include "worker/run/compute_runner.hpp"

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

/// How long an answer may take, counted from when it was made.
struct AnswerLimit {
    std::chrono::seconds limit;
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::now() + limit;
};

/// The next Result or Failure of `kaname-compute verb`. Throws SessionEnded when it crashed,
/// Unavailable after the limit.
[[nodiscard]] run::Event next_answer(run::ComputeSession& session, const std::string& verb,
                                     const AnswerLimit& limit);

/// A folder of one call or process, gone with it.
class ScratchFolder {
public:
    explicit ScratchFolder(std::filesystem::path path);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

/// Numbers that a verb wrote to a file, which may be removed meanwhile.
[[nodiscard]] ValueStream values_in(const std::string& verb, const std::string& file,
                                    std::size_t count);
/// All of them.
[[nodiscard]] std::vector<double> read_values(const std::string& verb, const std::string& file,
                                              std::size_t count);

/// Lines of name, tab and path: what --inputs of kaname-compute takes.
[[nodiscard]] std::string list_of(std::span<const NamedFile> files);

/// One `kaname-compute read`: it has opened a request and its inputs, and reads the results
/// that it is given.
class SourceReader final : public HelperSession {
public:
    struct Start {
        std::filesystem::path program;
        std::filesystem::path folder;  ///< for its files; goes with it
        std::vector<NamedFile> inputs;
        int threads = 1;
        run::ResourceLimits limits = {};
    };
    SourceReader(const Start& start, const std::string& request_json);

    /// Throws what the program reports, SessionEnded when it crashed, Unavailable after `limit`.
    Block read(std::span<const NamedFile> sources, std::chrono::seconds limit);
    [[nodiscard]] bool usable() const override { return usable_; }
    [[nodiscard]] bool proven() const override { return n_answers_ > 0; }

private:
    /// JSON of the next result.
    std::string answer(const AnswerLimit& limit);

    const ScratchFolder folder_;
    std::optional<run::ComputeSession> session_;
    Block axes_;  ///< without sources; components are there once it is ready
    int n_asked_ = 0, n_answers_ = 0;
    bool usable_ = true;
};

struct SourceReadersOptions {
    std::filesystem::path program;          ///< kaname-compute
    std::filesystem::path scratch;          ///< a folder of their own
    int threads = 1;                        ///< threads of one reader
    int most = 4;                           ///< readers at a time: each has a mesh in memory
    std::chrono::milliseconds idle{60000};  ///< after which one is closed
    std::chrono::seconds limit{300};        ///< longest time for one answer
    /// Returns the limits of a reader that writes to `folder`.
    std::function<run::ResourceLimits(const std::filesystem::path& folder)> limits = {};
};

/// Readers of results, one per request and inputs (HelperSessions).
class SourceReaders {
public:
    explicit SourceReaders(SourceReadersOptions options);

    /// As Compute::read.
    Block read(const std::string& request_json, std::span<const NamedFile> inputs,
               std::span<const NamedFile> sources);

private:
    const SourceReadersOptions options_;
    HelperSessions sessions_;
};

/// One `kaname-compute answers`: it has a dataset open and answers for other rheologies.
class AnswerSession final : public HelperSession {
public:
    struct Start {
        std::filesystem::path program;
        std::filesystem::path folder;  ///< for its files; goes with it
        std::filesystem::path dataset;
        run::ResourceLimits limits = {};
    };
    explicit AnswerSession(const Start& start);

    /// The dataset's axes. Throws as answer().
    const v1::AnswerAxes& axes(std::chrono::seconds limit);
    /// Throws what the program reports, SessionEnded when it crashed, Unavailable after `limit`.
    AnsweredBlock answer(v1::AnswerCommand command, std::chrono::seconds limit);
    [[nodiscard]] bool usable() const override { return usable_; }
    [[nodiscard]] bool proven() const override { return axes_.has_value(); }

private:
    using Clock = std::chrono::steady_clock;
    std::string next(Clock::time_point deadline, std::chrono::seconds limit);

    const ScratchFolder folder_;
    std::optional<run::ComputeSession> session_;
    std::optional<v1::AnswerAxes> axes_;
    int n_asked_ = 0;
    bool usable_ = true;
};

}  // namespace kaname::helpers
