// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "solvers/p2/predictors/data_driven.hpp"
#include "solvers/p2/predictors/predictor.hpp"
#include "solvers/p2/predictors/projection.hpp"
#include "solvers/viscoelastic/model/model.hpp"

namespace kaname::viscoelastic {

/// First guesses of a time step.
enum class PredictorKind {
    None,
    Previous,
    Ab2,
    Cubic,
    DataDriven,           ///< its truncation follows the solver's tolerance
    DataDrivenPublished,  ///< no truncation, no second guess, waits for all of its history
    Projection
};

/// A polynomial or, when set, one of the predictors with a longer memory.
struct PredictorParams {
    PredictorParams(predictors::Polynomial plain) : polynomial(plain) {}
    PredictorParams(const predictors::DataDrivenParams& params) : data_driven(params) {}
    PredictorParams(const predictors::ProjectionParams& params) : projection(params) {}

    predictors::Polynomial polynomial = predictors::Polynomial::Cubic;
    std::optional<predictors::DataDrivenParams> data_driven;
    std::optional<predictors::ProjectionParams> projection;
    /// About; of the data-driven predictor. Murakami et al. (2023) have 25,745 numbers in a
    /// subdomain (section 4.1), or 4.2e9 unknowns in 163,840.
    int nodes_per_subdomain = 8600;
};

/// The parameters of a kind of predictor, for a solver's tolerance.
[[nodiscard]] PredictorParams predictor_params(PredictorKind kind, double tolerance);

/// Owned nodes of this rank in the parts of a partition of its elements (METIS where there is).
[[nodiscard]] predictors::Subdomains subdomains(const Model& model, int nodes_per_subdomain);

[[nodiscard]] std::unique_ptr<predictors::Predictor> make_predictor(const PredictorParams& params,
                                                                    const Model& model,
                                                                    comm::Comm& comm,
                                                                    device::Queue& queue);

/// Time grid: the coseismic response at t = 0, then n_steps steps of dt_s, then those of `later`.
struct TimeGrid {
    struct Run {
        double dt_s;
        int n_steps;
    };
    double dt_s = 0.0;
    int n_steps = 0;
    double alpha = 0.5;           ///< generalised trapezoidal rule, [1/2, 1]
    std::vector<Run> later = {};  ///< each change of dt_s costs a new stiffness matrix

    [[nodiscard]] int total_steps() const;
    /// [total_steps() + 1], from 0.
    [[nodiscard]] std::vector<double> times_s() const;
    /// Length of step 1, 2, ...
    [[nodiscard]] double step_s(int step) const;
    /// Itself. Throws InvalidArgument for a length <= 0 where there are steps, alpha outside [1/2,
    /// 1].
    [[nodiscard]] const TimeGrid& checked() const;
};

}  // namespace kaname::viscoelastic
