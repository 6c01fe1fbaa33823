// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <ostream>
#include <string>

#include "worker/run/events.hpp"

namespace kaname::cli {

/// Shows how far a run is: one line that is drawn over on a terminal, a plain line every
/// `kPlainInterval` and at both ends of a stage elsewhere.
class ProgressView {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;
    static constexpr std::chrono::seconds kPlainInterval{5};

    /// `columns`: width of the terminal, 0 when `out` is none.
    ProgressView(std::ostream& out, int columns, Now now = Clock::now)
        : out_(out), columns_(columns), now_(std::move(now)) {}
    ~ProgressView() { end_line(); }
    ProgressView(const ProgressView&) = delete;
    ProgressView& operator=(const ProgressView&) = delete;

    void show(const run::Progress& progress);
    /// Leaves the drawn line, before other output.
    void end_line();

private:
    std::ostream& out_;
    int columns_;
    Now now_;
    bool drawn_ = false;
    std::string stage_;
    Clock::time_point last_{};
};

/// Width of the terminal that standard error goes to; 0 when it goes elsewhere, or to a terminal
/// that says it is dumb (TERM) and knows no control characters.
[[nodiscard]] int terminal_columns();

}  // namespace kaname::cli
