// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "worker/jobs/inversion/inversion_job.hpp"

namespace kaname::jobs {

/// InversionSummary holds the results of an inversion for reports; all numbers are in the file that
/// invert() writes.
struct InversionSummary {
    struct Set {
        std::string name;
        int observations = 0, stations = 0;
        double chi2_per_observation = 0.0, rms_m = 0.0, variance_reduction = 0.0;
        double sigma_factor = 1.0;  ///< on its standard deviations, where it was estimated
        std::vector<std::string> nuisance_names;
        std::vector<double> nuisance;
        double model_error_ratio = 0.0;  ///< rms of the model errors over its stated deviations
    };
    struct Window {
        std::string name;
        double moment_n_m = 0.0, moment_magnitude = 0.0, largest_slip_m = 0.0;
        std::string largest_at;  ///< patch
    };
    struct Station {
        std::string set, station;
        double chi2_per_observation = 0.0, rms_m = 0.0;
    };
    struct Reference {
        double moment_magnitude = 0.0, correlation = 0.0, rms_m = 0.0;
    };
    /// 95 % of the draws lie from low to high.
    struct Interval {
        double low = 0.0, median = 0.0, high = 0.0;
    };
    struct Posterior {
        struct Part {
            std::string name;
            Interval moment_n_m;
        };
        struct Window {
            std::string name;
            Interval moment_n_m, moment_magnitude;
            std::vector<Part> parts;
            Interval sigma_m, length_m;  ///< of the field and of its correlation
        };
        std::vector<Window> windows;
        std::vector<Interval> factors;  ///< [set] on its stated standard deviations
        struct Theta {
            std::string name;
            double from_pa_s = 0.0, to_pa_s = 0.0;  ///< the range that it was sampled in
            Interval viscosity_pa_s;
        };
        std::vector<Theta> theta;
        double effective_theta = 0.0, acceptance = 0.0;  ///< fewest; part of the steps taken
        /// Largest at some draws: of the data, in standard deviations; of the reduced model.
        double interpolation_error = 0.0, certified_error = 0.0;
        int chains = 0, iterations = 0, most_iterations = 0;  ///< done, and asked for
        double effective_slip = 0.0, effective_moment = 0.0, effective_lambda = 0.0;
        double fewest_effective = 0.0, r_hat = 0.0;  ///< of all numbers; the largest
        bool converged = false;
        double seconds = 0.0;
    };
    /// Slip whose rate varies.
    struct History {
        int steps = 0;
        double largest_moment_rate = 0.0, sigma_moment_rate = 0.0;  ///< N m/year
        double begin_s = 0.0, end_s = 0.0;                          ///< of the step that has it
    };
    /// How large the errors of the structure are, and how the rounds went.
    struct ModelErrors {
        /// Slip was found with the covariance at the slip of the round before.
        struct Round {
            double moment_n_m = 0.0;         ///< of all windows, rates' a year
            double moment_change = 0.0;      ///< from the round before, over this one
            double trace_ratio = 0.0;        ///< of C_p, over that of the stated errors of the data
            double covariance_change = 0.0;  ///< from the round before, in Frobenius' norm
        };
        int members = 0, rank = 0;
        double off_centre = 0.0;  ///< of the dataset among them, in their standard deviations
        std::vector<Round> rounds, posterior_rounds;
    };
    std::vector<Set> sets;
    std::vector<Window> windows;
    std::vector<Station> stations;
    std::string choice;
    double smoothness = 0.0, sparsity = 0.0, score = 0.0;
    std::vector<std::string> missing;  ///< sources that the dataset lacks
    std::vector<std::string> warnings;
    std::optional<Reference> reference;
    std::optional<Posterior> posterior;
    std::optional<History> history;
    std::optional<ModelErrors> model_errors;
    int unknowns = 0, observations = 0;
    double seconds = 0.0;
};

struct InversionProgress {
    double fraction = 0.0;
    std::string text;
};

/// Slip from observations with the Green's functions of `greens` (greens.h5), written to `out`
/// (inversion.h5; docs/user/inversion.md lists its variables) when it is complete; chains of a
/// posterior are kept as `out`.posterior until then, for a run that is interrupted. `report`, if
/// any, makes the text that is kept in it of what was found (but for `seconds`). Throws
/// ValidationError with every station, epoch and unit that does not fit the dataset, and as
/// read_greens_dataset.
[[nodiscard]] InversionSummary invert(
    const InversionJob& job, const std::string& greens, const std::string& out,
    const std::function<void(const InversionProgress&)>& progress,
    const std::function<std::string(const InversionSummary&)>& report = {});

}  // namespace kaname::jobs
