// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/regrid.hpp"

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/jobs/geometry/job_geometry.hpp"
#include "solvers/jobs/greens/receivers_package.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::jobs {
namespace {

/// Uniform slip on a whole plane needs a mesh that ends beyond its edges; that of several patches,
/// which slip nowhere there, ends at them.
void require_room_for_uniform_slip(const GreensJob& job, const io::GreensDataset& dataset) {
    const bool uniform =
        job.patches.patches.size() == 1 && std::holds_alternative<PlaneSpec>(job.fault);
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

}  // namespace kaname::jobs
