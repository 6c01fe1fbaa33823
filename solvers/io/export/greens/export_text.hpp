// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname::io {

/// The shortest text that reads back as an equal double; nan and inf as C has them.
[[nodiscard]] std::string exact(double value);
/// A cell of a CSV table (RFC 4180): quoted where it must be.
[[nodiscard]] std::string csv_cell(const std::string& text);
/// A name for files and for tables split at blanks: what is no letter, digit, '_' or '-' of ASCII
/// becomes '_'; bytes of other alphabets stay.
[[nodiscard]] std::string plain_name(const std::string& text);

}  // namespace kaname::io
