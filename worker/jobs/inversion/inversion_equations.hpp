// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/inversion/weights.hpp"
#include "solvers/io/dataset/inversion_dataset.hpp"
#include "worker/jobs/inversion/observation_rows.hpp"

namespace kaname::jobs {

/// Normal equations of all observations, in folds and in groups of stations within them.
struct InversionEquations {
    inversion::FoldedEquations folded;               ///< test is empty without cross-validation
    std::vector<inversion::NormalEquations> groups;  ///< for the bootstrap, else empty
    std::vector<Eigen::VectorXd> values;  ///< [set][datum] what was observed, or synthetic
    std::vector<double> chi2_of_zero;     ///< [set] d'C^-1 d
};

struct EquationsWanted {
    int folds = 0;  ///< 0: none
    bool groups = false;
    std::vector<double> synthetic_slip;  ///< [window source]; empty: the data's own values
    bool noise = false;
    std::uint64_t seed = 1;
};

/// Reads the Green's functions once. Throws InvalidArgument: more folds than stations, a bootstrap
/// of correlated data.
[[nodiscard]] InversionEquations collect_equations(const RowReader& reader, const InversionJob& job,
                                                   const EquationsWanted& wanted, int n_unknowns,
                                                   const std::function<void(double)>& progress);

/// Normal equations of each set by itself [set], of `values` as they were solved; all unknowns.
[[nodiscard]] std::vector<inversion::NormalEquations> equations_of_sets(
    const RowReader& reader, const InversionJob& job, const std::vector<Eigen::VectorXd>& values,
    int n_unknowns);

/// Lower Cholesky factor of a set's covariance [data][data]; of a set without correlation empty.
/// Throws InvalidArgument naming the set when it is not positive definite.
[[nodiscard]] Eigen::MatrixXd covariance_of(const ObservationSet& set);

/// Names rows whose errors a set's covariance takes for nearly the same, so that their difference
/// counts far more than their standard deviations say; empty where there are none.
[[nodiscard]] std::string near_singular_rows(const ObservationSet& set,
                                             const Eigen::MatrixXd& covariance);

/// Rows of a set as they were observed, without predictions.
[[nodiscard]] io::InversionDataset::Set described_set(const ObservationSet& set);

/// Indices of the weights that were chosen, and the score of them.
struct WeightChoice {
    std::size_t smoothness = 0, sparsity = 0;
    double score = 0.0;  ///< NaN where the choice has none
};

/// Slip with the standard deviations of a job, and what it was found with.
struct Estimate {
    InversionEquations equations;            ///< errors that all sets have in common integrated out
    inversion::NormalEquations with_errors;  ///< those errors still unknowns; empty: there are none
    inversion::WeightGrid grid;              ///< in the units of the equations
    inversion::WeightScale scale;
    inversion::WeightScores scores;
    WeightChoice chosen;
    double lambda = 0.0, alpha = 0.0;
    Eigen::VectorXd x;  ///< [n_unknowns]
};

/// Slip with weights of the job's choice. `n_unknowns` are those of slip and measuring, `n_errors`
/// the errors N(0, 1) behind them in the reader's rows. `progress` gets the part done and what is
/// going on. Throws as collect_equations(), and InvalidArgument for a bootstrap with errors.
[[nodiscard]] Estimate estimate_slip(const InversionJob& job, const RowReader& reader,
                                     const EquationsWanted& wanted,
                                     const inversion::Regulariser& regulariser, int n_unknowns,
                                     int n_errors,
                                     const std::function<void(double, const char*)>& progress);

/// Returns the word of the request.
[[nodiscard]] const char* name_of_choice(Regularisation::Choice choice);

/// Warns of a weight at the end of those that were tried, which may not be the best one.
[[nodiscard]] std::vector<std::string> weight_warnings(const Regularisation& rules,
                                                       const WeightChoice& chosen);

}  // namespace kaname::jobs
