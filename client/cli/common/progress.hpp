// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>

#include "client/cli/common/output_place.hpp"
#include "client/lib/client.hpp"
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

/// Draws the job's progress until it ends; returns it as it then is. Failed sources are named as
/// they fail. `on_job` sees every state of it that comes; it leaves the view's line before it
/// prints.
[[nodiscard]] v1::Job follow_job(
    client::Client& client, const std::string& id,
    const std::function<void(const v1::Job&, ProgressView& view)>& on_job = {});

/// Returns true if the file at `path` is this dataset, byte for byte.
[[nodiscard]] bool holds(const std::filesystem::path& path, const v1::Dataset& dataset);

/// Downloads the job's dataset to its place, with a progress line.
[[nodiscard]] client::Downloaded fetch_dataset(client::Client& client, const v1::Dataset& dataset,
                                               const OutputPlace& place);

/// Passes on what is written to it as shown() has it, whoever wrote the text: characters may come
/// in parts.
class ShownBuffer final : public std::streambuf {
public:
    /// `to` outlives this.
    explicit ShownBuffer(std::streambuf& to) : to_(to) {}
    /// Passes on a control sequence of the program's own as it is.
    void pass(std::string_view control);

protected:
    int_type overflow(int_type letter) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

private:
    bool put(std::string_view text);

    std::streambuf& to_;
    std::string unfinished_;  ///< the beginning of a character
};

/// While it lives, all that goes to std::cout and std::cerr passes a ShownBuffer: no text that a
/// server, a file or another program gave reaches the terminal in another way.
class ShownOutput {
public:
    ShownOutput();
    ~ShownOutput();
    ShownOutput(const ShownOutput&) = delete;
    ShownOutput& operator=(const ShownOutput&) = delete;

private:
    std::streambuf *out_, *err_;
    ShownBuffer shown_out_, shown_err_;
};

/// A control sequence of the program's own, for `out << Control{"\r"}`.
struct Control {
    std::string_view sequence;
};
std::ostream& operator<<(std::ostream& out, Control control);

/// Thrown where a command stops because the user asked it to.
struct Interrupted : std::runtime_error {
    Interrupted() : std::runtime_error("interrupted") {}
};

/// From now on SIGINT, SIGTERM and SIGHUP only set a flag, so that children are stopped in order.
void catch_interrupts();
/// Sets it as a signal does: nobody can read any more what the command would print.
void interrupt();
[[nodiscard]] bool interrupted();
/// Throws Interrupted when the flag is set.
void throw_if_interrupted();

}  // namespace kaname::cli
