// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/jobs/geometry/available_memory.hpp"
#include "solvers/jobs/greens/device_memory.hpp"
#include "solvers/jobs/greens/pack_runner.hpp"
#include "solvers/jobs/greens/reduced_record.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"

namespace kaname::jobs {

using lanes::kLanes;

namespace {

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

class SpectrumRunner final : public PackRunner {
public:
    explicit SpectrumRunner(const PackContext& context)
        : context_(context),
          groups_(
              viscoelastic::relaxation_groups(context.model.materials(), context.model.element())),
          solver_(context.model, groups_, spectrum_params(context), solver_params(context.job),
                  context.observer, context.comm, context.queue) {}

    void start(std::vector<viscoelastic::ElementOffset> offsets,
               std::vector<io::SourceResult>& results) override {
        results_ = &results;
        offsets_ = std::move(offsets);
        n_solves_ = 0;
    }

    bool advance(SolveProgress& report) override {
        if (n_solves_ == 0) {
            record_solve(solver_.start(offsets_), 0, *results_, report);
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

    void finish() override {
        if (!groups_.range.parameters.empty()) {
            finish_range();
            return;
        }
        const viscoelastic::OrthonormalModel v = orthonormal(solver_.reduced());
        const std::vector<std::vector<double>> basis = observe(v.T, v.model.n_basis);
        const auto elastic = context_.observer.observe(
            solver_.elastic_displacement(), solver_.offsets(), context_.comm, context_.queue);
        for (std::size_t lane = 0; lane < results_->size(); ++lane) {
            io::SourceResult& result = (*results_)[lane];
            fail_unless_reached(result);
            result.reduced = record_of(v.model, groups_.relaxation, static_cast<int>(lane));
            append_field(elastic, kLanes, lane, result);
            for (const auto& field : basis) {
                append_field(field, 1, 0, result);
            }
        }
    }

private:
    /// Each source's own model for the range.
    void finish_range() {
        const auto n_lanes = static_cast<int>(results_->size());
        const auto sources = solver_.source_models(n_lanes);
        const auto elastic = context_.observer.observe(
            solver_.elastic_displacement(), solver_.offsets(), context_.comm, context_.queue);
        for (std::size_t lane = 0; lane < results_->size(); ++lane) {
            io::SourceResult& result = (*results_)[lane];
            fail_unless_reached(result);
            result.reduced =
                record_of(sources[lane], groups_, context_.job.time.spectrum_tolerance, n_solves_);
            append_field(elastic, kLanes, lane, result);
            for (const auto& field : observe(sources[lane].T, sources[lane].model.n_basis)) {
                append_field(field, 1, 0, result);
            }
        }
    }
    void fail_unless_reached(io::SourceResult& result) const {
        if (!solver_.reached() && !result.failed) {
            result.failed = true;
            result.failure = groups_.range.parameters.empty() ? not_reached() : range_too_wide();
        }
    }
    void record_shift(double time_s, double shift_per_s) {
        for (io::SourceResult& result : *results_) {
            result.step_time_s.push_back(time_s);
            result.shift_per_s.push_back(shift_per_s);
        }
    }

    /// The basis T W at the points, each vector [points][3]; T [n_basis][vectors of W].
    [[nodiscard]] std::vector<std::vector<double>> observe(const std::vector<double>& T,
                                                           int n_basis) const {
        const int n_old = solver_.reduced().n_basis;
        std::vector<std::vector<double>> basis(
            n_basis, std::vector<double>(context_.observer.n_points() * 3, 0.0));
        for (std::size_t four = 0; four < solver_.basis().size(); ++four) {
            const auto seen =
                context_.observer.observe(solver_.basis()[four], {}, context_.comm, context_.queue);
            for (int k = 0; k < n_basis; ++k) {
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

    [[nodiscard]] std::string not_reached() const {
        char text[320];
        std::snprintf(text, sizeof text,
                      "relaxation spectrum: the error may be %.2g of the largest change after %d "
                      "shifts, must be %.2g (time.spectrum_tolerance); take time.method stepping, "
                      "an earlier time.end_s or a larger tolerance: relaxation times far "
                      "below end_s can be beyond what double precision reaches",
                      solver_.error_estimate(), n_solves_ - 1,
                      context_.job.time.spectrum_tolerance);
        return text;
    }

    [[nodiscard]] std::string range_too_wide() const {
        char text[320];
        std::snprintf(text, sizeof text,
                      "ranges of viscosity: after %d solves the error may be %.2g of the largest "
                      "change, must be %.2g (time.spectrum_tolerance); what would fit is that "
                      "tolerance, fewer viscosities with a range, or narrower ranges",
                      n_solves_, solver_.error_estimate(), context_.job.time.spectrum_tolerance);
        return text;
    }

    PackContext context_;
    viscoelastic::RelaxationGroups groups_;
    viscoelastic::SpectrumSolver solver_;
    std::vector<viscoelastic::ElementOffset> offsets_;
    std::vector<io::SourceResult>* results_ = nullptr;
    int n_solves_ = 0;
};

}  // namespace

std::unique_ptr<PackRunner> make_spectrum_runner(const PackContext& context) {
    return std::make_unique<SpectrumRunner>(context);
}

}  // namespace kaname::jobs
