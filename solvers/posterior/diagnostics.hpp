// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace kaname::posterior {

/// How well chains of one number stand for its distribution.
struct Diagnostics {
    double effective = 0.0;  ///< effective samples of all chains together
    double r_hat = 1.0;      ///< split R-hat: 1 where halves of all chains agree
};

/// Split R-hat and effective samples of chains of equal length, at least four draws each (Gelman et
/// al. 2013, Bayesian Data Analysis, sections 11.4 and 11.5): each chain is split in two halves;
/// autocorrelations of halves are combined with the variance between them, and summed over pairs as
/// long as these are positive and fall (Geyer 1992, doi:10.1214/ss/1177011137). A number that
/// never changes counts in full.
[[nodiscard]] Diagnostics diagnose(std::span<const std::vector<double>> chains);

/// Returns the quantiles at `parts` (0 to 1) of values, by linear interpolation; values are sorted.
[[nodiscard]] std::vector<double> quantiles(std::vector<double>& values,
                                            std::span<const double> parts);

}  // namespace kaname::posterior
