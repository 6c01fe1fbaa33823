// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/inversion/slip_history.hpp"
#include "worker/jobs/inversion/slip_in_time.hpp"

namespace kaname::jobs {

/// One series, and where its data stand in its set.
struct PlacedSeries {
    int set = 0, station = 0;
    std::vector<std::size_t> data;  ///< indices, by epoch
    Eigen::MatrixXd greens;         ///< [amount][epoch]
    inversion::MotionSeries series;
    std::string name;  ///< "gnss/P001/east"
};

/// Edges of the steps: as many of the asked length as fit, at least one, which are stretched to
/// fill the window.
[[nodiscard]] std::vector<double> edges_of(const SlipWindow& window);

/// Times of the windows of sudden slip beside the history, in their order.
[[nodiscard]] std::vector<double> events_of(const InversionJob& job);

/// Names of all terms that a set may have, with units: offset_m, rate_m_per_year, annual_sine_m,
/// annual_cosine_m, ..., step_86400_s_m.
[[nodiscard]] std::vector<std::string> term_names(const ObservationSet& set);

/// Data by set, station and direction, each in the order of its epochs, with terms.
[[nodiscard]] std::vector<PlacedSeries> series_of(const HistoryParts& parts);

/// The response to the window's steps and to sudden slip, and each series' Green's functions in its
/// shapes, read by blocks of stations. Throws ValidationError naming data that are later than they
/// reach.
[[nodiscard]] inversion::HistoryResponse response_of(const HistoryParts& parts,
                                                     std::vector<double> edges_s,
                                                     std::vector<PlacedSeries>& all);

}  // namespace kaname::jobs
