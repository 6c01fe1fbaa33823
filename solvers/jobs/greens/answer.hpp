// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/jobs/greens/answer_times.hpp"
#include "solvers/jobs/greens/reduced_record.hpp"
#include "solvers/viscoelastic/spectrum/named_rheology.hpp"

namespace kaname::jobs {

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

    /// Motion [sources][epochs][stations][3], m per m of slip; NaN where a source is missing.
    [[nodiscard]] std::vector<double> at(Rheology relaxation, const AnswerTimes& times,
                                         Sources sources) const;
    /// Sums the motion over all sources with their slip [m]; [epochs][stations][3] in m, NaN where
    /// a source that slips is missing.
    [[nodiscard]] std::vector<double> sum(Rheology relaxation, const AnswerTimes& times,
                                          std::span<const double> slip_m) const;
    /// Returns the largest certified error of these sources, relative to the largest change of that
    /// source's motion after a step in slip. Throws InvalidArgument for a body other than the
    /// specification's whose error is above kMostOfOtherBody tolerances of the solve: the model
    /// does not answer for it.
    [[nodiscard]] double error(const viscoelastic::NamedRheology& rheology, Sources sources) const;
    static constexpr double kMostOfOtherBody = 10.0;

private:
    /// Weights of the fields of a source, [epochs][1 + n].
    [[nodiscard]] std::vector<double> rows(std::size_t source, Rheology relaxation,
                                           const AnswerTimes& times) const;
    [[nodiscard]] bool is_there(std::size_t source) const {
        return !stored_[source].range.laws.empty();
    }

    io::GreensDataset dataset_;
    std::vector<StoredRange> stored_;    ///< [sources]; n_basis 0 where one is missing
    viscoelastic::RheologyRange range_;  ///< of all sources
    double end_s_ = 0.0, tolerance_ = 0.0;
};

}  // namespace kaname::jobs
