// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "solvers/viscoelastic/stepping/multistep_solver.hpp"
#include "worker/jobs/greens/method_choice.hpp"
#include "worker/jobs/greens/pack_runner.hpp"

namespace kaname::jobs {

using lanes::kLanes;

viscoelastic::SolverParams solver_params(const GreensJob& job) {
    viscoelastic::SolverParams params;
    params.method = method_of(job.solver.method);
    params.cg.tolerance = job.solver.tolerance;
    params.cg.max_iterations = job.solver.max_iterations;
    return params;
}

void record_lane(const linalg::LaneResult& lane, int step, io::SourceResult& result) {
    result.iterations.push_back(lane.iterations);
    result.residual.push_back(lane.residual);
    result.initial_residual.push_back(lane.initial_residual);
    if (!lane.ok() && !result.failed) {
        result.failed = true;
        result.failure = viscoelastic::failure_text(lane, step);
    }
}

void record_solve(const std::array<linalg::LaneResult, kLanes>& lanes, int step,
                  std::vector<io::SourceResult>& results, SolveProgress& report) {
    report.step = step;
    report.iterations = 0;
    report.initial_residual = report.residual = 0.0;
    report.solved.clear();
    for (const linalg::LaneResult& lane : lanes) {
        report.iterations = std::max(report.iterations, lane.iterations);
        report.initial_residual = std::max(report.initial_residual, lane.initial_residual);
        report.residual = std::max(report.residual, lane.residual);
    }
    for (std::size_t lane = 0; lane < results.size(); ++lane) {
        record_lane(lanes[lane], step, results[lane]);
        report.solved.push_back(
            {lane, lanes[lane].iterations, lanes[lane].initial_residual, lanes[lane].residual});
    }
}

void append_field(const std::vector<double>& observed, std::size_t n_lanes, std::size_t lane,
                  io::SourceResult& result) {
    std::size_t at = lane;
    for (; at < result.station_xyz_m.size() * n_lanes; at += n_lanes) {
        result.displacement_m.push_back(result.failed ? std::nan("") : observed[at]);
    }
    for (; at < observed.size() && !result.failed; at += n_lanes) {
        result.surface_m.push_back(static_cast<float>(observed[at]));
    }
}

void append_traction(std::span<const double> traction, std::size_t n_lanes, std::size_t lane,
                     io::SourceResult& result) {
    for (std::size_t at = lane; at < traction.size() && !result.failed; at += n_lanes) {
        result.fault_response.push_back(traction[at]);
    }
}

void append_whole_traction(std::span<const double> traction, const PackLoad& load,
                           const viscoelastic::FaultTraction& of, std::size_t lane,
                           io::SourceResult& result) {
    const std::size_t first = result.fault_response.size();
    append_traction(traction, kLanes, lane, result);
    const std::vector<double> own = of.own_offset(load.forces[lane]);
    for (std::size_t i = 0; first + i < result.fault_response.size(); ++i) {
        result.fault_response[first + i] += own[i];
    }
}

namespace {

class SteppingRunner final : public PackRunner {
public:
    SteppingRunner(const PackContext& context, std::unique_ptr<StepRecorder> recorder)
        : context_(context),
          solver_(context.model, context.steps.grid, solver_params(context.job),
                  viscoelastic::predictor_params(context.job.solver.predictor,
                                                 context.job.solver.tolerance),
                  context.comm, context.queue),
          recorder_(std::move(recorder)) {}

    void start(PackLoad load, std::vector<io::SourceResult>& results) override {
        results_ = &results;
        load_ = std::move(load);
        solver_.start(load_.offsets, {},
                      load_.forces.empty()
                          ? device::Buffer<double>()
                          : point_load(context_.model, load_.forces, context_.queue));
        recorder_->start(results);
    }

    bool advance(SolveProgress& report) override {
        if (solver_.finished()) {
            return false;
        }
        const viscoelastic::StepResult step = solver_.advance();
        record_solve(step.lanes, step.step, *results_, report);
        report.steps = context_.steps.grid.total_steps();
        report.fraction = (step.step + 1.0) / (report.steps + 1.0);
        for (io::SourceResult& result : *results_) {
            result.step_time_s.push_back(step.time_s);
        }
        if (context_.traction != nullptr) {
            observe_fault();
        } else {
            observe_points();
        }
        recorder_->record(step.step, solver_);
        return true;
    }

    void finish() override { recorder_->collect(*results_); }
    void collect() override { recorder_->collect(*results_); }
    void resumed() override { recorder_->start(*results_); }

    [[nodiscard]] bool can_checkpoint() const override { return true; }
    void exchange(viscoelastic::StateArchive& state) override { solver_.exchange(state); }
    [[nodiscard]] int next_step() const override { return solver_.next_step(); }

private:
    void observe_points() {
        const auto observed = context_.observer.observe(solver_.displacement(), solver_.offsets(),
                                                        context_.comm, context_.queue);
        for (std::size_t lane = 0; lane < results_->size(); ++lane) {
            append_field(observed, kLanes, lane, (*results_)[lane]);
        }
    }
    void observe_fault() {
        viscoelastic::FaultTraction& traction = *context_.traction;
        const auto T = traction.of_stress(solver_.stress_of(traction.elements()),
                                          solver_.displacement(), context_.comm, context_.queue);
        for (std::size_t lane = 0; lane < results_->size(); ++lane) {
            append_whole_traction(T, load_, traction, lane, (*results_)[lane]);
        }
    }

    PackContext context_;
    viscoelastic::PackSolver solver_;
    std::unique_ptr<StepRecorder> recorder_;
    PackLoad load_;
    std::vector<io::SourceResult>* results_ = nullptr;
};

}  // namespace

std::unique_ptr<PackRunner> make_stepping_runner(const PackContext& context,
                                                 std::unique_ptr<StepRecorder> recorder) {
    return std::make_unique<SteppingRunner>(context, std::move(recorder));
}

namespace {

class MultistepRunner final : public PackRunner {
public:
    explicit MultistepRunner(const PackContext& context)
        : context_(context),
          solver_(context.model, context.steps.grid, solver_params(context.job), context.comm,
                  context.queue) {}

    void start(PackLoad load, std::vector<io::SourceResult>& results) override {
        results_ = &results;
        offsets_ = std::move(load.offsets);
        source_ = 0;
        solver_.start(offsets_, 0);
    }

    bool advance(SolveProgress& report) override {
        if (solver_.finished()) {
            if (++source_ == static_cast<int>(results_->size())) {
                return false;
            }
            solver_.start(offsets_, source_);
        }
        const viscoelastic::StepResult step = solver_.advance();
        io::SourceResult& result = (*results_)[source_];
        record_lane(step.lanes[0], step.step, result);
        report.step = step.step;
        report.steps = context_.steps.grid.n_steps;
        report.iterations = step.lanes[0].iterations;
        report.initial_residual = step.lanes[0].initial_residual;
        report.residual = step.lanes[0].residual;
        report.solved = {{static_cast<std::size_t>(source_), report.iterations,
                          report.initial_residual, report.residual}};
        report.fraction = (source_ + (step.step + 1.0) / (report.steps + 1.0)) /
                          static_cast<double>(results_->size());
        result.step_time_s.push_back(step.time_s);
        append_field(context_.observer.observe(solver_.displacement(), solver_.offsets(),
                                               context_.comm, context_.queue),
                     lanes::kLanes, 0, result);
        return true;
    }

    void finish() override {}

private:
    PackContext context_;
    viscoelastic::MultistepSolver solver_;
    std::vector<viscoelastic::ElementOffset> offsets_;
    std::vector<io::SourceResult>* results_ = nullptr;
    int source_ = 0;
};

}  // namespace

std::unique_ptr<PackRunner> make_multistep_runner(const PackContext& context) {
    return std::make_unique<MultistepRunner>(context);
}

}  // namespace kaname::jobs
