// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "solvers/io/wave_file.hpp"
#include "solvers/jobs/waves/wave_request.hpp"

namespace kaname::jobs {

/// Samples of a pack as they are recorded, all receivers of a time together.
class SampleRecords {
public:
    /// Records `receivers` rows of three numbers; the first constructor records a row for each
    /// receiver of the job.
    SampleRecords(const WaveRequest& job, std::span<const std::string> ids);
    SampleRecords(const WaveRequest& job, std::span<const std::string> ids, std::size_t receivers);

    /// Adds the next samples, [samples][sources][receivers][3].
    void add(std::span<const float> record);
    /// Adds the first sample, at rest, where a record leaves it out.
    void add_rest();
    /// Marks a source as failed, for this reason; samples from `from` on are NaN.
    void fail(std::size_t lane, std::int64_t from, const std::string& why);
    [[nodiscard]] bool failed(std::size_t lane) const { return failures_.contains(lane); }
    /// Returns the seismograms of one source; they are failed where fail() was called or a number
    /// is not finite.
    [[nodiscard]] io::WaveResult result(std::size_t lane, double interval_s) const;

    [[nodiscard]] std::size_t sources() const { return ids_.size(); }
    [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }
    /// All samples so far, as add() takes them.
    [[nodiscard]] const std::vector<float>& samples() const { return samples_; }
    void restore(std::vector<float> samples) { samples_ = std::move(samples); }

private:
    struct Failure {
        std::int64_t from = 0;
        std::string why;
    };
    std::vector<std::string> ids_, keys_;
    std::map<std::size_t, Failure> failures_;  ///< by lane
    std::size_t per_source_;
    std::vector<float> samples_;
};

}  // namespace kaname::jobs
