// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "server/helpers/source_reader.hpp"

namespace kaname::helpers {

struct SourceReadersOptions {
    std::filesystem::path program;          ///< kaname-compute
    std::filesystem::path scratch;          ///< a folder of their own
    int threads = 1;                        ///< threads of one reader
    int most = 4;                           ///< readers at a time: each has a mesh in memory
    std::chrono::milliseconds idle{60000};  ///< after which one is closed
    std::chrono::seconds limit{300};        ///< longest time for one answer
    run::ResourceLimits limits = {};        ///< of each
};

/// Readers of results, one per specification and inputs, kept for the next call until they are idle
/// for too long or another job needs their place. Safe from any thread: callers for one job take
/// turns, and when all readers are busy the others wait.
class SourceReaders {
public:
    explicit SourceReaders(SourceReadersOptions options);
    ~SourceReaders();
    SourceReaders(const SourceReaders&) = delete;
    SourceReaders& operator=(const SourceReaders&) = delete;

    /// As Compute::read. A reader that crashes ends alone; where it had answered before, a new one
    /// is asked once.
    Block read(const std::string& spec_json, std::span<const NamedFile> inputs,
               std::span<const NamedFile> sources);

private:
    using Clock = std::chrono::steady_clock;
    struct Slot {
        std::unique_ptr<SourceReader> reader;
        bool busy = true;
        Clock::time_point used = Clock::now();
    };
    /// The job's reader, for this caller alone; null: its place, and the reader is to be started.
    std::unique_ptr<SourceReader> take(const std::string& key);
    /// Keeps the reader for the next call; null: gives its place up.
    void give(const std::string& key, std::unique_ptr<SourceReader> reader);
    std::unique_ptr<SourceReader> start(std::span<const NamedFile> inputs,
                                        const std::string& spec_json);
    /// Starts readers, so that none dies with its caller's thread, and closes idle ones.
    void keep();
    /// Takes out the readers that were idle for so long; the mutex is held.
    std::vector<std::unique_ptr<SourceReader>> take_idle(std::chrono::milliseconds idle,
                                                         std::size_t most);

    const SourceReadersOptions options_;
    std::mutex mutex_;
    std::condition_variable changed_, asked_;
    std::map<std::string, Slot> slots_;  ///< by job
    std::deque<std::packaged_task<std::unique_ptr<SourceReader>()>> starts_;
    int n_started_ = 0;
    bool ends_ = false;
    std::thread keeper_;  ///< last: it uses the others
};

}  // namespace kaname::helpers
