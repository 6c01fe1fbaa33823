// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/inversion/weights.hpp"
#include "solvers/io/dataset/inversion_dataset.hpp"
#include "worker/jobs/inversion/inversion_equations.hpp"
#include "worker/jobs/inversion/inversion_job.hpp"
#include "worker/jobs/inversion/invert.hpp"
#include "worker/jobs/inversion/observation_rows.hpp"

namespace kaname::jobs {

struct ModelCovariance;

/// How well a slip fits each set of observations.
struct SetFit {
    std::vector<double> residual;  ///< [datum], observed less predicted
    /// [datum] share h = a'(H + lambda R)_FF^-1 a of it that the fit follows; 0 of correlated
    /// errors.
    std::vector<double> leverage;
    double chi2 = 0.0;  ///< r'C^-1 r
    /// Observations less those that the free unknowns take up, sum (1 - a'(H + lambda R)_FF^-1 a):
    /// what chi2 comes to where standard deviations are right.
    double redundancy = 0.0;
};

/// `equations` and `values` as they were solved; `x` at weight `lambda`, whose free amounts count.
[[nodiscard]] std::vector<SetFit> fit_of_sets(const RowReader& reader, const InversionJob& job,
                                              const inversion::NormalEquations& equations,
                                              const std::vector<Eigen::VectorXd>& values,
                                              const inversion::Regulariser& regulariser,
                                              double lambda, const Eigen::VectorXd& x);

/// Standard deviations that an inversion finds by itself, repeated until they hardly change: a
/// factor for each set (variance components, Foerstner 1979: sqrt(chi2 / redundancy)), and for each
/// datum what a robust norm makes of it. At first it is Huber's: sqrt(t / 1.345) where it is off by
/// t > 1.345 of them. After redescend() it is Tukey's biweight (Beaton and Tukey 1974):
/// 1 / (1 - (t / 4.685)^2), and no weight beyond 4.685, with factors held. There t is the
/// externally studentized residual (Cook and Weisberg 1982): how far a datum is from what all the
/// others predict for it, over the standard deviation of that difference. Huber's norm leaves
/// factors that outliers have enlarged; rescale() takes them by the data that the biweight keeps.
///
/// Slip that changes within patches moves stations nearer to the fault than these are large, and no
/// slip of the patches does. Of a set whose stations show it, it is an error beside those of the
/// data, sigma^2 = (factor sigma)^2 + f^2 p^2, p by unresolved_motion(). f is found by restricted
/// maximum likelihood: both parts v of the variances obey sum v/sigma^2 (t^2 - (1 - h)) = 0, t the
/// residual over sigma and h the leverage.
class DataWeights {
public:
    /// All is 1 at first.
    explicit DataWeights(const InversionJob& job);

    /// The job with standard deviations and covariances times both, or times the sets' alone; with
    /// errors of slip within patches.
    [[nodiscard]] InversionJob weighted(const InversionJob& job) const;
    [[nodiscard]] InversionJob with_factors(const InversionJob& job) const;
    /// The job with errors of slip within patches, so that times factor() they are what they are.
    [[nodiscard]] InversionJob with_unresolved(const InversionJob& job) const;
    /// Lets slip within patches be an error from now on, of sets without correlated errors that
    /// miss stations nearer than a patch by more than five standard deviations. False: there is
    /// none.
    bool add_unresolved(const InversionJob& job, const MatchedData& matched,
                        const io::GreensDataset& greens, const std::vector<SetFit>& fit);
    /// Takes the fit of weighted(job). True: they changed by more than 1 %.
    bool update(const InversionJob& job, const std::vector<SetFit>& fit);
    /// From Huber's norm to the biweight, which has more than one solution and needs a good start.
    void redescend() { redescends_ = true; }
    /// Takes the fit of weighted(job), whose weights are the biweight's.
    void rescale(const InversionJob& job, const std::vector<SetFit>& fit);
    [[nodiscard]] double factor(std::size_t set) const { return factor_[set]; }
    /// Slip within patches as a set shows it.
    struct Unresolved {
        std::vector<double> per_metre;  ///< [datum] p; empty: it is no error
        double slip_m = 0.0;            ///< f, rms; of velocities a year
        std::string stations;           ///< those that showed it, in words
    };
    [[nodiscard]] const Unresolved& unresolved(std::size_t set) const { return unresolved_[set]; }

private:
    [[nodiscard]] double error_m(std::size_t set, std::size_t datum) const;
    /// Factors on standard deviations and on slip within patches, by data that the biweight keeps.
    struct Ratios {
        double data = 1.0, patches = 1.0;
    };
    [[nodiscard]] Ratios ratios(std::size_t set, const ObservationSet& data,
                                const SetFit& fit) const;
    void scale(std::size_t set, double by);

    std::vector<double> factor_;               ///< [set]
    std::vector<std::vector<double>> robust_;  ///< [set][datum]
    std::vector<Unresolved> unresolved_;       ///< [set]
    bool redescends_ = false;
};

/// Returns warnings on data that are fitted badly: sets whose standard deviations are far from
/// their residuals, and outliers, with figures. Outliers at stations nearer to the fault than its
/// patches are large are no errors of the data: slip that changes within a patch moves them.
[[nodiscard]] std::vector<std::string> data_warnings(const InversionJob& job,
                                                     const MatchedData& matched,
                                                     const io::GreensDataset& greens,
                                                     const std::vector<SetFit>& fit,
                                                     const DataWeights& weights);

/// Reads the Green's functions again for what the estimate x predicts: rows of each set, and
/// chi^2, weighted rms and variance reduction by set and station in the summary, with errors of the
/// structure beside those of the data.
void describe_fit(const InversionJob& job, const RowReader& reader,
                  const InversionEquations& equations, const Eigen::VectorXd& x,
                  const Nuisance& nuisance, const ModelCovariance& model, int n_slip,
                  io::InversionDataset& result, InversionSummary& summary,
                  const std::function<void(double)>& progress);

}  // namespace kaname::jobs
