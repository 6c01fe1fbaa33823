// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/waves/wave_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/projection.hpp"
#include "worker/jobs/waves/wave_packs.hpp"

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
                        ": another version solved it, or it is of another request");
    }
}

namespace {

/// Gives sources, receivers and points of the ground their longitudes and latitudes.
void place_on_globe(SeismogramDataset& dataset) {
    if (!dataset.globe) {
        return;
    }
    const earth::Projection projection({dataset.globe->lon_deg, dataset.globe->lat_deg});
    const double turn = dataset.globe->azimuth_deg * kDegree;
    const double c = std::cos(turn), s = std::sin(turn);
    const auto at = [&](double x_m, double y_m) {
        return projection.inverse({c * x_m + s * y_m, c * y_m - s * x_m});
    };
    const auto place = [&](SeismogramDataset::Point& point) {
        const earth::LonLat found = at(point.xyz_m[0], point.xyz_m[1]);
        point.lon_deg = found.lon_deg;
        point.lat_deg = found.lat_deg;
    };
    std::ranges::for_each(dataset.sources, place);
    std::ranges::for_each(dataset.given_sources, place);
    std::ranges::for_each(dataset.receivers, place);
    const std::vector<double>& ground_m = dataset.ground.xyz_m;
    for (std::size_t k = 0; k + 2 < ground_m.size(); k += 3) {
        const earth::LonLat found = at(ground_m[k], ground_m[k + 1]);
        dataset.ground.lon_deg.push_back(found.lon_deg);
        dataset.ground.lat_deg.push_back(found.lat_deg);
    }
}

}  // namespace

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
    place_on_globe(dataset);
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

namespace {

constexpr double kStop_db = 80.0;
constexpr double kFlat = 0.8;  ///< of the new Nyquist frequency

/// Modified Bessel function of order 0, by its series.
double bessel_i0(double x) {
    double sum = 1.0, term = 1.0;
    for (int k = 1; term > 1e-16 * sum; ++k) {
        term *= x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

/// One half of the filter, its middle first, sum of all 1 (J. F. Kaiser 1974).
std::vector<double> filter(int factor) {
    const double beta = 0.1102 * (kStop_db - 8.7);
    const double transition = M_PI * (1.0 - kFlat) / factor;
    const int reach = static_cast<int>(std::ceil((kStop_db - 7.95) / (2.285 * transition) / 2.0));
    const double cut = 0.5 * (1.0 + kFlat) / factor;  // of the old Nyquist frequency
    std::vector<double> half;
    double sum = 0.0;
    for (int k = 0; k <= reach; ++k) {
        const double sinc = k == 0 ? cut : std::sin(M_PI * cut * k) / (M_PI * k);
        const double at = static_cast<double>(k) / (reach + 1);
        half.push_back(sinc * bessel_i0(beta * std::sqrt(1.0 - at * at)) / bessel_i0(beta));
        sum += (k == 0 ? 1.0 : 2.0) * half.back();
    }
    for (double& h : half) {
        h /= sum;
    }
    return half;
}

}  // namespace

std::vector<float> decimate(std::span<const float> series, int factor) {
    if (factor < 1) {
        throw Error(ErrorCode::InvalidArgument,
                    "factor must be >= 1, got " + std::to_string(factor));
    }
    if (factor == 1) {
        return {series.begin(), series.end()};
    }
    const std::vector<double> half = filter(factor);
    const auto n = static_cast<std::ptrdiff_t>(series.size());
    const auto at = [&](std::ptrdiff_t k) -> double {
        if (k >= n) {
            return 2.0 * series[static_cast<std::size_t>(n - 1)] -
                   series[static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, 2 * (n - 1) - k))];
        }
        return k < 0 ? 0.0 : series[static_cast<std::size_t>(k)];
    };
    std::vector<float> out;
    for (std::ptrdiff_t k = 0; k < n; k += factor) {
        double sum = half[0] * at(k);
        for (std::ptrdiff_t j = 1; j < std::ssize(half); ++j) {
            sum += half[static_cast<std::size_t>(j)] * (at(k - j) + at(k + j));
        }
        out.push_back(static_cast<float>(sum));
    }
    return out;
}

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
