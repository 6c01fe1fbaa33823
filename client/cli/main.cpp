// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "client/cli/commands.hpp"
#include "client/cli/interrupt.hpp"
#include "client/cli/man.hpp"
#include "client/cli/mistyped.hpp"
#include "client/cli/page.hpp"
#include "client/cli/report_error.hpp"
#include "client/cli/shown_output.hpp"
#include "client/cli/typed.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/hidden_password.hpp"

int main(int argc, char** argv) {
    using namespace kaname;
    const cli::ShownOutput shown_output;
    cli::Context context{
        run::ComputeRunner(run::beside_this_program("kaname-compute"), cli::throw_if_interrupted),
        false,
        {},
        cli::program_to_type(argv[0])};
    cli::Command app{.name = "kaname",
                     .what = "Green's functions of viscoelastic crustal deformation.",
                     .footer = run::kExitCodesHelp,
                     .version = std::string("kaname ") + KANAME_VERSION,
                     .needs_command = true};
    cli::add_validate(app, context);
    cli::add_estimate(app, context);
    cli::add_run(app, context);
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
    cli::add_doctor(app, context);
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
    cli::add_completion(app, context);
    cli::add_man(app, context);
    try {
        (void)command::read(app, argc, argv);
    } catch (const command::Ended& ended) {
        const std::string wrong =
            ended.is_refusal() ? cli::mistyped(command::describe(app), {argv + 1, argv + argc})
                               : "";
        if (!wrong.empty()) {
            std::cerr << "error: " << wrong << "\n";
            return run::kExitBadInput;
        }
        return ended.print();
    }
    (void)run::hide_password(argc, argv, "--database");
    cli::catch_interrupts();
    try {
        return context.action();
    } catch (const cli::Interrupted&) {
        std::cerr << "interrupted\n";
        return run::kExitInterrupted;
    } catch (const std::exception& error) {
        return cli::report_error(error, context.json);
    }
}
