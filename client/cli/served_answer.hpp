// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <ostream>

#include "client/lib/client.hpp"

namespace kaname::cli {

/// Writes what a server answers as a table, as it comes: the numbers of each rheology, source (not
/// where slip is given), epoch in years, station, east, north, up (empty where a source is missing)
/// and the certified error. Returns the number of rows.
std::int64_t write_served_answer(client::Client& client, const v1::AnswerRequest& request,
                                 std::ostream& out);

}  // namespace kaname::cli
