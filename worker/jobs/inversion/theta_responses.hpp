// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solvers/posterior/response_family.hpp"
#include "worker/jobs/greens/answer.hpp"
#include "worker/jobs/inversion/observation_rows.hpp"

namespace kaname::jobs {

/// ThetaResponses has the response of all observations to the amounts of slip for any of the
/// viscosities that job.posterior->theta names, within their ranges: answers of the dataset's
/// reduced models (docs/theory/viscoelastic_time.md, "Ranges of viscosity") at the very ages that
/// steps of slip have at the epochs of the data, on a Chebyshev grid in log viscosity. Other
/// viscosities are the dataset's references.
class ThetaResponses {
public:
    /// Parts of an inversion that are there already; they are borrowed, and outlive the responses.
    struct Parts {
        const InversionJob& job;
        const std::string& greens_path;
        const io::GreensDataset& greens;
        const MatchedData& matched;
        const SlipAmounts& amounts;
        const Nuisance& nuisance;
        const std::vector<Eigen::VectorXd>& values;  ///< [set][datum]
    };
    /// Answers at all nodes; `progress` gets the part done. Throws InvalidArgument: a dataset
    /// without ranges, a name that is none of its viscosities, a source without a reduced model.
    ThetaResponses(const Parts& parts, const std::function<void(double)>& progress);

    [[nodiscard]] const posterior::ResponseFamily& family() const { return family_; }
    /// x [theta] in [-1, 1] as viscosities [theta] in Pa s, evenly in their logarithms.
    [[nodiscard]] std::vector<double> viscosities_pa_s(std::span<const double> x) const;

    /// Errors of the responses at x, for amounts m.
    struct Check {
        double interpolation = 0.0;  ///< rms over the data, in standard deviations
        double certified = 0.0;      ///< of the reduced model, over the largest change
    };
    [[nodiscard]] Check check(std::span<const double> x, const Eigen::VectorXd& m) const;

    /// Points of each parameter's grid unless the request says it; [theta - 1].
    static constexpr int kNodes[] = {13, 9, 7, 5};

private:
    [[nodiscard]] viscoelastic::NamedRheology rheology(std::span<const double> x) const;
    /// Whitened rows of each set [data][amounts, then nuisance].
    [[nodiscard]] std::vector<inversion::Rows> rows_at(std::span<const double> x) const;

    Parts parts_;
    Answers answers_;
    std::vector<viscoelastic::ViscosityParameter> theta_;
    io::GreensDataset at_ages_;  ///< the dataset with the ages that are needed as its epochs
    AnswerTimes times_;
    std::vector<Eigen::MatrixXd> factor_;  ///< [set] Cholesky factor of a covariance, or none
    std::vector<posterior::ResponseBasis> bases_;
    posterior::ResponseFamily family_;
};

}  // namespace kaname::jobs
