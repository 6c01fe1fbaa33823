// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/regrid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/p2/dof_map.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/greens/packing.hpp"

namespace kaname::jobs {
namespace {

/// Uniform slip on a whole plane needs a mesh that ends beyond its edges; that of several patches,
/// which slip nowhere there, ends at them.
void require_room_for_uniform_slip(const GreensJob& job, const io::GreensDataset& dataset) {
    const bool uniform =
        job.patches.patches.size() == 1 && std::holds_alternative<PlaneGeometry>(job.fault);
    if (uniform && dataset.sources.front().hat != io::GreensDataset::Hat::Uniform) {
        throw ValidationError(std::vector<Violation>{
            {"fault.plane",
             "must have several patches: the dataset's mesh ends at the plane's edges, where one "
             "patch of uniform slip needs nodes beyond them"}});
    }
}

}  // namespace

void regrid(const GreensJob& job, const std::string& dataset_path, const std::string& output_path) {
    io::GreensDataset dataset = io::read_greens_dataset(dataset_path);
    dataset.fault_response = io::read_fault_response(dataset_path);
    io::FaultResponse& fault = *dataset.fault_response;
    require_room_for_uniform_slip(job, dataset);
    for (const std::int32_t material : fault.around.material) {
        if (material < 0 || static_cast<std::size_t>(material) >= job.structure.materials.size()) {
            throw Error(ErrorCode::InvalidArgument,
                        dataset_path +
                            ": fault_response is damaged: its elements must name a "
                            "material of the structure, got " +
                            std::to_string(material));
        }
    }
    const JobGeometry geometry(job);
    std::vector<Violation> violations;
    geometry.slip().check(violations);
    if (!violations.empty()) {
        throw ValidationError(std::move(violations));
    }
    const p2::DofMap dofs(fault.around);
    const fault::SplitNodes split =
        fault::split_fault_nodes(fault.around, dofs.conn, dofs.node_xyz);
    if (static_cast<std::int64_t>(split.split.size()) != fault.n_nodes) {
        throw Error(ErrorCode::InvalidArgument,
                    dataset_path + ": fault_response is damaged: its mesh has " +
                        std::to_string(split.split.size()) + " nodes that can slip, its traction " +
                        std::to_string(fault.n_nodes));
    }
    const auto on_mesh = geometry.slip().on({fault.around, dofs, split});
    const std::vector<std::string> ids = geometry.slip().ids();
    const SlipResponse slip(*on_mesh, ids);
    dataset.sources = slip.rows();
    for (const io::GreensDataset::Source& row : dataset.sources) {
        if (row.status != 1) {
            violations.push_back({"source " + row.id, row.failure});
        }
    }
    if (!violations.empty()) {
        throw ValidationError(std::move(violations));
    }
    const std::size_t n_epochs = dataset.epochs_s.size();
    const std::size_t n_stations = dataset.stations.size();
    dataset.greens.assign(dataset.sources.size() * n_epochs * n_stations * 3, kNaN);
    const std::size_t of_force = n_epochs * static_cast<std::size_t>(fault.n_nodes) * 3;
    std::string lacking;
    for (std::size_t k = 0; k < fault.forces.size(); ++k) {
        const io::FaultResponse::Force& force = fault.forces[k];
        if (!force.failure.empty()) {
            lacking = lacking.empty() ? "force " + force.id + ": " + force.failure : lacking;
            continue;
        }
        if (force.station < 0 || static_cast<std::size_t>(force.station) >= n_stations ||
            force.component > 2 || fault.traction.size() != fault.forces.size() * of_force) {
            throw Error(ErrorCode::InvalidArgument,
                        dataset_path + ": fault_response is damaged at force " + force.id);
        }
        slip.add(force, std::span(fault.traction).subspan(k * of_force, of_force), n_stations,
                 dataset.greens);
    }
    for (io::GreensDataset::Source& row : dataset.sources) {
        row.status = lacking.empty() ? 1 : 2;
        row.failure = lacking;
    }
    const std::size_t n_solves = dataset.sources.size() * dataset.step_time_s.size();
    dataset.iterations.assign(n_solves, -1);
    dataset.residual.assign(n_solves, kNaN);
    dataset.initial_residual.assign(n_solves, kNaN);
    dataset.unit_slip = geometry.slip().unit_slip();
    dataset.specification_json = job.specification_json;
    io::write_greens_dataset(output_path, dataset);
}

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
