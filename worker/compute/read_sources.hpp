// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <istream>
#include <string>

#include "solvers/jobs/spec/stage.hpp"
#include "worker/compute/reporter.hpp"

namespace kaname::compute {

/// Answers a ReadCommand per line of `in` until it ends: what the verb `read` of a kind does once
/// it has opened what it needs. Result events: "ready", a ReaderReport, then per command "block", a
/// BlockReport, whose values are in the file that the command named. A command that cannot be
/// followed, or a file that cannot be read, is a Failure event, and the next command is awaited.
int read_sources(jobs::SourceReader& reader, std::istream& in, Reporter& reporter);

}  // namespace kaname::compute
