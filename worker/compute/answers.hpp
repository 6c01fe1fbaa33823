// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <istream>
#include <string>

#include "worker/compute/reporter.hpp"

namespace kaname::compute {

/// Keeps a dataset open and answers an AnswerCommand per line of `in` until it ends. Result events:
/// "ready", the AnswerAxes of the dataset, then per command "answered", an AnsweredReport, whose
/// values are in the file that the command named. A command that cannot be followed is a Failure
/// event, and the next one is awaited.
int answers(const std::string& dataset, std::istream& in, Reporter& reporter);

}  // namespace kaname::compute
