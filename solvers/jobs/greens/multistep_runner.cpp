// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/pack_runner.hpp"
#include "solvers/viscoelastic/stepping/multistep_solver.hpp"

namespace kaname::jobs {
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
