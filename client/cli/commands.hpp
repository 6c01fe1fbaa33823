// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include <CLI/CLI.hpp>

#include "worker/run/compute_runner.hpp"

namespace kaname::cli {

/// What the commands share. Parsing picks the action; main runs it.
struct Context {
    run::ComputeRunner compute;
    bool json = false;               ///< standard output holds one JSON object and nothing else
    std::function<int()> action;     ///< returns the exit code, throws Error or Interrupted
    std::string program = "kaname";  ///< as people can type it, see program_to_type
};

/// Each adds one command to `app`; `context` outlives the parsing and the action.
void add_validate(CLI::App& app, Context& context);
void add_estimate(CLI::App& app, Context& context);
void add_run(CLI::App& app, Context& context);
void add_invert(CLI::App& app, Context& context);
void add_mesh(CLI::App& app, Context& context);
void add_show(CLI::App& app, Context& context);
void add_answer(CLI::App& app, Context& context);
void add_xdmf(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_slice(CLI::App& app, Context& context);
void add_regrid(CLI::App& app, Context& context);
void add_plot(CLI::App& app, Context& context);
void add_files(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_updown(CLI::App& app, Context& context);
void add_submit(CLI::App& app, Context& context);
void add_campaign(CLI::App& app, Context& context);
void add_dataset(CLI::App& app, Context& context);
void add_jobs(CLI::App& app, Context& context);
void add_results(CLI::App& app, Context& context);
void add_logs(CLI::App& app, Context& context);
void add_stream(CLI::App& app, Context& context);
void add_worker(CLI::App& app, Context& context);
void add_quota(CLI::App& app, Context& context);
void add_token(CLI::App& app, Context& context);
void add_audit(CLI::App& app, Context& context);
void add_gc(CLI::App& app, Context& context);
void add_admin(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);

/// A command with --json, whose action gets its options.
template <class Options>
CLI::App* add_command(CLI::App& app, Context& context, const char* name, const char* what,
                      std::shared_ptr<Options> options,
                      int (*action)(const Options&, const Context&)) {
    CLI::App* command = app.add_subcommand(name, what);
    command->add_flag("--json", context.json, "Write one JSON object to standard output");
    command->callback([&context, options, action] {
        context.action = [&context, options, action] { return action(*options, context); };
    });
    return command;
}

}  // namespace kaname::cli
