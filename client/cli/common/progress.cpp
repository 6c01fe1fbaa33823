// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/common/progress.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include "client/cli/common/text.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/text.hpp"

namespace kaname::cli {
namespace {

constexpr int kBarWidth = 24;
constexpr int kNarrow = 60;  ///< columns below which the figures have the bar's place

std::string tail_of(const run::Progress& progress) {
    char percent[16];
    std::snprintf(percent, sizeof(percent), "%3.0f %%", 100.0 * progress.fraction);
    std::string text = percent;
    if (progress.eta_s && progress.fraction < 1.0) {
        text += "  eta " + format_seconds(*progress.eta_s);
    }
    if (!progress.text.empty()) {
        text += "  " + progress.text;
    }
    return text;
}

std::string padded_stage(const run::Progress& progress) {
    std::string stage = progress.stage;
    stage.resize(std::max<std::size_t>(stage.size(), 10), ' ');
    return stage;
}

std::string bar_of(double fraction) {
    const int filled = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * kBarWidth));
    return "[" + std::string(static_cast<std::size_t>(filled), '#') +
           std::string(static_cast<std::size_t>(kBarWidth - filled), '.') + "] ";
}

}  // namespace

void ProgressView::show(const run::Progress& progress) {
    const bool new_stage = progress.stage != stage_;
    if (columns_ > 0) {
        if (new_stage) {
            end_line();
        }
        const std::string bar = columns_ < kNarrow ? "" : bar_of(progress.fraction);
        std::string line = shown_on_a_line(padded_stage(progress) + bar + tail_of(progress));
        line.resize(std::min(line.size(), static_cast<std::size_t>(columns_ - 1)));
        out_ << Control{"\r"} << line << Control{"\x1b[K"} << std::flush;
        drawn_ = true;
    } else if (new_stage || progress.fraction >= 1.0 || now_() - last_ >= kPlainInterval) {
        out_ << shown_on_a_line(padded_stage(progress) + tail_of(progress)) << std::endl;
        last_ = now_();
    }
    stage_ = progress.stage;
}

void ProgressView::end_line() {
    if (drawn_) {
        out_ << std::endl;
        drawn_ = false;
    }
}

int terminal_columns() {
    winsize size{};
    const char* kind = std::getenv("TERM");
    const bool is_dumb = kind != nullptr && std::string_view(kind) == "dumb";
    if (is_dumb || ::isatty(STDERR_FILENO) == 0) {
        return 0;
    }
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return known ? size.ws_col : 80;
}

namespace {

run::Progress job_progress(const v1::Job& job) {
    const v1::JobProgress& progress = job.progress();
    run::Progress line;
    const bool sources = job.counts().sources() > 0;
    line.stage = sources ? "solve" : "run";
    line.fraction = progress.fraction();
    if (progress.eta_s() >= 0.0) {
        line.eta_s = progress.eta_s();
    }
    if (sources) {
        line.text = format_count(job.counts().done()) + "/" + format_count(job.counts().sources()) +
                    " sources";
    }
    if (!progress.text().empty()) {
        line.text += (sources ? "; " : "") + progress.text();
    }
    return line;
}

}  // namespace

v1::Job follow_job(client::Client& client, const std::string& id,
                   const std::function<void(const v1::Job&, ProgressView& view)>& on_job) {
    ProgressView view(std::cerr, terminal_columns());
    client.watch_job(id, [&](const v1::JobUpdate& update) {
        if (update.event() == v1::JobUpdate::ITEM_FAILED) {
            view.end_line();
            std::cerr << "error: " << shown_on_a_line(update.item().label()) << ": "
                      << shown_on_a_line(update.item().error()) << "\n";
        }
        if (update.has_job() && update.job().has_progress()) {
            view.show(job_progress(update.job()));
        }
        if (update.has_job() && on_job) {
            on_job(update.job(), view);
        }
    });
    view.end_line();
    return client.get_job(id);
}

bool holds(const std::filesystem::path& path, const v1::Dataset& dataset) {
    std::error_code none;
    return std::filesystem::is_regular_file(path, none) &&
           std::filesystem::file_size(path, none) == static_cast<std::uintmax_t>(dataset.bytes()) &&
           sha256_file(path.string()) == dataset.sha256();
}

client::Downloaded fetch_dataset(client::Client& client, const v1::Dataset& dataset,
                                 const OutputPlace& place) {
    place.make_folder();
    std::error_code none;
    const std::uintmax_t there = std::filesystem::file_size(place.part(), none);
    place.check_space(static_cast<double>(dataset.bytes()) -
                      (none ? 0.0 : static_cast<double>(there)));
    ProgressView view(std::cerr, terminal_columns());
    const auto show = [&](std::int64_t done, std::int64_t total) {
        const double fraction =
            total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1.0;
        view.show({"download", fraction, std::nullopt,
                   format_bytes(static_cast<double>(done)) + " of " +
                       format_bytes(static_cast<double>(total))});
    };
    const client::Downloaded done = client.download(dataset.sha256(), place.part().string(), show);
    place.put(place.part());
    return done;
}

bool ShownBuffer::put(std::string_view text) {
    std::string whole = std::exchange(unfinished_, {}) + std::string(text);
    const std::size_t complete = whole.size() - unfinished_bytes(whole);
    unfinished_ = whole.substr(complete);
    whole.resize(complete);
    const std::string safe = kaname::shown(whole);
    return to_.sputn(safe.data(), static_cast<std::streamsize>(safe.size())) ==
           static_cast<std::streamsize>(safe.size());
}

void ShownBuffer::pass(std::string_view control) {
    to_.sputn(control.data(), static_cast<std::streamsize>(control.size()));
}

ShownBuffer::int_type ShownBuffer::overflow(int_type letter) {
    if (traits_type::eq_int_type(letter, traits_type::eof())) {
        return traits_type::not_eof(letter);
    }
    const char one = traits_type::to_char_type(letter);
    return put({&one, 1}) ? letter : traits_type::eof();
}

std::streamsize ShownBuffer::xsputn(const char* text, std::streamsize size) {
    return put({text, static_cast<std::size_t>(size)}) ? size : 0;
}

int ShownBuffer::sync() {
    return to_.pubsync();
}

ShownOutput::ShownOutput()
    : out_(std::cout.rdbuf()), err_(std::cerr.rdbuf()), shown_out_(*out_), shown_err_(*err_) {
    std::cout.rdbuf(&shown_out_);
    std::cerr.rdbuf(&shown_err_);
}

ShownOutput::~ShownOutput() {
    std::cout.rdbuf(out_);
    std::cerr.rdbuf(err_);
}

std::ostream& operator<<(std::ostream& out, Control control) {
    if (auto* const shown = dynamic_cast<ShownBuffer*>(out.rdbuf())) {
        shown->pass(control.sequence);
        return out;
    }
    return out << control.sequence;
}

namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t g_interrupted = 0;

void remember(int) {
    g_interrupted = 1;
}

}  // namespace

void catch_interrupts() {
    struct sigaction action {};
    action.sa_handler = remember;  // without SA_RESTART: a waiting poll returns at once
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        ::sigaction(signal, &action, nullptr);
    }
}

void interrupt() {
    g_interrupted = 1;
}

bool interrupted() {
    return g_interrupted != 0;
}

void throw_if_interrupted() {
    if (interrupted()) {
        throw Interrupted();
    }
}

}  // namespace kaname::cli
