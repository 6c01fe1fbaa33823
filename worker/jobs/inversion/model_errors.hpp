// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "worker/jobs/inversion/data_weights.hpp"
#include "worker/jobs/inversion/inversion_job.hpp"
#include "worker/jobs/inversion/observation_rows.hpp"

namespace kaname::jobs {

/// ModelCovariance is the covariance of the errors of the structure at the data, C_p = U U': the
/// covariance over datasets of other structures of the motion by one slip (Duputel and others
/// 2014, doi:10.1093/gji/ggt517). It couples all sets.
struct ModelCovariance {
    std::vector<Eigen::MatrixXd> columns;  ///< [set] U [datum][rank], in the data's unit
    /// rms over the data of the motion by the inversion's own dataset less the mean of the others,
    /// in their standard deviations: about 1 where it is one of them.
    double off_centre = 0.0;

    /// Returns 0 where there are no errors of the structure.
    [[nodiscard]] Eigen::Index rank() const { return columns.empty() ? 0 : columns[0].cols(); }
    /// Returns the standard deviation of the errors of a datum.
    [[nodiscard]] double sigma(std::size_t set, std::size_t datum) const;
    /// Returns the trace over that of the data's own variances.
    [[nodiscard]] double trace_ratio(const InversionJob& job) const;
    /// Returns the rms of sigma over the standard deviations of a set.
    [[nodiscard]] double ratio(std::size_t set, const ObservationSet& data) const;
};

/// Returns |C_p - C_p before| / |C_p| in Frobenius' norm; 1 where there was none before, 0 where
/// there is none now.
[[nodiscard]] double relative_change(const ModelCovariance& now, const ModelCovariance& before);

/// Returns r'(C + U U')^-1 r of one set's residuals [datum], C the covariance of its data.
[[nodiscard]] double misfit_with(const ObservationSet& set, const Eigen::MatrixXd& columns,
                                 const Eigen::VectorXd& residuals);

/// fit_of_sets() of an estimate; errors of the structure are taken as their most likely values, and
/// take up data as the other unknowns do. So factors of sets are those of the errors of the data
/// alone. `job` as the estimate was made with.
[[nodiscard]] std::vector<SetFit> fit_of(const Estimate& estimate, const RowReader& reader,
                                         const InversionJob& job,
                                         const inversion::Regulariser& regulariser);

/// StructureEnsemble holds the datasets of other structures of an inversion.
class StructureEnsemble {
public:
    /// Borrows all arguments; they must outlive it. Reads what the datasets are of, without their
    /// values. Throws ValidationError naming each that differs from `greens` in sources, stations
    /// or epochs, or lacks a source that `greens` has, and what differs first.
    StructureEnsemble(const InversionJob& job, const std::string& greens_path,
                      const io::GreensDataset& greens, const MatchedData& matched,
                      const SlipAmounts& amounts);

    [[nodiscard]] std::size_t size() const { return job_.model_errors->datasets.size(); }
    /// Reads each dataset once. `slip` [window source] as of SlipAmounts::slip_of_sources().
    [[nodiscard]] ModelCovariance at(const std::vector<double>& slip,
                                     const std::function<void(double)>& progress) const;

private:
    [[nodiscard]] Eigen::VectorXd motion(const std::string& path,
                                         const std::vector<double>& slip) const;

    const InversionJob& job_;
    const std::string& greens_path_;
    const io::GreensDataset& greens_;
    const MatchedData& matched_;
    const SlipAmounts& amounts_;
    const Nuisance none_;
};

/// Standard deviation of the motion at `away_m` from patches of `size_m` by slip that changes
/// within them, for each m of its rms: sqrt(E_2(2 pi away / size)) / 2. Slip of the wavenumber k
/// moves rock at the distance r from it by exp(-k r) / 2, and jumps of slip have the spectrum k^-2,
/// here from the smallest k that patches do not follow, pi / size.
[[nodiscard]] double unresolved_motion(double away_m, double size_m);

/// Rows of the data, with columns of the errors of the structure behind those of slip and
/// measuring.
struct DataRows {
    const ModelCovariance model;
    const Nuisance nuisance;
    const RowReader reader;

    DataRows(ModelCovariance errors, const std::string& path, const io::GreensDataset& greens,
             const InversionJob& job, const MatchedData& matched, const SlipAmounts& amounts)
        : model(std::move(errors)),
          nuisance(job.sets, model.columns),
          reader(path, greens, job, matched, amounts, nuisance) {}
};

/// Slip with one covariance of the errors of the structure, and what was found with it.
struct Found {
    std::unique_ptr<DataRows> rows;
    DataWeights weights;
    Estimate estimate;
    std::vector<SetFit> fit;
};

/// Finds slip and, where the job asks for them, factors on the standard deviations of sets and of
/// outliers, in rounds until these hardly change. By least squares of data that were observed, slip
/// within patches is an error where stations show it. `progress` as of estimate_slip().
[[nodiscard]] Found find_slip(std::unique_ptr<DataRows> rows, const InversionJob& job,
                              const MatchedData& matched, const io::GreensDataset& greens,
                              const EquationsWanted& wanted,
                              const inversion::Regulariser& regulariser,
                              const std::function<void(double, const char*)>& progress);

/// Sums the moments of all windows by amounts m; those of rates are a year's [N m].
[[nodiscard]] double moment_of(const InversionJob& job, const SlipAmounts& amounts,
                               const io::GreensDataset& greens, const Eigen::VectorXd& m);

/// Describes a round whose slip has this moment, with errors `now`, after one with `before`.
[[nodiscard]] InversionSummary::ModelErrors::Round round_of(const ModelCovariance& now,
                                                            const ModelCovariance& before,
                                                            const InversionJob& job, double moment,
                                                            double moment_before);

/// Warns of too few datasets, of rounds that have not settled, and of a dataset of the inversion
/// that lies outside of the others.
[[nodiscard]] std::vector<std::string> model_error_warnings(
    const InversionSummary::ModelErrors& errors);

/// Returns warnings of a posterior that has not converged, and of one of so few stations that it
/// says more of the prior than of the data.
[[nodiscard]] std::vector<std::string> posterior_warnings(
    const InversionJob& job, const InversionSummary::Posterior& posterior);

}  // namespace kaname::jobs
