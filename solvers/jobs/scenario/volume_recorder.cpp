// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/scenario/volume_recorder.hpp"

#include "solvers/base/error.hpp"
#include "solvers/jobs/scenario/scenario_response.hpp"

namespace kaname::jobs {

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
    for (const BoundarySourceSpec& sides : context.job.boundaries.sources) {
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

}  // namespace kaname::jobs
