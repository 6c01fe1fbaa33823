// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/spec/checkpoint_clock.hpp"

#include <algorithm>

namespace kaname::jobs {
namespace {

double seconds(CheckpointClock::Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::string checkpoint_path(const std::string& work_dir) {
    return work_dir + "/checkpoint.h5";
}

bool CheckpointClock::due(Clock::time_point now) const {
    const double interval_s = interval_s_.value_or(std::max(kShortest_s, kWriteTimes * write_s_));
    return seconds(now - last_) >= interval_s;
}

void CheckpointClock::wrote(Clock::time_point begin, Clock::time_point end) {
    write_s_ = seconds(end - begin);
    last_ = end;
}

}  // namespace kaname::jobs
