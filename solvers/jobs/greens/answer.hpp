// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/jobs/greens/reduced_record.hpp"

namespace kaname::jobs {

/// A dataset whose viscosities have ranges, kept to answer for any of them: no mesh, no solve
/// (docs/theory/viscoelastic.md, "Ranges of viscosity").
class Answers {
public:
    /// Throws InvalidArgument for a dataset without ranges, or whose slip is no step in time.
    explicit Answers(io::GreensDataset dataset);

    [[nodiscard]] const io::GreensDataset& dataset() const { return dataset_; }
    [[nodiscard]] const std::vector<viscoelastic::ViscosityParameter>& parameters() const {
        return range_.parameters;
    }
    /// Viscosities [parameters] with those of `named` in place of the reference. Throws
    /// InvalidArgument for a name that is no parameter, or a value outside of its range.
    [[nodiscard]] std::vector<double> viscosities(
        std::span<const std::pair<std::string, double>> named) const;

    /// Motion [sources][epochs][stations][3] for viscosities [parameters], m per m of slip; NaN
    /// where a source is missing. Epochs 0 .. the end of the solve; throws InvalidArgument for
    /// others.
    [[nodiscard]] std::vector<double> at(std::span<const double> viscosities_pa_s,
                                         std::span<const double> epochs_s) const;
    /// The same summed over the sources with their slip [m], [epochs][stations][3] in m; NaN where
    /// a source that slips is missing.
    [[nodiscard]] std::vector<double> sum(std::span<const double> viscosities_pa_s,
                                          std::span<const double> epochs_s,
                                          std::span<const double> slip_m) const;
    /// The certified error of the worst source, over the largest change of its motion.
    [[nodiscard]] double error(std::span<const double> viscosities_pa_s) const;

private:
    /// Weights of the fields of a source, [epochs][1 + n].
    [[nodiscard]] std::vector<double> rows(std::size_t source,
                                           std::span<const double> viscosities_pa_s,
                                           std::span<const double> epochs_s) const;
    [[nodiscard]] bool is_there(std::size_t source) const {
        return !stored_[source].range.laws.empty();
    }

    io::GreensDataset dataset_;
    std::vector<StoredRange> stored_;    ///< [sources]; n_basis 0 where one is missing
    viscoelastic::RheologyRange range_;  ///< of all sources
    double end_s_ = 0.0;
};

}  // namespace kaname::jobs
