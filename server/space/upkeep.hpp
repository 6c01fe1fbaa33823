// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "server/space/collector.hpp"
#include "server/space/room.hpp"
#include "server/store/retention_store.hpp"

namespace kaname::space {

/// Sweeps now and then in a thread of its own, one server of the database at a time, and looks
/// whether there is room, so that its end is noticed when nobody asks.
class Upkeep {
public:
    struct Options {
        double sweep_every_s = 3600;          ///< 0: never
        std::function<bool()> is_quiet = {};  ///< whether nothing was asked for a while
        std::function<void(const std::string&)> log = {};
        std::function<void()> each_look = {};  ///< what else is done each second
        /// Removes data before a sweep, which then finds more files; ends soon after `stop` returns
        /// true.
        std::function<void(const std::function<bool()>& stop)> before_sweep = {};
    };
    Upkeep(store::RetentionStore& store, Room& room, Collector& collector, Options options);
    ~Upkeep();
    Upkeep(const Upkeep&) = delete;
    Upkeep& operator=(const Upkeep&) = delete;

    /// Ends the thread, a sweep after its present piece.
    void stop();

private:
    void run();
    void sweep();
    void log(const std::string& line) const;

    store::RetentionStore& store_;
    Room& room_;
    Collector& collector_;
    Options options_;
    std::mutex mutex_;
    std::condition_variable ending_;
    bool end_ = false;
    std::thread looks_, sweeps_;
};

}  // namespace kaname::space
