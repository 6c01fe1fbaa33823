// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/waves/sample_records.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/jobs/waves/wave_packs.hpp"

namespace kaname::jobs {

SampleRecords::SampleRecords(const WaveRequest& job, std::span<const std::string> ids)
    : SampleRecords(job, ids, job.receivers.size()) {}

SampleRecords::SampleRecords(const WaveRequest& job, std::span<const std::string> ids,
                             std::size_t receivers)
    : ids_(ids.begin(), ids.end()), per_source_(receivers * 3) {
    const std::vector<WaveName> names = job.names();
    for (const std::size_t k : places_of(job, ids)) {
        keys_.push_back(names[k].key);
    }
}

void SampleRecords::add(std::span<const float> record) {
    samples_.insert(samples_.end(), record.begin(), record.end());
}

void SampleRecords::add_rest() {
    samples_.resize(samples_.size() + ids_.size() * per_source_, 0.0F);
}

void SampleRecords::fail(std::size_t lane, std::int64_t from, const std::string& why) {
    failures_.try_emplace(lane, Failure{from, why});
}

io::WaveResult SampleRecords::result(std::size_t lane, double interval_s) const {
    io::WaveResult result;
    result.source_id = ids_[lane];
    result.key = keys_[lane];
    result.interval_s = interval_s;
    const std::size_t per_sample = ids_.size() * per_source_;
    const std::size_t n = samples_.size() / per_sample;
    result.n_samples = static_cast<std::int64_t>(n);
    result.seismograms.resize(per_source_ * n);
    for (std::size_t t = 0; t < n; ++t) {
        for (std::size_t k = 0; k < per_source_; ++k) {
            result.seismograms[k * n + t] = samples_[t * per_sample + lane * per_source_ + k];
        }
    }
    if (const auto found = failures_.find(lane); found != failures_.end()) {
        result.failed = true;
        result.failure = found->second.why;
        const auto good = static_cast<std::size_t>(std::max<std::int64_t>(0, found->second.from));
        for (std::size_t t = good; t < n; ++t) {
            for (std::size_t k = 0; k < per_source_; ++k) {
                result.seismograms[k * n + t] = std::numeric_limits<float>::quiet_NaN();
            }
        }
        return result;
    }
    const auto bad =
        std::ranges::find_if(result.seismograms, [](float value) { return !std::isfinite(value); });
    if (bad != result.seismograms.end()) {
        result.failed = true;
        result.failure =
            "the motion is not finite from sample " +
            std::to_string((bad - result.seismograms.begin()) % static_cast<std::ptrdiff_t>(n)) +
            " on";
    }
    return result;
}

}  // namespace kaname::jobs
