// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace kaname::io {

/// Slip of an inversion (inversion.h5) as tables that a scenario reads as a slip model: a row per
/// patch with its centre, size, strike, dip, the rake and length [m] of its slip vector; rates are
/// those of a year. One file per window in `folder`, WINDOW.csv. Returns their paths. Throws
/// InvalidArgument when the file is no inversion or its patches have no place on the globe,
/// Unavailable when the system refuses.
[[nodiscard]] std::vector<std::string> write_slip_tables(const std::string& inversion,
                                                         const std::string& folder);

}  // namespace kaname::io
