// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <complex>
#include <span>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/viscoelastic/spectrum/rheology_range.hpp"
#include "worker/jobs/greens/reduced_record.hpp"
#include "worker/jobs/greens/step_response.hpp"

namespace kaname::jobs {

/// Epochs under a slip history as sums over Laplace shifts, the same for all sources and
/// rheologies. With the inverse transform U(t) = Re sum_k w_k(t) s_k U(s_k) of the answer to a
/// step, whose transform times s is the elastic problem's answer at the shift s (LaplaceContour),
///   u(epoch) = sum_i slip_i U(lag_i) = Re sum_k W_k(epoch) [s U](s_k)  (SourceTimeFunction::parts)
class AnswerTimes {
public:
    /// Slip that begins at a time and grows from then on, times `scale`.
    struct Onset {
        double begin_s, scale;
        SourceTimeFunction history;
    };
    /// `fastest_per_s`: the fastest rate that U has, 0 for none.
    AnswerTimes(std::span<const double> epochs_s, const SourceTimeFunction& history,
                double fastest_per_s);
    /// As that, of the sum over onsets. An epoch at an onset is after it.
    AnswerTimes(std::span<const double> epochs_s, std::span<const Onset> onsets,
                double fastest_per_s);

    [[nodiscard]] std::span<const double> epochs_s() const { return epochs_s_; }
    /// [epochs] slip by then, of 1 in all.
    [[nodiscard]] std::span<const double> slip() const { return slip_; }
    [[nodiscard]] std::span<const std::complex<double>> shifts() const { return shifts_; }
    /// W [epochs][shifts].
    [[nodiscard]] std::span<const std::complex<double>> weights() const { return weights_; }

private:
    std::vector<double> epochs_s_, slip_;
    std::vector<std::complex<double>> shifts_, weights_;
};

/// A dataset whose viscosities have ranges, kept to answer for any of them: no mesh, no solve
/// (docs/theory/viscoelastic.md, "Ranges of viscosity"). The models that it keeps are of a step in
/// slip, so that any history follows from them.
class Answers {
public:
    using Rheology = std::span<const viscoelastic::Relaxation>;  ///< [groups], of rheology()
    /// Some sources: from the first to before the last.
    struct Sources {
        std::size_t first, last;
    };

    /// Throws InvalidArgument for a dataset without ranges.
    explicit Answers(io::GreensDataset dataset);

    /// Without its Green's functions, which are the reference's.
    [[nodiscard]] const io::GreensDataset& dataset() const { return dataset_; }
    [[nodiscard]] const std::vector<viscoelastic::ViscosityParameter>& parameters() const {
        return range_.parameters;
    }
    [[nodiscard]] double end_s() const { return end_s_; }
    [[nodiscard]] Sources all() const { return {0, dataset_.sources.size()}; }
    /// Throws as viscoelastic::named_rheology.
    [[nodiscard]] viscoelastic::NamedRheology rheology(
        const viscoelastic::NamedNumbers& said) const {
        return viscoelastic::named_rheology(range_, said, end_s_);
    }
    /// Epochs 0 .. end_s(); throws InvalidArgument for others, or where they do not increase.
    [[nodiscard]] AnswerTimes times(std::span<const double> epochs_s,
                                    const SourceTimeFunction& history) const;
    [[nodiscard]] AnswerTimes times(std::span<const double> epochs_s,
                                    std::span<const AnswerTimes::Onset> onsets) const;
    /// Returns true if a row of a scenario's dataset is the sum of its events.
    [[nodiscard]] bool is_sum(std::size_t source) const;

    /// Returns motion [sources][epochs][stations][3], m per m of slip, or m of events and of their
    /// sum; NaN where a source is missing. `of_each`: the times of all sources, or of each.
    [[nodiscard]] std::vector<double> at(Rheology relaxation, std::span<const AnswerTimes> of_each,
                                         Sources sources) const;
    [[nodiscard]] std::vector<double> at(Rheology relaxation, const AnswerTimes& times,
                                         Sources sources) const {
        return at(relaxation, std::span(&times, 1), sources);
    }
    /// Sums the motion over all sources with their slip [m], or over events, each times its factor;
    /// that of a sum is one of every event. [epochs][stations][3] in m, NaN where a source that
    /// slips is missing.
    [[nodiscard]] std::vector<double> sum(Rheology relaxation, std::span<const AnswerTimes> of_each,
                                          std::span<const double> slip_m) const;
    [[nodiscard]] std::vector<double> sum(Rheology relaxation, const AnswerTimes& times,
                                          std::span<const double> slip_m) const {
        return sum(relaxation, std::span(&times, 1), slip_m);
    }
    /// Returns the largest certified error of these sources, relative to the largest change of that
    /// source's motion after a step in slip. Throws InvalidArgument for a body other than the
    /// request's whose error is above kMostOfOtherBody tolerances of the solve: the model
    /// does not answer for it.
    [[nodiscard]] double error(const viscoelastic::NamedRheology& rheology, Sources sources) const;
    static constexpr double kMostOfOtherBody = 10.0;

private:
    /// Weights of the fields of a source, [epochs][1 + n].
    [[nodiscard]] std::vector<double> rows(std::size_t source, Rheology relaxation,
                                           const AnswerTimes& times) const;
    [[nodiscard]] double fastest_per_s() const;
    [[nodiscard]] bool is_there(std::size_t source) const {
        return !stored_[source].range.laws.empty();
    }

    io::GreensDataset dataset_;
    std::vector<StoredRange> stored_;    ///< [sources]; n_basis 0 where one is missing
    viscoelastic::RheologyRange range_;  ///< of all sources
    double end_s_ = 0.0, tolerance_ = 0.0;
};

}  // namespace kaname::jobs
