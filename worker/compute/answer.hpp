// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <istream>
#include <string>
#include <vector>

#include "worker/jobs/frame/reporter.hpp"

namespace kaname::compute {

/// AnswerOptions holds the options of `kaname-compute answer`.
struct AnswerOptions {
    std::vector<std::string> rheology;  ///< NAME=NUMBER (viscoelastic::NamedNumbers)
    std::string history;                ///< file with a kaname.v1.SlipHistory in JSON
    std::vector<double> epochs_s;       ///< none: the dataset's
    std::string table;                  ///< csv of viscosities, a row per rheology
    std::string slip;                   ///< csv source,slip_m: the sum of them
};

/// Writes a dataset like `dataset` for other viscosities, or with a table the motion for each row
/// of it. Throws InvalidArgument naming option, value and rule.
int answer(const std::string& dataset, const AnswerOptions& options, const std::string& out,
           Reporter& reporter);

/// Keeps a dataset open and answers an AnswerCommand per line of `in` until it ends. Result events:
/// "ready", the AnswerAxes of the dataset, then per command "answered", an AnsweredReport, whose
/// values are in the file that the command named. A command that cannot be followed is a Failure
/// event, and the next one is awaited.
int answers(const std::string& dataset, std::istream& in, Reporter& reporter);

}  // namespace kaname::compute
