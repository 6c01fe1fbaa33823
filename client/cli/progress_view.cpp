// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/progress_view.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "client/cli/format.hpp"
#include "client/cli/shown_output.hpp"
#include "solvers/base/shown.hpp"

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

}  // namespace kaname::cli
