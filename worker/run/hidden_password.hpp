// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace kaname::run {

/// Overwrites the password of a libpq connection string with x, in place and of the same length;
/// false when it has none. `text` ends with a zero byte.
bool hide_password(char* text);
/// Hides the password in the argument that follows `option`, or in `option`=...: other users of the
/// machine see the arguments of a program for as long as it runs. Returns false if there was none.
bool hide_password(int argc, char** argv, const std::string& option);

}  // namespace kaname::run
