// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solvers/inversion/normal_equations.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "worker/jobs/inversion/inversion_job.hpp"
#include "worker/jobs/inversion/slip_amounts.hpp"

namespace kaname::jobs {

/// Which station of the dataset each datum is of.
struct MatchedData {
    std::vector<std::vector<int>> station;  ///< [set][datum]
    std::vector<std::string> warnings;
};

/// By id; rows whose id the dataset does not have take the station nearest to their place, if it
/// lies within the set's match_distance_m. Throws ValidationError with every row that finds none,
/// naming the nearest, and every id whose places lie more than 5 km apart.
[[nodiscard]] MatchedData match_stations(const std::vector<ObservationSet>& sets,
                                         const io::GreensDataset& greens);

/// Great-circle distance on a sphere of 6371 km [m] (haversine formula).
[[nodiscard]] double distance_m(double lon_a_deg, double lat_a_deg, double lon_b_deg,
                                double lat_b_deg);

/// Unknowns of the measuring, b, of all sets after one another: d = G m + N b + e. Behind them come
/// errors a that all sets have in common, d = G m + N b + U a + e, where there are any.
class Nuisance {
public:
    /// `errors` [set]: U [datum][errors], or none. Throws ValidationError where a set cannot have
    /// what it asks for.
    explicit Nuisance(const std::vector<ObservationSet>& sets,
                      std::vector<Eigen::MatrixXd> errors = {});

    /// Returns the number of b and a together.
    [[nodiscard]] int n() const { return n_ + n_errors(); }
    [[nodiscard]] int n_errors() const {
        return errors_.empty() ? 0 : static_cast<int>(errors_.front().cols());
    }
    /// Returns the names of a set's unknowns with units, such as offset_east_m,
    /// ramp_east_m_per_100km_los.
    [[nodiscard]] const std::vector<std::string>& names(std::size_t set) const {
        return columns_[set].names;
    }
    [[nodiscard]] int first(std::size_t set) const { return columns_[set].first; }
    /// The row of N and U [n()] of a set's datum, zeroed before.
    void fill(std::size_t set, std::size_t index, const Datum& datum, double* row) const;

private:
    struct Columns {
        int first = 0;
        std::vector<std::string> names;
        std::vector<std::string> components;  ///< with an offset of its own each
        bool offset = false, ramp = false, rotation = false;
        double lon_deg = 0.0, lat_deg = 0.0;  ///< of the set's middle, where ramps are zero
    };
    std::vector<Columns> columns_;
    std::vector<Eigen::MatrixXd> errors_;
    int n_ = 0;
};

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
    /// Green's functions [sources][epochs][width][3] of the stations from the first on.
    using Block = std::function<std::vector<double>(std::size_t first, std::size_t width)>;

    /// Borrows all arguments but the path; they must outlive the reader. Throws ValidationError
    /// naming rows whose epochs the dataset does not span.
    RowReader(std::string greens_path, const io::GreensDataset& greens, const InversionJob& job,
              const MatchedData& matched, const SlipAmounts& amounts, const Nuisance& nuisance);
    /// With Green's functions that are not in a file; epochs are those of `greens`.
    RowReader(Block block, const io::GreensDataset& greens, const InversionJob& job,
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

    const Block block_;
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
