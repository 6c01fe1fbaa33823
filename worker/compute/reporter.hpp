// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <ostream>
#include <string>

#include <google/protobuf/message.h>

#include "worker/run/events.hpp"

namespace kaname::compute {

/// Writes the events of one verb, one flushed line each. Progress comes at most every
/// `kProgressInterval` per stage (once when a stage ends), so that fast steps do not flood the
/// reader, and gets its time to go from the time and fraction since the stage's first report of
/// some work done.
class Reporter {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;
    static constexpr std::chrono::milliseconds kProgressInterval{200};

    explicit Reporter(std::ostream& out, Now now = Clock::now) : out_(out), now_(std::move(now)) {}

    void progress(const std::string& stage, double fraction, const std::string& text);
    /// The next progress begins a stage anew, whatever its name.
    void restart() { stage_.clear(); }
    void result(const std::string& verb, const google::protobuf::Message& report);
    void failure(const run::Failure& failure);
    void checkpoint(const run::Checkpoint& checkpoint);
    /// Writes a line for people.
    void log(const std::string& line) { write(line); }

private:
    void write(const std::string& line);

    std::ostream& out_;
    Now now_;
    std::string stage_;
    Clock::time_point stage_start_{}, last_{};
    double first_fraction_ = 0.0;
    bool ended_ = false;
};

}  // namespace kaname::compute
