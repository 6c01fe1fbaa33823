// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "solvers/p2/predictors/data_driven.hpp"
#include "solvers/p2/predictors/increment_history.hpp"
#include "solvers/p2/predictors/projection.hpp"
#include "solvers/viscoelastic/model/model.hpp"
#include "solvers/viscoelastic/stepping/predictor_kind.hpp"

namespace kaname::viscoelastic {

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

}  // namespace kaname::viscoelastic
