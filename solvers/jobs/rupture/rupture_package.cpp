// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "solvers/io/dataset/rupture_dataset.hpp"
#include "solvers/jobs/rupture/rupture_fields.hpp"
#include "solvers/jobs/rupture/rupture_stages.hpp"
#include "solvers/jobs/seismic_waves/dataset_frame.hpp"
#include "solvers/jobs/waves/wave_packs.hpp"
#include "solvers/jobs/waves/wave_rows.hpp"

namespace kaname::jobs {
namespace {

using io::RuptureDataset;
using io::SeismogramDataset;

void set_triangles(const RuptureModel& model, RuptureDataset& d) {
    const mesh::TetMesh& mesh = model.seismic.waves.mesh;
    std::vector<std::int32_t> point(mesh.xyz.size(), -1);
    d.faults = mesh.faults;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        for (const std::int32_t vertex : face.vertices) {
            if (point[vertex] < 0) {
                point[vertex] = static_cast<std::int32_t>(d.xyz_m.size() / 3);
                const std::array<double, 3> at = numbers_of(mesh.xyz[vertex]);
                d.xyz_m.insert(d.xyz_m.end(), at.begin(), at.end());
            }
            d.triangles.push_back(point[vertex]);
        }
        d.fault.push_back(face.fault);
    }
}

void set_fields(const RuptureModel& model, const RuptureFields& fields, RuptureDataset& d) {
    for (std::size_t k = 0; k < fields.faces.size(); ++k) {
        const RuptureFields::Face& face = fields.faces[k];
        const FaultTriangle& triangle = model.triangles[k];
        const auto [along, down] = model.parameters->axes(static_cast<std::size_t>(triangle.fault))
                                       .place(triangle.middle());
        const auto row = std::to_array<double>(  // in the order of RuptureDataset::kFields
            {face.rupture_s, face.speed_m_per_s, face.slip_m[0], face.slip_m[1],
             std::hypot(face.slip_m[0], face.slip_m[1]), face.path_m, face.peak_rate_m_per_s,
             face.drop_pa, face.initial_pa[0], face.initial_pa[1], face.initial_pa[2],
             face.final_pa[0], face.final_pa[1], face.final_pa[2], face.friction_j_m2,
             triangle.rigidity_pa, along, down});
        static_assert(row.size() == RuptureDataset::kFields.size());
        for (std::size_t f = 0; f < row.size(); ++f) {
            d.fields[f].push_back(static_cast<float>(row[f]));
        }
    }
}

void set_receivers(const RuptureJob& job, const RuptureModel& model, RuptureDataset& d) {
    for (std::size_t k = 0; k < job.fault_receivers.size(); ++k) {
        const RuptureReceiver& receiver = job.fault_receivers[k];
        d.receivers.push_back({receiver.id, job.faults[receiver.fault].id, receiver.along_m,
                               receiver.down_m,
                               numbers_of(model.seismic.waves.fault.receivers[k].at_m)});
    }
    const std::size_t per_sample = d.receivers.size() * RuptureDataset::kSeries.size();
    d.times_s =
        sample_times(per_sample == 0 ? 0 : static_cast<std::int64_t>(d.series.size() / per_sample),
                     job.interval_s);
}

void set_plastic(const RuptureModel& model, std::vector<float> strain, RuptureDataset& d) {
    const mesh::TetMesh& mesh = model.seismic.waves.mesh;
    for (std::size_t tet = 0; tet < strain.size(); ++tet) {
        const auto& v = mesh.tets[tet];
        const std::array<double, 3> middle =
            numbers_of(0.25 * (mesh.xyz[v[0]] + mesh.xyz[v[1]] + mesh.xyz[v[2]] + mesh.xyz[v[3]]));
        d.tet_middles_m.insert(d.tet_middles_m.end(), middle.begin(), middle.end());
    }
    d.plastic_strain = std::move(strain);
}

RuptureDataset dataset_of(const RuptureJob& job, const RuptureModel& model, RuptureResult result,
                          const RuptureFields& fields, const RuptureSummary& summary) {
    RuptureDataset d;
    set_triangles(model, d);
    set_fields(model, fields, d);
    d.snapshots_s = std::move(result.snapshots_s);
    d.slip_rate = std::move(result.rates);
    d.series = std::move(result.samples);
    set_receivers(job, model, d);
    d.energy_s = std::move(result.energy_s);
    d.energies = std::move(result.energies);
    set_plastic(model, std::move(result.plastic), d);
    d.heights_s = std::move(result.heights_s);
    d.heights_m = std::move(result.heights_m);
    d.whole = {{"moment", summary.moment_nm},
               {"magnitude", summary.magnitude},
               {"largest_slip", summary.largest_slip_m},
               {"mean_slip", summary.mean_slip_m},
               {"ruptured_area", summary.ruptured_m2},
               {"duration", summary.duration_s},
               {"radiated_energy", summary.radiated_j},
               {"energy_residual", summary.balance_residual}};
    return d;
}

/// Moment rate at the samples over its largest value there, linear between energies.
std::vector<double> moment_rate_at(const std::vector<double>& times_s,
                                   const RuptureResult& result) {
    constexpr std::size_t kRate = 7;
    std::vector<double> rates;
    double largest = 0.0;
    for (const double time_s : times_s) {
        const auto above = std::ranges::lower_bound(result.energy_s, time_s);
        const auto k = static_cast<std::size_t>(above - result.energy_s.begin());
        const auto rate = [&](std::size_t at) {
            return result.energies[at * RuptureResult::kEnergies + kRate];
        };
        const double from_s = k == 0 ? 0.0 : result.energy_s[k - 1],
                     from = k == 0 ? 0.0 : rate(k - 1);
        rates.push_back(above == result.energy_s.end()
                            ? from
                            : from + (rate(k) - from) * (time_s - from_s) / (*above - from_s));
        largest = std::max(largest, rates.back());
    }
    for (double& rate : rates) {
        rate /= largest > 0.0 ? largest : 1.0;
    }
    return rates;
}

}  // namespace

PackageSummary package_rupture(const RuptureJob& job, const std::string& mesh_path,
                               const SourceFiles& files, const std::string& dataset_path) {
    const RuptureModel model = load_rupture_model(job, mesh_path);
    SeismogramDataset dataset = dataset_frame(job, model.seismic, files);
    SeismogramDataset::Source row;
    row.id = job.event.id;
    set_wave_status(files, row.id, dataset.n_samples, row);
    row.function.assign(static_cast<std::size_t>(dataset.n_samples), 0.0);
    std::function<void(h5::File&)> also;
    if (row.status == 1) {
        RuptureResult result = RuptureResult::read(files.at(row.id));
        const RuptureFields fields = rupture_fields(model, result);
        const RuptureSummary summary = summary_of(model, fields, result);
        row.xyz_m = numbers_of(summary.hypocentre_m);
        row.moment_nm = summary.moment_tensor_nm;
        row.function = moment_rate_at(sample_times(dataset.n_samples, dataset.interval_s), result);
        also = [&, d = dataset_of(job, model, std::move(result), fields, summary)](h5::File& file) {
            io::write_rupture(file, d);
        };
    }
    PackageSummary summary = write_wave_dataset(
        job, files, std::move(dataset), [&](std::size_t) { return row; }, dataset_path, also);
    summary.tets = std::ssize(model.seismic.waves.mesh.tets);
    return summary;
}

}  // namespace kaname::jobs
