// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "worker/jobs/inversion/invert.hpp"
#include "worker/jobs/inversion/observation_rows.hpp"

namespace kaname::jobs {

/// HistoryParts are parts of an inversion that are there already; they are borrowed.
struct HistoryParts {
    const InversionJob& job;  ///< its first window is a history, all others are steps
    const std::string& greens_path;
    const io::GreensDataset& greens;
    const MatchedData& matched;
    const SlipAmounts& amounts;  ///< of one window
};

/// Slip whose rate varies in steps of time, and sudden slip of events beside it, from series of
/// displacements of many stations (docs/theory/slip_in_time.md), written to `out` as invert() does;
/// times of the summary are left to it. Throws ValidationError naming rows that are later than the
/// Green's functions reach or before which nothing is known, and InvalidArgument where there are
/// more unknowns than fit.
[[nodiscard]] InversionSummary slip_in_time(
    const HistoryParts& parts, const std::string& out,
    const std::function<void(const InversionProgress&)>& progress,
    const std::function<std::string(const InversionSummary&)>& report);

}  // namespace kaname::jobs
