// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "worker/command/command.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname::cli {

using command::between;
using command::Command;
using command::kNotNegative;
using command::kNumber;
using command::kPositive;
using command::kRequired;
using command::one_of;

/// Context is shared by all commands. Parsing picks the action; main runs it.
struct Context {
    run::ComputeRunner compute;
    bool json = false;               ///< standard output holds one JSON object and nothing else
    std::function<int()> action;     ///< returns the exit code, throws Error or Interrupted
    std::string program = "kaname";  ///< as people can type it, see program_to_type
};

/// Each adds one command to `app`; `context` outlives the parsing and the action.
/// The hidden command that prints the manual page of all others, as troff.
void add_man(Command& app, Context& context);
void add_validate(Command& app, Context& context);
void add_schema(Command& app, Context& context);
void add_estimate(Command& app, Context& context);
void add_run(Command& app, Context& context);
void add_invert(Command& app, Context& context);
void add_mesh(Command& app, Context& context);
void add_show(Command& app, Context& context);
void add_answer(Command& app, Context& context);
void add_xdmf(Command& app, Context& context);
void add_export(Command& app, Context& context);
void add_slice(Command& app, Context& context);
void add_regrid(Command& app, Context& context);
void add_plot(Command& app, Context& context);
void add_files(Command& app, Context& context);
void add_doctor(Command& app, Context& context);
void add_updown(Command& app, Context& context);
void add_submit(Command& app, Context& context);
void add_campaign(Command& app, Context& context);
void add_dataset(Command& app, Context& context);
void add_jobs(Command& app, Context& context);
void add_results(Command& app, Context& context);
void add_logs(Command& app, Context& context);
void add_stream(Command& app, Context& context);
void add_worker(Command& app, Context& context);
void add_quota(Command& app, Context& context);
void add_token(Command& app, Context& context);
void add_audit(Command& app, Context& context);
void add_gc(Command& app, Context& context);
void add_admin(Command& app, Context& context);
void add_completion(Command& app, Context& context);

/// A command with --json, whose action gets its options; its own rows come after.
template <class Options>
Command& add_command(Command& app, Context& context, const char* name, const char* what,
                     std::shared_ptr<Options> options,
                     int (*action)(const Options&, const Context&)) {
    Command& command = app.add_command(name, what);
    command.add_options({{"--json", &context.json, "Write one JSON object to standard output"}});
    command.chosen = [&context, options, action] {
        context.action = [&context, options, action] { return action(*options, context); };
    };
    return command;
}

/// Runs a verb of kaname-compute for what it reports. Throws as ComputeRunner::run, and
/// report::BrokenReport naming the verb.
template <class Report>
[[nodiscard]] Report verb_report(const run::ComputeRunner& compute, run::VerbCall call) {
    const std::string verb = call.arguments.front();
    return report::parse<Report>(compute.run(call).json, "kaname-compute " + verb);
}

template <class Report>
[[nodiscard]] Report verb_report(const run::ComputeRunner& compute,
                                 std::vector<std::string> arguments) {
    run::VerbCall call;
    call.arguments = std::move(arguments);
    return verb_report<Report>(compute, std::move(call));
}

/// The message as the one JSON object of --json.
inline void print_report(const google::protobuf::Message& message) {
    std::cout << report::to_json(message, report::Layout::Indented) << std::flush;
}

/// Warnings of a report, for people.
inline void warn(const google::protobuf::RepeatedPtrField<std::string>& warnings) {
    for (const std::string& warning : warnings) {
        std::cerr << "warning: " << warning << "\n";
    }
}

/// Prints the paths of the files that a command wrote, one per line, or the report as JSON.
inline void tell_written(const v1::WrittenReport& written, bool json) {
    if (json) {
        print_report(written);
        return;
    }
    for (const std::string& path : written.written()) {
        std::cout << path << "\n";
    }
}

}  // namespace kaname::cli
