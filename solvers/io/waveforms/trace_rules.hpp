// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "solvers/io/waveforms/trace.hpp"

namespace kaname::io {

/// A file's times may be off by this share of the sample interval: what a format cannot say more
/// exactly than that is refused. Programs that join records take half an interval for a gap.
inline constexpr double kTimeTolerance = 0.05;

/// "KN.ABC.00.HXZ", for messages.
[[nodiscard]] std::string name_of(const Trace& trace);

/// Throws InvalidArgument unless there are samples, dt_s is finite and above 0, and the first
/// sample lies in the years 1900 to 2100, by which readers of both formats tell the byte order.
void check_times(const Trace& trace);

/// Whether samples that are really `dt_s` apart are in place to within the tolerance, at the last
/// one too, for who takes them to be `written_s` apart.
[[nodiscard]] bool keeps_time(const Trace& trace, double written_s);

/// Printable ASCII of at most `most` characters, or InvalidArgument with field, value and rule.
void check_text(const std::string& field, const std::string& value, std::size_t most);

/// The same for capital letters and digits alone, `least` at least.
void check_code(const std::string& field, const std::string& value, std::size_t least,
                std::size_t most);

}  // namespace kaname::io
