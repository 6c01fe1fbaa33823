// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solvers/inversion/normal_equations.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/jobs/inversion/match_stations.hpp"
#include "solvers/jobs/inversion/slip_amounts.hpp"

namespace kaname::jobs {

/// Rows of the design matrix of some observations: of the slip amounts [n], then of the nuisance.
struct ObservationRows {
    struct Place {
        int set = 0, datum = 0;
    };
    std::vector<Place> place;  ///< [row]
    inversion::Rows rows;      ///< [row][amounts + nuisance], not whitened
    /// [row] motion by known slip [window source], where one was given.
    Eigen::VectorXd known;
};

/// Reads the Green's functions of a dataset once, some stations at a time, and makes the rows of
/// all observations of these: memory is that of a block of stations.
class RowReader {
public:
    /// Borrows all arguments but the path; they must outlive the reader. Throws ValidationError
    /// naming rows whose epochs the dataset does not span.
    RowReader(std::string greens_path, const io::GreensDataset& greens, const InversionJob& job,
              const MatchedData& matched, const SlipAmounts& amounts, const Nuisance& nuisance);

    /// visit(rows of a block, part done).
    void for_each(std::span<const double> known_slip,
                  const std::function<void(const ObservationRows&, double)>& visit) const;

private:
    struct Weight {
        int epoch = 0;
        double factor = 0.0;
    };
    /// [window] weights of epochs for one pair of epochs.
    using Response = std::vector<std::vector<Weight>>;

    [[nodiscard]] Response response_of(const Datum& datum, bool velocity) const;
    void fill(std::span<const double> block, std::size_t width, std::size_t at,
              std::span<const double> known_slip, ObservationRows& rows, Eigen::Index row) const;

    const std::string path_;
    const io::GreensDataset& greens_;
    const InversionJob& job_;
    const MatchedData& matched_;
    const SlipAmounts& amounts_;
    const Nuisance& nuisance_;
    std::vector<Response> responses_;
    std::vector<std::vector<int>> response_;                       ///< [set][datum]
    std::vector<std::vector<ObservationRows::Place>> of_station_;  ///< [station]
};

}  // namespace kaname::jobs
