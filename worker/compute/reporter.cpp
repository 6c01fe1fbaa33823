// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/reporter.hpp"

#include <algorithm>

#include "proto/report/report.hpp"

namespace kaname::compute {

void Reporter::progress(const std::string& stage, double fraction, const std::string& text) {
    fraction = std::clamp(fraction, 0.0, 1.0);
    const Clock::time_point now = now_();
    const bool new_stage = stage != stage_;
    if (new_stage || first_fraction_ <= 0.0) {
        // Time spent before the first of the work (setting up) does not count towards its speed.
        stage_start_ = now;
        first_fraction_ = fraction;
    }
    if (new_stage) {
        stage_ = stage;
    } else if (fraction < 1.0 ? now - last_ < kProgressInterval : ended_) {
        return;
    }
    ended_ = fraction >= 1.0;
    last_ = now;
    run::Progress progress{stage, fraction, std::nullopt, text};
    if (fraction > first_fraction_) {
        // The remaining time follows from the mean speed so far.
        const double elapsed_s = std::chrono::duration<double>(now - stage_start_).count();
        progress.eta_s = elapsed_s * (1.0 - fraction) / (fraction - first_fraction_);
    }
    write(run::to_line(progress));
}

void Reporter::result(const std::string& verb, const google::protobuf::Message& report) {
    write(run::to_line(run::Result{verb, report::to_json(report)}));
}

void Reporter::failure(const run::Failure& failure) {
    write(run::to_line(failure));
}

void Reporter::checkpoint(const run::Checkpoint& checkpoint) {
    write(run::to_line(checkpoint));
}

void Reporter::write(const std::string& line) {
    // One string, so that a line stays whole beside what libraries print; flushed, as the reader
    // waits for it.
    out_ << line + "\n" << std::flush;
}

}  // namespace kaname::compute
