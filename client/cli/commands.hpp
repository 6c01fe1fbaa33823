// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

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
void add_validate(Command& app, Context& context);
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

}  // namespace kaname::cli
