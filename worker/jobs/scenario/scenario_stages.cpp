// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/scenario/scenario_stages.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "worker/jobs/geometry/sources/slip_description.hpp"
#include "worker/jobs/greens/observed_places.hpp"
#include "worker/jobs/greens/packing.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"
#include "worker/jobs/scenario/scenario_response.hpp"

namespace kaname::jobs {
namespace {

/// motion += weights [epochs][F] times fields [F][width].
void add_motion(std::span<const double> weights, const Packing::Read& read, std::size_t width,
                std::vector<double>& motion) {
    const std::size_t n_fields = read.result->n_fields();
    for (std::size_t epoch = 0; epoch * n_fields < weights.size(); ++epoch) {
        for (std::size_t field = 0; field < n_fields; ++field) {
            const double w = weights[epoch * n_fields + field];
            for (std::size_t k = 0; k < width && w != 0.0; ++k) {
                motion[epoch * width + k] += w * read.fields[field * width + k];
            }
        }
    }
}

io::ScenarioEventRow describe_event(const ScenarioEvent& event, const std::string& source_id,
                                    const SlipOnMesh::Taken& taken) {
    const double scale = std::abs(event.scale);
    io::ScenarioEventRow row;
    row.name = event.name;
    row.source_id = source_id;
    row.time_s = event.time_s;
    row.scale = event.scale;
    row.history = text_of(event.history.kind);
    row.repeats = event.repeats;
    row.interval_s = event.interval_s;
    row.moment_nm = scale * taken.moment_nm;
    row.mw = slip_model::moment_magnitude(row.moment_nm);
    row.max_slip_m = scale * taken.max_slip_m;
    row.potency_ratio =
        taken.given_potency_m3 > 0.0 ? taken.potency_m3 / taken.given_potency_m3 : std::nan("");
    return row;
}

/// A fault that takes much more or less slip than the model has does not fit it.
void warn_of_potency(const io::ScenarioEventRow& event, const SlipOnMesh::Taken& taken,
                     PackageSummary& summary) {
    constexpr double kMostOff = 0.05;
    if (!(std::abs(event.potency_ratio - 1.0) > kMostOff)) {
        return;  // also where there is none
    }
    const std::string why =
        event.potency_ratio > 1.0
            ? "patches overlap, lie across the fault, or it is steeper or more curved than they are"
        : taken.lost_to.empty() ? "part of its patches lies beyond the fault, or their slips cancel"
                                : "of the potency " + taken.lost_to;
    summary.warnings.push_back("event " + event.name + ": the fault took " +
                               formatted("%.3g", event.potency_ratio) +
                               " times the potency of its slip model: " + why);
}

void count(const Packing::Read& read, PackageSummary& summary) {
    ++(read.status == 1   ? summary.sources_done
       : read.status == 2 ? summary.sources_failed
                          : summary.sources_missing);
}

}  // namespace

std::unique_ptr<StepRecorder> ScenarioStages::recorder(const PackContext& context) const {
    return std::make_unique<VolumeRecorder>(context);
}

void ScenarioStages::pack_sources(Packing& packing, bool only_these) const {
    const Scenario& scenario = *packing.job.scenario;
    const std::size_t width = packing.width();
    const std::size_t n_epochs = packing.dataset.epochs_s.size();
    const JobGeometry& geometry = packing.geometry;
    const MeshedFault fault{packing.mesh, packing.dofs, packing.split};
    SlipOnMesh& slip = packing.slip();
    const ScenarioResponse response(scenario, packing.steps, packing.job.time.end_s,
                                    packing.dataset.epochs_s);
    packing.dataset.slip_history = "events";

    std::vector<Packing::Read> reads;
    bool all_done = true;
    for (const SlipModelSource& model : scenario.models) {
        reads.push_back(packing.read(model.id));
        count(reads.back(), packing.summary);
        all_done = all_done && reads.back().status == 1;
    }

    // Moved or loaded sides are part of what happens.
    std::vector<Packing::Read> sides;
    for (const BoundarySource& source : packing.job.boundaries.sources) {
        sides.push_back(packing.read(source.id));
        count(sides.back(), packing.summary);
        all_done = all_done && sides.back().status == 1;
    }

    std::vector<double> total(n_epochs * width, 0.0);
    std::vector<std::vector<double>> of_event;
    for (std::size_t e = 0; e < scenario.events.size(); ++e) {
        const ScenarioEvent& event = scenario.events[e];
        const Packing::Read& read = reads[event.model];
        std::vector<double> motion;
        if (read.status == 1) {
            motion.assign(n_epochs * width, 0.0);
            add_motion(response.of_event(e, *read.result), read, width, motion);
            std::ranges::transform(total, motion, total.begin(), std::plus<>());
        }
        of_event.push_back(std::move(motion));
    }
    std::vector<std::vector<double>> of_sides;
    for (std::size_t k = 0; k < sides.size(); ++k) {
        std::vector<double> motion;
        if (sides[k].status == 1) {
            motion = packing.response(packing.job.boundaries.sources[k].history)
                         .motion(*sides[k].result, sides[k].fields, width);
            std::ranges::transform(total, motion, total.begin(), std::plus<>());
        }
        of_sides.push_back(std::move(motion));
    }
    const bool answers =
        packing.steps.spectrum && std::ranges::any_of(reads, [](const Packing::Read& read) {
            return read.result && read.result->reduced.range;
        });
    const auto keep_model = [&](const Packing::Read* read) {
        if (answers) {
            packing.dataset.reduced.push_back(
                read != nullptr && read->status == 1
                    ? io::GreensDataset::Reduced{read->result->reduced, read->fields}
                    : io::GreensDataset::Reduced{});
        }
    };
    if (!only_these) {
        Packing::Read sum;
        sum.status = all_done ? 1 : 0;
        sum.failure = all_done ? "" : "a part of the sum is missing or has failed";
        std::vector<double> motion;
        if (all_done) {
            motion = total;
            for (const double value : motion) {
                packing.summary.max_displacement_m =
                    std::max(packing.summary.max_displacement_m, std::abs(value));
            }
        }
        packing.add(
            describe_sum(geometry.domain(), fault, slip, geometry.slip().ids(), scenario.total_id),
            sum, std::move(motion));
        keep_model(nullptr);
    }
    std::vector<SlipOnMesh::Taken> taken;
    std::vector<io::GreensDataset::Source> rows;
    for (const SlipModelSource& model : scenario.models) {
        taken.push_back(slip.taken(model.id));
        rows.push_back(slip.row(model.id));
    }
    for (std::size_t e = 0; e < scenario.events.size(); ++e) {
        const ScenarioEvent& event = scenario.events[e];
        const std::string& source_id = scenario.models[event.model].id;
        packing.dataset.events.push_back(describe_event(event, source_id, taken[event.model]));
        warn_of_potency(packing.dataset.events.back(), taken[event.model], packing.summary);
        if (!only_these || packing.files.contains(source_id)) {
            io::GreensDataset::Source row = rows[event.model];
            row.id = row.patch_id = event.name;
            row.potency_m3 *= std::abs(event.scale);
            packing.add(std::move(row), reads[event.model], std::move(of_event[e]));
            keep_model(&reads[event.model]);
        }
    }
    for (std::size_t k = 0; k < sides.size(); ++k) {
        const BoundarySource& source = packing.job.boundaries.sources[k];
        if (!only_these || packing.files.contains(source.id)) {
            packing.add(geometry.sides().row(source.id), sides[k], std::move(of_sides[k]));
        }
    }
    if (!only_these && all_done) {
        std::vector<std::optional<io::SourceResult>> results;
        for (std::vector<Packing::Read>* of : {&reads, &sides}) {
            for (Packing::Read& read : *of) {
                results.push_back(std::move(read.result));
            }
        }
        add_fields(packing.job, geometry.domain(), packing.mesh, packing.dofs, results,
                   packing.steps, packing.dataset, geometry.fault().mesh_parts());
    }
}

namespace {

using Results = std::vector<std::optional<io::SourceResult>>;

/// Places in the model and on the globe, of either group.
template <class Fields>
void add_place(const Domain& domain, const Vec3& x, Fields& fields) {
    fields.xyz_m.insert(fields.xyz_m.end(), {x.x, x.y, x.z});
    if (domain.projected()) {
        const earth::LonLat at = domain.projection().inverse({x.x, x.y});
        fields.lon_deg.push_back(at.lon_deg);
        fields.lat_deg.push_back(at.lat_deg);
    }
}

/// Faces seen from above go round to the left.
std::array<std::int32_t, 6> upward(const SurfacePoints::Face& face, const mesh::TetMesh& mesh) {
    const auto& v = face.vertices;
    const auto& p = face.points;
    const Vec3 normal = cross(mesh.xyz[v[1]] - mesh.xyz[v[0]], mesh.xyz[v[2]] - mesh.xyz[v[0]]);
    return normal.z >= 0.0 ? p : std::array{p[0], p[2], p[1], p[5], p[4], p[3]};
}

class SurfaceSum {
public:
    SurfaceSum(const GreensJob& job, const Steps& steps, const Results& results,
               std::span<const double> epochs_s)
        : results_(results) {
        const ScenarioResponse response(*job.scenario, steps, job.time.end_s, epochs_s);
        const std::size_t n_models = job.scenario->models.size();
        for (std::size_t k = 0; k < results.size(); ++k) {
            if (k < n_models) {
                weights_.push_back(response.of_model(static_cast<int>(k), *results[k]));
                continue;
            }
            const SlipHistory& history = job.boundaries.sources[k - n_models].history;
            weights_.push_back(
                StepResponse(steps, SourceTimeFunction(history, job.time.end_s), epochs_s)
                    .weights(*results[k]));
        }
    }
    /// [P][3] in the model frame.
    [[nodiscard]] std::vector<double> at(std::size_t epoch, std::size_t n_points) const {
        const std::size_t width = 3 * n_points;
        std::vector<double> sum(width, 0.0);
        for (std::size_t source = 0; source < results_.size(); ++source) {
            const std::size_t n_fields = results_[source]->n_fields();
            for (std::size_t field = 0; field < n_fields; ++field) {
                const double w = weights_[source][epoch * n_fields + field];
                const float* u = results_[source]->surface_m.data() + field * width;
                for (std::size_t k = 0; k < width && w != 0.0; ++k) {
                    sum[k] += w * double{u[k]};
                }
            }
        }
        return sum;
    }

private:
    const Results& results_;
    std::vector<std::vector<double>> weights_;  ///< [sources] [epochs][F]
};

std::optional<io::SurfaceFields> surface_of(const GreensJob& job, const Domain& domain,
                                            const mesh::TetMesh& mesh, const SurfacePoints& points,
                                            const Results& results, const Steps& steps,
                                            const std::vector<double>& epochs_s) {
    const std::size_t n_points = points.places.size();
    const bool all_hold_it = std::ranges::all_of(results, [&](const auto& result) {
        return result->surface_m.size() == 3 * n_points * result->n_fields();
    });
    if (!all_hold_it || n_points == 0) {
        return std::nullopt;
    }
    io::SurfaceFields surface;
    surface.epochs_s = epochs_s;
    std::vector<double> turn;  // true north lies this far clockwise of grid north
    for (const p2::Location& place : points.places) {
        add_place(domain, place.snapped, surface);
        turn.push_back(convergence(domain, place.snapped));
    }
    for (const SurfacePoints::Face& face : points.faces) {
        const auto corners = upward(face, mesh);
        surface.faces.insert(surface.faces.end(), corners.begin(), corners.end());
    }
    const SurfaceSum sum(job, steps, results, epochs_s);
    for (std::size_t epoch = 0; epoch < epochs_s.size(); ++epoch) {
        const std::vector<double> u = sum.at(epoch, n_points);
        for (std::size_t k = 0; k < n_points; ++k) {
            const double c = std::cos(turn[k]);
            const double s = std::sin(turn[k]);
            for (const double value :
                 {c * u[3 * k] - s * u[3 * k + 1], s * u[3 * k] + c * u[3 * k + 1], u[3 * k + 2]}) {
                surface.displacement_m.push_back(static_cast<float>(value));
            }
        }
    }
    return surface;
}

/// Sum of one field over the sources, as float.
std::vector<float> sum_of_field(const Results& results,
                                std::vector<double> io::VolumeSnapshots::*field) {
    std::vector<double> sum((results.front()->volume.*field).size(), 0.0);
    for (const auto& result : results) {
        std::ranges::transform(sum, result->volume.*field, sum.begin(), std::plus<>());
    }
    return {sum.begin(), sum.end()};
}

std::optional<io::VolumeDataset> volume_of(const GreensJob& job, const Domain& domain,
                                           const mesh::TetMesh& mesh,
                                           const fault::SplitVertices& cut,
                                           const Results& results) {
    const std::size_t n = job.scenario->volume.epochs_s.size();
    const bool all_hold_it = std::ranges::all_of(results, [&](const auto& result) {
        const io::VolumeSnapshots& volume = result->volume;
        return volume.n_snapshots == n &&
               volume.displacement_m.size() == n * cut.vertex.size() * 3 &&
               volume.strain.size() == n * cut.tets.size() * 6 &&
               volume.stress_pa.size() == n * cut.tets.size() * 6;
    });
    if (!all_hold_it) {
        return std::nullopt;
    }
    io::VolumeDataset volume;
    volume.epochs_s = job.scenario->volume.epochs_s;
    for (const std::int32_t vertex : cut.vertex) {
        add_place(domain, mesh.xyz[vertex], volume);
    }
    for (const auto& tet : cut.tets) {
        volume.tets.insert(volume.tets.end(), tet.begin(), tet.end());
    }
    volume.material = mesh.material;
    for (const earth::Material& material : job.structure.materials) {
        volume.materials.push_back(material.name);
    }
    volume.displacement_m = sum_of_field(results, &io::VolumeSnapshots::displacement_m);
    volume.strain = sum_of_field(results, &io::VolumeSnapshots::strain);
    volume.stress_pa = sum_of_field(results, &io::VolumeSnapshots::stress_pa);
    add_receivers(job, domain, mesh, volume);
    return volume;
}

}  // namespace

void add_fields(const GreensJob& job, const Domain& domain, const mesh::TetMesh& mesh,
                const p2::DofMap& dofs, const Results& results, const Steps& steps,
                io::GreensDataset& dataset, int n_parts) {
    const bool all_done =
        std::ranges::all_of(results, [](const auto& result) { return result && !result->failed; });
    if (!all_done || results.empty()) {
        return;
    }
    const fault::SplitNodes split = fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
    if (job.output.surface) {
        dataset.surface =
            surface_of(job, domain, mesh, find_surface_points(mesh, dofs, split, n_parts), results,
                       steps, dataset.epochs_s);
    }
    if (wants_volume(job)) {
        dataset.volume = volume_of(job, domain, mesh, fault::split_vertices(mesh, split), results);
    }
}

VolumeRecorder::VolumeRecorder(const PackContext& context)
    : comm_(context.comm), queue_(context.queue) {
    if (context.volume == nullptr) {
        return;
    }
    scenario_ = &*context.job.scenario;
    fields_.emplace(context.model, *context.volume);
    const ScenarioResponse response(*scenario_, context.steps, context.job.time.end_s,
                                    scenario_->volume.epochs_s);
    for (std::size_t model = 0; model < scenario_->models.size(); ++model) {
        weights_.emplace(scenario_->models[model].id,
                         response.of_model_by_steps(static_cast<int>(model)));
    }
    for (const BoundarySource& sides : context.job.boundaries.sources) {
        const StepResponse of_sides(context.steps,
                                    SourceTimeFunction(sides.history, context.job.time.end_s),
                                    scenario_->volume.epochs_s);
        weights_.emplace(sides.id,
                         of_sides.weights_by_steps(
                             static_cast<std::size_t>(context.steps.grid.total_steps()) + 1));
    }
}

std::vector<double> VolumeRecorder::weights_of(const std::string& source_id) const {
    const auto found = weights_.find(source_id);
    if (found == weights_.end()) {
        throw Error(
            ErrorCode::InvalidArgument,
            "source must be a slip model or sides of the scenario, got '" + source_id + "'");
    }
    return found->second;
}

void VolumeRecorder::start(const std::vector<io::SourceResult>& results) {
    if (!fields_) {
        return;
    }
    std::vector<std::vector<double>> weights;
    for (const io::SourceResult& result : results) {
        weights.push_back(weights_of(result.source_id));
    }
    fields_->start(scenario_->volume.epochs_s.size(), std::move(weights));
    for (std::size_t lane = 0; lane < results.size(); ++lane) {
        const bool begun = comm_.rank() == 0 && !results[lane].volume.empty();
        if (comm_.sum(begun ? 1.0 : 0.0) > 0.0) {
            fields_->resume(static_cast<int>(lane), results[lane].volume, comm_);
        }
    }
}

void VolumeRecorder::record(int step, viscoelastic::PackSolver& solver) {
    if (!fields_ || !fields_->wants(step)) {
        return;
    }
    std::vector<double> u(solver.displacement().size());
    device::download<double>(solver.displacement(), u, queue_);
    fields_->add(step, {u, solver.offsets(), solver.stress()});
}

void VolumeRecorder::collect(std::vector<io::SourceResult>& results) const {
    for (std::size_t lane = 0; lane < results.size() && fields_; ++lane) {
        results[lane].volume = {};
        if (!results[lane].failed) {  // the same on all ranks
            results[lane].volume = fields_->collect(static_cast<int>(lane), comm_);
        }
    }
}

const Stages& stages_of(const GreensJob& job) {
    static const ViscoelasticStages greens;
    static const ScenarioStages scenario;
    if (job.scenario) {
        return scenario;
    }
    return greens;
}

}  // namespace kaname::jobs
