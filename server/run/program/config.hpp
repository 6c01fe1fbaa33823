// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "server/run/program/options.hpp"

namespace kaname::program {

/// Reads the file that options.config.file names into the options that were not given, and into
/// options.config; names of files in it are relative to its folder. What the command line (or a
/// variable) says wins, and is told in options.config.overridden. Throws ValidationError with
/// everything that is wrong, each with field and line, NotFound or Unavailable where a file cannot
/// be read.
void read_config(const command::Given& given, Options& options);

}  // namespace kaname::program
