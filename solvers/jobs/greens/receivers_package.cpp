// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/receivers_package.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/jobs/greens/packing.hpp"

namespace kaname::jobs {

namespace {

io::FaultResponse::Force force_row(const JobGeometry& geometry, const StationForces::Force& force) {
    io::FaultResponse::Force row;
    row.id = force.id;
    row.station = static_cast<std::int32_t>(force.station);
    row.component = force.component;
    const Vec3 along = geometry.forces().true_direction(force);
    std::copy_n(std::array{along.x, along.y, along.z}.begin(), 3, row.along);
    return row;
}

}  // namespace

SlipResponse::SlipResponse(SlipOnMesh& slip, std::span<const std::string> source_ids) {
    for (const std::string& id : source_ids) {
        io::GreensDataset::Source row = slip.row(id);
        row.status = 1;
        std::vector<Slipping> slipping;
        try {
            const std::vector<Vec3> at_nodes = slip.slip_of(id);
            for (std::size_t node = 0; node < at_nodes.size(); ++node) {
                if (norm(at_nodes[node]) > 0.0) {
                    slipping.push_back({node, at_nodes[node]});
                }
            }
            if (slipping.empty()) {
                throw Error(ErrorCode::InvalidArgument,
                            "must slip on the meshed fault, which has no node there");
            }
        } catch (const Error& error) {
            row.status = 2;
            row.failure = error.what();
        }
        slip_.push_back(std::move(slipping));
        rows_.push_back(std::move(row));
    }
    slip.find_neighbours(rows_);
}

void SlipResponse::add(const io::FaultResponse::Force& force, std::span<const double> traction,
                       std::size_t n_stations, std::span<double> greens) const {
    const std::size_t n_epochs = greens.size() / (rows_.size() * n_stations * 3);
    const std::size_t width = traction.size() / n_epochs;
    for (std::size_t source = 0; source < rows_.size(); ++source) {
        for (std::size_t epoch = 0; epoch < n_epochs && !slip_[source].empty(); ++epoch) {
            const double* T = traction.data() + epoch * width;
            double sum = 0.0;
            for (const Slipping& at : slip_[source]) {
                const double* of = T + 3 * at.node;
                sum += of[0] * at.slip.x + of[1] * at.slip.y + of[2] * at.slip.z;
            }
            double* to = greens.data() + ((source * n_epochs + epoch) * n_stations +
                                          static_cast<std::size_t>(force.station)) *
                                             3;
            if (force.component >= 0) {
                to[force.component] = sum;
                continue;
            }
            for (int comp = 0; comp < 3; ++comp) {
                to[comp] = sum * force.along[comp];
            }
        }
    }
}

void pack_by_forces(Packing& packing) {
    io::GreensDataset& dataset = packing.dataset;
    PackageSummary& summary = packing.summary;
    const SlipResponse slip(packing.slip(), packing.geometry.slip().ids());
    const StepResponse response = packing.response(packing.job.slip_history);
    io::FaultResponse& fault = dataset.fault_response.emplace();
    fault.n_nodes = static_cast<std::int64_t>(packing.split.split.size());
    fault.around = io::around_faults(packing.mesh);
    const std::size_t n_stations = packing.job.stations.size();
    const std::size_t width = packing.split.split.size() * 3;
    std::vector<double> greens(slip.rows().size() * dataset.epochs_s.size() * n_stations * 3, kNaN);
    std::string lacking;
    bool failed = false;
    for (const StationForces::Force& force : packing.geometry.forces().all()) {
        io::FaultResponse::Force row = force_row(packing.geometry, force);
        const Packing::Read read = packing.read_force(force.id);
        std::vector<double> traction(dataset.epochs_s.size() * width, kNaN);
        if (read.status == 1) {
            traction = response.traction(*read.result, width);
            slip.add(row, traction, n_stations, greens);
            row.solves = static_cast<std::int64_t>(read.result->iterations.size());
            row.iterations = std::accumulate(read.result->iterations.begin(),
                                             read.result->iterations.end(), std::int64_t{0});
        } else {
            row.failure = read.failure.empty() ? "there is no result" : read.failure;
            failed = failed || read.status == 2;
            lacking = lacking.empty() ? "force " + row.id + ": " + row.failure : lacking;
        }
        fault.traction.insert(fault.traction.end(), traction.begin(), traction.end());
        fault.forces.push_back(std::move(row));
    }
    const std::size_t of_source = dataset.epochs_s.size() * n_stations * 3;
    std::size_t at = 0;
    for (io::GreensDataset::Source& row : slip.rows()) {
        if (row.status == 1 && !lacking.empty()) {
            row.status = failed ? 2 : 0;
            row.failure = failed ? lacking : "";
        } else if (row.status == 2) {
            summary.lacks.push_back(row.id + ": " + row.failure);
        }
        ++(row.status == 1   ? summary.sources_done
           : row.status == 2 ? summary.sources_failed
                             : summary.sources_missing);
        std::vector<double> motion(
            greens.begin() + static_cast<std::ptrdiff_t>(at * of_source),
            greens.begin() + static_cast<std::ptrdiff_t>((at + 1) * of_source));
        for (const double value : motion) {
            if (!std::isnan(value)) {
                summary.max_displacement_m = std::max(summary.max_displacement_m, std::abs(value));
            }
        }
        packing.add(row, {{}, {}, row.status, row.failure}, std::move(motion));
        ++at;
    }
}

}  // namespace kaname::jobs
