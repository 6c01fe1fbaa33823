// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/jobs/seismic_waves/dataset_frame.hpp"
#include "solvers/jobs/seismic_waves/reciprocal_seismograms.hpp"
#include "solvers/jobs/seismic_waves/seismic_stages.hpp"
#include "solvers/jobs/waves/wave_rows.hpp"

namespace kaname::jobs {
namespace {

using io::SeismogramDataset;

/// s(t) at the samples; a rupture's over its largest value there.
std::vector<double> sampled(const SeismicSource& source, bool rupture,
                            const std::vector<double>& times_s) {
    std::vector<double> values;
    double largest = 0.0;
    for (const double time_s : times_s) {
        values.push_back(source.function(time_s));
        largest = std::max(largest, std::abs(values.back()));
    }
    for (double& value : values) {
        value /= rupture && largest > 0.0 ? largest : 1.0;
    }
    return values;
}

using RowOf = std::function<SeismogramDataset::Source(std::size_t)>;

/// All sources from the strains of all forces, or none.
PackageSummary package_reciprocal(const SeismicJob& job, const SeismicModel& model,
                                  const SourceFiles& files, const SeismogramDataset& dataset,
                                  const RowOf& row, const std::string& path) {
    SeismogramDataset::Source all;  // what became of all of them
    all.status = 1;
    std::vector<std::string> lacks, paths;
    for (const WaveName& force : job.forces) {
        SeismogramDataset::Source one;
        set_wave_status(files, force.id, dataset.n_samples, one);
        if (one.status == 1) {
            paths.push_back(files.at(force.id));
            continue;
        }
        lacks.push_back("the force " + force.id + ": " + one.failure);
        if (all.status == 1) {
            all.status = one.status;
            all.failure = "needs " + lacks.back();
        }
    }
    WaveRows rows;
    for (const SeismicJob::Source& source : job.sources) {
        rows.ids.push_back(source.id);
    }
    rows.row = row;
    rows.set_status = [&](SeismogramDataset::Source& source) {
        source.status = all.status;
        source.failure = all.failure;
    };
    ReciprocalSeismograms seismograms(model.strains, paths, dataset.n_samples);
    rows.result = [&](std::size_t k) {
        io::WaveResult result;
        if (all.status != 1) {
            return result;
        }
        result.source_id = rows.ids[k];
        result.interval_s = dataset.interval_s;
        result.n_samples = dataset.n_samples;
        result.seismograms = seismograms.of_source(k);
        return result;
    };
    PackageSummary summary = write_wave_rows(job, rows, dataset, path);
    summary.lacks = lacks;
    return summary;
}

}  // namespace

PackageSummary package_seismic(const SeismicJob& job, const std::string& mesh_path,
                               const SourceFiles& files, const std::string& dataset_path) {
    const SeismicModel model = load_seismic_model(job, mesh_path);
    SeismogramDataset dataset = dataset_frame(job, model, files);
    const std::vector<double> times_s = sample_times(dataset.n_samples, dataset.interval_s);
    const RowOf row_of = [&](std::size_t k) {
        const SeismicSource& source = model.sources[k];
        SeismogramDataset::Source row;
        row.xyz_m = numbers_of(source.at_m);
        row.force_n = source.force_n;
        row.moment_nm = source.moment_nm;
        row.highest_hz = source.highest_hz;
        row.function = sampled(source, job.sources[k].rupture.has_value(), times_s);
        return row;
    };
    PackageSummary summary =
        job.forces.empty() ? write_wave_dataset(job, files, dataset, row_of, dataset_path)
                           : package_reciprocal(job, model, files, dataset, row_of, dataset_path);
    summary.tets = std::ssize(model.waves.mesh.tets);
    return summary;
}

std::unique_ptr<SourceReader> read_seismic(const SeismicJob& job) {
    if (!job.forces.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "green.method reciprocal: seismograms are put together when all forces are "
                    "solved, and read from the dataset alone");
    }
    return read_samples(job, sample_times(job.n_samples(), job.interval_s));
}

}  // namespace kaname::jobs
