// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solvers/io/dataset/seismogram_dataset.hpp"
#include "solvers/jobs/spec/stage.hpp"
#include "solvers/jobs/waves/wave_request.hpp"

namespace kaname::jobs {

/// Times of samples.
[[nodiscard]] std::vector<double> sample_times(std::int64_t n_samples, double interval_s);

/// Writes the request's name, title, specification and version to a dataset; sources and receivers
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

}  // namespace kaname::jobs
