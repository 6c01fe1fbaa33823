// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"
#include "worker/jobs/geometry/available_memory.hpp"
#include "worker/jobs/greens/method_choice.hpp"
#include "worker/jobs/greens/pack_runner.hpp"
#include "worker/jobs/greens/reduced_record.hpp"

namespace kaname::jobs {

using lanes::kLanes;

namespace {

// Values whose error may be so many times the tolerance are kept, with a warning.
constexpr double kNearlyReached = 3.0;

/// As many kept shifts as fit into half of what is free, the same number on every rank.
int shifts_to_keep(const PackContext& context) {
    const auto ranks = static_cast<double>(context.comm.size());
    const double each = kBytesPerDofOfAShift * static_cast<double>(context.model.n_dof()) / ranks;
    const bool on_gpu = context.queue.backend() == device::Backend::Cuda;
    const double free =
        on_gpu ? free_device_bytes(context.job, context.comm) : available_bytes() / ranks;
    const double fitting = 0.5 * free / each;
    return std::min(kKeptShifts, static_cast<int>(-context.comm.max(-std::floor(fitting))));
}

viscoelastic::SpectrumParams spectrum_params(const PackContext& context) {
    viscoelastic::SpectrumParams params;
    params.end_s = context.job.time.end_s;
    params.tolerance = context.job.time.spectrum_tolerance;
    params.kept_hierarchies = shifts_to_keep(context);
    return params;
}

/// Tractions of one part of the moduli.
class TractionOf final : public viscoelastic::Observation {
public:
    TractionOf(viscoelastic::FaultTraction& traction, const viscoelastic::ElementModuli& moduli)
        : traction_(traction), moduli_(moduli) {}
    [[nodiscard]] std::vector<double> observe(
        device::View<const double> u, std::span<const viscoelastic::ElementOffset> /*offsets*/,
        comm::Comm& comm, device::Queue& queue) override {
        return traction_.of(moduli_, u, comm, queue);
    }

private:
    viscoelastic::FaultTraction& traction_;
    const viscoelastic::ElementModuli& moduli_;
};

class SpectrumRunner final : public PackRunner {
public:
    explicit SpectrumRunner(const PackContext& context)
        : context_(context),
          groups_(
              viscoelastic::relaxation_groups(context.model.materials(), context.model.element())),
          solver_(context.model, groups_, spectrum_params(context), solver_params(context.job),
                  context.traction != nullptr
                      ? static_cast<viscoelastic::Observation&>(*context.traction)
                      : context.observer,
                  context.comm, context.queue) {}

    void start(PackLoad load, std::vector<io::SourceResult>& results) override {
        results_ = &results;
        load_ = std::move(load);
        forces_ = load_.forces.empty() ? device::Buffer<double>()
                                       : point_load(context_.model, load_.forces, context_.queue);
        n_solves_ = 0;
    }

    bool advance(SolveProgress& report) override {
        if (n_solves_ == 0) {
            record_solve(solver_.start(load_.offsets, forces_.view()), 0, *results_, report);
            record_shift(0.0, std::nan(""));
        } else {
            const auto shift = solver_.advance();
            if (!shift) {
                return false;
            }
            record_solve(shift->lanes, n_solves_, *results_, report);
            record_shift(std::nan(""), shift->shift_per_s);
        }
        ++n_solves_;
        const int expected = expected_shifts(context_.job);
        report.steps = std::max(expected, n_solves_ - 1);
        // The error falls by about the same factor with every shift.
        const double goal = context_.job.time.spectrum_tolerance;
        const double worst = std::clamp(solver_.error_estimate(), goal, 1.0);
        report.fraction = (1.0 + expected * std::log(worst) / std::log(goal)) / (1.0 + expected);
        return true;
    }

    [[nodiscard]] bool can_checkpoint() const override { return true; }
    [[nodiscard]] bool may_go_on(const SolveProgress& /*report*/) const override { return true; }
    [[nodiscard]] int next_step() const override { return n_solves_; }
    void exchange(viscoelastic::StateArchive& state) override {
        if (!state.reading()) {
            solver_.save(state);
            return;
        }
        n_solves_ = solver_.resume(state, load_.offsets, forces_.view());
        // The records of solves that the state did not restore are dropped.
        for (std::size_t lane = 0; lane < results_->size(); ++lane) {
            io::SourceResult& result = (*results_)[lane];
            result.failed = false;
            result.failure.clear();
            for (auto* numbers : {&result.residual, &result.initial_residual, &result.step_time_s,
                                  &result.shift_per_s}) {
                numbers->clear();
            }
            result.iterations.clear();
            for (int solve = 0; solve < n_solves_; ++solve) {
                const viscoelastic::ShiftResult& of = solver_.solved()[solve];
                record_lane(of.lanes[lane], solve, result);
                result.step_time_s.push_back(solve == 0 ? 0.0 : std::nan(""));
                result.shift_per_s.push_back(solve == 0 ? std::nan("") : of.shift_per_s);
            }
        }
    }

    void finish() override {
        if (!groups_.range.parameters.empty()) {
            finish_range();
            return;
        }
        const viscoelastic::OrthonormalModel v = orthonormal(solver_.reduced());
        const double tolerance = context_.job.time.spectrum_tolerance;
        const bool near = solver_.error_estimate() <= kNearlyReached * tolerance;
        for (std::size_t lane = 0; lane < results_->size(); ++lane) {
            io::SourceResult& result = (*results_)[lane];
            result.spectrum_error = solver_.error_estimate();
            if (!solver_.reached() && near) {
                result.note = reached_text() + "; the values are kept";
            } else if (!solver_.reached()) {
                fail(result, reached_text() +
                                 "; take time.method stepping, an earlier time.end_s "
                                 "or a larger tolerance: relaxation times far below "
                                 "end_s can be beyond what double precision reaches");
            }
            result.reduced = record_of(v.model, groups_.relaxation, static_cast<int>(lane));
        }
        if (context_.traction != nullptr) {
            observe_fault(v);
            return;
        }
        std::vector<std::vector<double>> basis = observe(v.T, v.model.n_basis, context_.observer);
        const auto elastic = context_.observer.observe(
            solver_.elastic_displacement(), solver_.offsets(), context_.comm, context_.queue);
        for (std::size_t lane = 0; lane < results_->size(); ++lane) {
            io::SourceResult& result = (*results_)[lane];
            append_field(elastic, kLanes, lane, result);
            for (const auto& field : basis) {
                append_field(field, 1, 0, result);
            }
        }
    }

    [[nodiscard]] std::string steps_would_do() const override {
        const bool may = context_.job.time.method == TimeMethod::Auto &&
                         groups_.range.parameters.empty() &&
                         std::ranges::any_of(*results_, &io::SourceResult::failed);
        return may ? reached_text() : std::string();
    }

private:
    /// Each source's own model for the range.
    void finish_range() {
        if (!solver_.reached()) {
            for (io::SourceResult& result : *results_) {
                fail(result, range_too_wide(solver_.error_estimate()));
            }
            return;
        }
        const auto n_lanes = static_cast<int>(results_->size());
        const auto sources = solver_.source_models(n_lanes);
        const auto elastic = context_.observer.observe(
            solver_.elastic_displacement(), solver_.offsets(), context_.comm, context_.queue);
        for (std::size_t lane = 0; lane < results_->size(); ++lane) {
            io::SourceResult& result = (*results_)[lane];
            if (sources[lane].error > context_.job.time.spectrum_tolerance) {
                fail(result, range_too_wide(sources[lane].error));
            }
            result.reduced =
                record_of(sources[lane], groups_, context_.job.time.spectrum_tolerance, n_solves_);
            append_field(elastic, kLanes, lane, result);
            for (const auto& field :
                 observe(sources[lane].T, sources[lane].model.n_basis, context_.observer)) {
                append_field(field, 1, 0, result);
            }
        }
    }
    static void fail(io::SourceResult& result, std::string failure) {
        if (!result.failed) {
            result.failed = true;
            result.failure = std::move(failure);
        }
    }
    void record_shift(double time_s, double shift_per_s) {
        for (io::SourceResult& result : *results_) {
            result.step_time_s.push_back(time_s);
            result.shift_per_s.push_back(shift_per_s);
        }
    }

    /// Tractions of the elastic field and of the orthonormal basis, by the moduli that last and by
    /// those of each group at the fault: [1 + n][1 + groups][split nodes][3].
    void observe_fault(const viscoelastic::OrthonormalModel& v) {
        viscoelastic::FaultTraction& traction = *context_.traction;
        const viscoelastic::Model& model = context_.model;
        const std::vector<std::uint8_t> there = traction.materials(context_.comm);
        std::vector<std::int32_t> groups;
        std::vector<viscoelastic::ElementModuli> moduli = {model.relaxed_to(groups_.elastic())};
        for (int group = 0; group < static_cast<int>(groups_.relaxation.size()); ++group) {
            bool any = false;
            for (std::size_t material = 0; material < there.size(); ++material) {
                any = any || (there[material] != 0 && (groups_.group_of[material] == group ||
                                                       groups_.bulk_group_of[material] == group));
            }
            if (any) {
                groups.push_back(group);
                moduli.push_back(model.relaxing(groups_.only(group)));
            }
        }
        std::vector<std::vector<double>> elastic;
        std::vector<std::vector<std::vector<double>>> basis;
        for (const viscoelastic::ElementModuli& part : moduli) {
            TractionOf of(traction, part);
            elastic.push_back(
                of.observe(solver_.elastic_displacement(), {}, context_.comm, context_.queue));
            basis.push_back(observe(v.T, v.model.n_basis, of));
        }
        for (std::size_t lane = 0; lane < results_->size(); ++lane) {
            io::SourceResult& result = (*results_)[lane];
            result.fault_groups = groups;
            append_whole_traction(elastic[0], load_, traction, lane, result);
            for (std::size_t part = 1; part < moduli.size(); ++part) {
                append_traction(elastic[part], kLanes, lane, result);
            }
            for (int k = 0; k < v.model.n_basis; ++k) {
                for (const auto& of_part : basis) {
                    append_traction(of_part[k], 1, 0, result);
                }
            }
        }
    }

    /// The basis T W as it is observed, each vector [points][3]; T [n_basis][vectors of W].
    [[nodiscard]] std::vector<std::vector<double>> observe(
        const std::vector<double>& T, int n_basis, viscoelastic::Observation& observer) const {
        const int n_old = solver_.reduced().n_basis;
        std::vector<std::vector<double>> basis(n_basis);
        for (std::size_t four = 0; four < solver_.basis().size(); ++four) {
            const auto seen =
                observer.observe(solver_.basis()[four], {}, context_.comm, context_.queue);
            for (int k = 0; k < n_basis; ++k) {
                basis[k].resize(seen.size() / kLanes, 0.0);
                const double* weight = T.data() + std::size_t(k) * n_old + four * kLanes;
                for (std::size_t i = 0; i < basis[k].size(); ++i) {
                    for (int lane = 0; lane < kLanes; ++lane) {
                        basis[k][i] += weight[lane] * seen[i * kLanes + lane];
                    }
                }
            }
        }
        return basis;
    }

    [[nodiscard]] std::string reached_text() const {
        char text[240];
        std::snprintf(text, sizeof text,
                      "relaxation spectrum: after %d shifts the error may be %.3g of the largest "
                      "change, %.3g times time.spectrum_tolerance = %.3g",
                      n_solves_ - 1, solver_.error_estimate(),
                      solver_.error_estimate() / context_.job.time.spectrum_tolerance,
                      context_.job.time.spectrum_tolerance);
        return text;
    }

    [[nodiscard]] std::string range_too_wide(double error) const {
        char text[320];
        std::snprintf(text, sizeof text,
                      "ranges of viscosity: after %d solves the error may be %.2g of the largest "
                      "change, must be %.2g (time.spectrum_tolerance); what would fit is that "
                      "tolerance, fewer viscosities with a range, or narrower ranges",
                      n_solves_, error, context_.job.time.spectrum_tolerance);
        return text;
    }

    PackContext context_;
    viscoelastic::RelaxationGroups groups_;
    viscoelastic::SpectrumSolver solver_;
    PackLoad load_;
    device::Buffer<double> forces_;
    std::vector<io::SourceResult>* results_ = nullptr;
    int n_solves_ = 0;
};

}  // namespace

std::unique_ptr<PackRunner> make_spectrum_runner(const PackContext& context) {
    return std::make_unique<SpectrumRunner>(context);
}

}  // namespace kaname::jobs
