// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/waves/wave_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::jobs {
namespace {

using io::SeismogramDataset;

class SampleReader final : public SourceReader {
public:
    SampleReader(const WaveRequest& job, std::vector<double> times_s)
        : times_s_(std::move(times_s)) {
        for (const WaveReceiver& receiver : job.receivers) {
            ids_.push_back(receiver.id);
        }
    }

    [[nodiscard]] const std::vector<double>& epochs_s() const override { return times_s_; }
    [[nodiscard]] std::vector<std::string> station_ids() const override { return ids_; }
    [[nodiscard]] std::vector<std::string> components() const override { return {"x", "y", "z"}; }
    SourceBlock read(const SourceFiles& files) override {
        SourceBlock block;
        const std::size_t rows = ids_.size() * 3, n = times_s_.size();
        for (const auto& [id, file] : files) {
            const io::WaveResult result = io::read_wave_result(file);
            block.ids.push_back(id);
            const bool lacks = result.seismograms.size() != rows * n;  // failed, and kept nothing
            for (std::size_t t = 0; t < n; ++t) {
                for (std::size_t k = 0; k < rows; ++k) {
                    block.values.push_back(lacks ? std::numeric_limits<double>::quiet_NaN()
                                                 : double(result.seismograms[k * n + t]));
                }
            }
        }
        return block;
    }

private:
    std::vector<double> times_s_;
    std::vector<std::string> ids_;
};

}  // namespace

std::vector<double> sample_times(std::int64_t n_samples, double interval_s) {
    std::vector<double> times_s;
    for (std::int64_t k = 0; k < n_samples; ++k) {
        times_s.push_back(static_cast<double>(k) * interval_s);
    }
    return times_s;
}

void describe_request(const WaveRequest& job, SeismogramDataset& dataset) {
    dataset.name = job.name;
    dataset.title = job.title;
    dataset.specification_json = job.specification_json;
    dataset.kaname_version = job.version;
}

void set_wave_status(const SourceFiles& files, const std::string& id, std::int64_t n_samples,
                     SeismogramDataset::Source& row) {
    const auto found = files.find(id);
    if (found == files.end()) {
        row.failure = "has no result";
        return;
    }
    const io::WaveResult result = io::read_wave_header(found->second);
    row.status = result.failed ? 2 : 1;
    row.failure = result.failure;
    if (!result.failed && result.n_samples != n_samples) {
        throw Error(ErrorCode::DataLoss,
                    found->second + ": has " + std::to_string(result.n_samples) +
                        " samples, must have " + std::to_string(n_samples) +
                        ": another version solved it, or it is of another specification");
    }
}

PackageSummary write_wave_rows(const WaveRequest& job, const WaveRows& rows,
                               SeismogramDataset dataset, const std::string& path,
                               const std::function<void(h5::File&)>& also) {
    PackageSummary summary;
    for (std::size_t k = 0; k < rows.ids.size(); ++k) {
        SeismogramDataset::Source source = rows.row(k);
        source.id = rows.ids[k];
        rows.set_status(source);
        ++(source.status == 1   ? summary.sources_done
           : source.status == 2 ? summary.sources_failed
                                : summary.sources_missing);
        if (source.status != 1) {
            summary.lacks.push_back(source.id + ": " + source.failure);
        }
        dataset.sources.push_back(std::move(source));
    }
    const auto result_of = [&](std::size_t k) {
        io::WaveResult result = rows.result(k);
        for (const float value : result.seismograms) {
            if (!std::isnan(value)) {
                summary.max_displacement_m =
                    std::max(summary.max_displacement_m, std::abs(double(value)));
            }
        }
        return result;
    };
    io::write_seismograms(path, dataset, result_of, also);
    summary.epochs = dataset.n_samples;
    summary.stations = std::ssize(job.receivers);
    summary.warnings = dataset.warnings;
    return summary;
}

PackageSummary write_wave_dataset(const WaveRequest& job, const SourceFiles& files,
                                  SeismogramDataset dataset,
                                  const std::function<SeismogramDataset::Source(std::size_t)>& row,
                                  const std::string& path,
                                  const std::function<void(h5::File&)>& also) {
    WaveRows rows;
    for (const WaveName& name : job.names()) {
        rows.ids.push_back(name.id);
    }
    rows.row = row;
    rows.set_status = [&](SeismogramDataset::Source& source) {
        set_wave_status(files, source.id, dataset.n_samples, source);
    };
    rows.result = [&](std::size_t k) { return io::read_wave_result(files.at(rows.ids[k])); };
    return write_wave_rows(job, rows, std::move(dataset), path, also);
}

std::unique_ptr<SourceReader> read_samples(const WaveRequest& job, std::vector<double> times_s) {
    return std::make_unique<SampleReader>(job, std::move(times_s));
}

}  // namespace kaname::jobs
