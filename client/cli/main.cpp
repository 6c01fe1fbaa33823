// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/admin/page.hpp"
#include "client/cli/common/commands.hpp"
#include "client/cli/common/progress.hpp"
#include "client/cli/common/report_error.hpp"
#include "client/cli/common/text.hpp"
#include "client/cli/datasets/export.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/process_id.hpp"

namespace {

using namespace kaname;

/// Puts the commands under headings of the help, in the order of what people do.
void arrange(cli::Command& app) {
    const std::vector<std::pair<const char*, std::vector<std::string>>> headings = {
        {"Compute here", {"validate", "estimate", "run", "data", "invert", "mesh"}},
        {"Results", {"show", "plot", "answer", "slice", "export", "xdmf", "regrid", "files"}},
        {"Jobs of a service",
         {"submit", "status", "watch", "list", "cancel", "retry", "delete", "campaign", "dataset",
          "download", "logs", "stream", "page"}},
        {"Run a service", {"up", "down", "worker", "quota", "token", "audit", "gc", "admin"}},
        {"This installation", {"doctor", "completion"}}};
    for (cli::Command& command : app.commands) {
        for (const auto& [heading, names] : headings) {
            if (std::ranges::count(names, command.name) > 0) {
                command.heading = heading;
            }
        }
    }
}

/// Reads the command line and does what it says; returns the exit code.
int run_program(int argc, char** argv, const run::CheckedOutput& output) {
    cli::Context context{
        run::ComputeRunner(run::beside_this_program("kaname-compute"), cli::throw_if_interrupted),
        false,
        {},
        cli::program_to_type(argv[0])};
    cli::Command app{
        .name = "kaname",
        .what =
            "Crustal deformation, waves and ruptures: Green's functions, forward models "
            "and slip inversions, here or through a service.",
        .footer = run::kExitCodesHelp,
        .version = std::string("kaname ") + KANAME_VERSION,
        .needs_command = true};
    cli::add_validate(app, context);
    cli::add_schema(app, context);
    cli::add_estimate(app, context);
    cli::add_run(app, context);
    cli::add_data(app, context);
    cli::add_invert(app, context);
    cli::add_mesh(app, context);
    cli::add_show(app, context);
    cli::add_answer(app, context);
    cli::add_xdmf(app, context);
    cli::add_export(app, context);
    cli::add_slice(app, context);
    cli::add_regrid(app, context);
    cli::add_plot(app, context);
    cli::add_files(app, context);
    cli::add_updown(app, context);
    cli::add_submit(app, context);
    cli::add_jobs(app, context);
    cli::add_campaign(app, context);
    cli::add_dataset(app, context);
    cli::add_results(app, context);
    cli::add_logs(app, context);
    cli::add_stream(app, context);
    cli::add_worker(app, context);
    cli::add_quota(app, context);
    cli::add_token(app, context);
    cli::add_audit(app, context);
    cli::add_gc(app, context);
    cli::add_admin(app, context);
    cli::add_page(app, context);
    cli::add_doctor(app, context);
    cli::add_completion(app, context);
    cli::add_man(app, context);
    arrange(app);
    try {
        (void)command::read(app, argc, argv);
    } catch (const command::Ended& ended) {
        if (!ended.is_refusal()) {
            return ended.print();
        }
        const std::vector<std::string> words(argv + 1, argv + argc);
        const command::Refusal wrong = cli::mistyped(command::describe(app), words);
        return cli::report_refusal(wrong.said.empty() ? ended.refusal() : wrong, ended.advice(),
                                   std::ranges::count(words, "--json") > 0);
    }
    (void)run::hide_password(argc, argv, "--database");
    cli::catch_interrupts();
    try {
        return context.action();
    } catch (const cli::Interrupted&) {
        return output.has_failed() ? run::kExitInterrupted : cli::report_interrupt(context.json);
    } catch (const std::exception& error) {
        return cli::report_error(error, context.json);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (cli::is_data(argc, argv)) {
        return cli::run_data(argc, argv);
    }
    ::setenv("GRPC_VERBOSITY", "NONE", 0);  // its lines are repeated by errors of this program
    run::CheckedOutput output(cli::interrupt);
    const cli::ShownOutput shown_output;
    return output.finish(run_program(argc, argv, output));
}
