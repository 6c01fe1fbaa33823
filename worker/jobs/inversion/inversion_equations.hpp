// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/inversion/weights.hpp"
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

}  // namespace kaname::jobs
