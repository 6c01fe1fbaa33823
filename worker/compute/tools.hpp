// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <istream>
#include <string>
#include <vector>

#include "worker/command/command.hpp"
#include "worker/jobs/frame/reporter.hpp"

namespace kaname::compute {

/// A verb with its options: reports one result and returns an exit code.
using Action = std::function<int(Reporter&)>;

/// Adds the verbs that need no request: they look at meshes, datasets and this machine. The
/// one that is called becomes `chosen`.
void add_tools(command::Command& program, Action& chosen);

/// Ends the process when whoever started it goes away: standard input then ends. Files are only
/// ever renamed into place, so nothing is left half-made.
void end_with_stdin();

/// Verbs on a mesh file; each reports one result and returns the exit code.

/// A MeshReport.
int show_mesh(const std::string& mesh, Reporter& reporter);
/// A MeshCheckReport: an unsound mesh is a result, not an error.
int check_mesh(const std::string& mesh, Reporter& reporter);
/// A WrittenReport.
int export_mesh(const std::string& mesh, const std::string& format, const std::string& out,
                Reporter& reporter);

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
