// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/io/dataset/wave_datasets.hpp"
#include "solvers/io/source_file.hpp"
#include "worker/jobs/stage/stage.hpp"
#include "worker/jobs/waves/wave_packs.hpp"

namespace kaname::jobs {

/// Times of samples.
[[nodiscard]] std::vector<double> sample_times(std::int64_t n_samples, double interval_s);

/// Writes the request's name, title, request and version to a dataset; sources and receivers
/// are left out.
void describe_request(const WaveRequest& job, io::SeismogramDataset& dataset);

/// Writes the dataset, and what `also` adds to it: row(k) is source k as it was asked for; what
/// became of it is that of its file. Throws DataLoss for a file with another number of samples than
/// the dataset's.
PackageSummary write_wave_dataset(
    const WaveRequest& job, const SourceFiles& files, io::SeismogramDataset dataset,
    const std::function<io::SeismogramDataset::Source(std::size_t)>& row, const std::string& path,
    const std::function<void(h5::File&)>& also = {});

/// WaveRows describes sources that have no files of their own. set_status(row) sets the outcome of
/// a source, result(k) is called in the order of k.
struct WaveRows {
    std::vector<std::string> ids;
    std::function<io::SeismogramDataset::Source(std::size_t)> row;
    std::function<void(io::SeismogramDataset::Source&)> set_status;
    std::function<io::WaveResult(std::size_t)> result;
};
PackageSummary write_wave_rows(const WaveRequest& job, const WaveRows& rows,
                               io::SeismogramDataset dataset, const std::string& path,
                               const std::function<void(h5::File&)>& also = {});
/// Sets the row's status and failure to the outcome of a source or force `id`. Throws DataLoss as
/// above.
void set_wave_status(const SourceFiles& files, const std::string& id, std::int64_t n_samples,
                     io::SeismogramDataset::Source& row);

/// Samples of results: epochs are times of samples, stations receivers, components x, y, z.
[[nodiscard]] std::unique_ptr<SourceReader> read_samples(const WaveRequest& job,
                                                         std::vector<double> times_s);

/// Every factor-th number of a series without what the longer interval cannot hold: a symmetric
/// filter that shifts nothing in time (sinc times a Kaiser window, 80 dB down from the new Nyquist
/// frequency on, flat to 0.8 of it). Before its beginning the series is taken to be at rest, behind
/// its end to go on as its mirror image about its last number. Throws InvalidArgument unless factor
/// >= 1.
[[nodiscard]] std::vector<float> decimate(std::span<const float> series, int factor);

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
