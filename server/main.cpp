// SPDX-License-Identifier: BSD-3-Clause
// kaname-server: what its command line says, and who does it.
#include <algorithm>
#include <csignal>
#include <iostream>
#include <mutex>

#include <sys/stat.h>
#include <unistd.h>

#include "server/run/assembly/listeners.hpp"
#include "server/run/daemon/state_folder.hpp"
#include "server/run/program/maintenance.hpp"
#include "server/run/program/options.hpp"
#include "server/store/postgres/migrations.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/machine.hpp"
#include "worker/run/compute_runner.hpp"
#include "worker/run/events.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/process_id.hpp"

namespace {

namespace fs = std::filesystem;
using namespace kaname;
using program::Options;

LogFormat g_format = LogFormat::Text;  // set once, before there are threads

void log(const std::string& line) {
    static std::mutex mutex;
    const std::string text = log_line(g_format, "kaname-server", line);
    const std::lock_guard lock(mutex);
    std::cerr << text << std::endl;
}

/// Checks whether everything that `serve` would need is there; prints the findings.
int check(const Options& options) {
    const program::ServerPlace place{daemon::state_folder(options.state),
                                     run::beside_this_program("kaname-agent"),
                                     host_name(),
                                     options.listen,
                                     0,
                                     "",
                                     false};
    const auto findings = program::check_options(options, place);
    std::cout << program::to_lines(findings);
    const bool failed = std::ranges::count(findings, "fail", &program::Finding::status) > 0;
    return failed ? run::kExitUnavailable : run::kExitOk;
}

int migrate(const Options& options) {
    if (options.check_only) {
        return program::check_schema(options, log);
    }
    const fs::path state = daemon::state_folder(options.state);
    if (options.database.empty()) {
        daemon::make_state_folder(state);
    }
    const program::OpenedDatabase database(options, state, true, log);
    store::Pool pool(database.conninfo(), 1);
    const auto names = store::migrate(pool, false);
    for (const std::string& name : names) {
        std::cout << "applied " << name << "\n";
    }
    if (names.empty()) {
        std::cout << "the schema is up to date\n";
    }
    return run::kExitOk;
}

int backup(const Options& options, const program::MaintenanceOptions& how) {
    return program::backup(options, how, log);
}

int restore(const Options& options, const program::MaintenanceOptions& how) {
    return program::restore(options, how, log);
}

int serve(const Options& options) {
    return assembly::serve(options, {KANAME_VERSION, host_name(), log});
}

/// Describes the command line of the server and of its commands beside serving.
command::Command command_line(Options& options, program::MaintenanceOptions& maintenance) {
    command::Command server{
        .name = "kaname-server",
        .what = "Keeps the queue and the results of Kaname, and serves them over gRPC.",
        .footer = run::kExitCodesHelp,
        .version = std::string("kaname-server ") + KANAME_VERSION};
    program::add_config(server, options);
    program::add_place(server, options, true);
    program::add_serving(server, options);
    program::add_space(server, options.space);
    command::Command& stop =
        server.add_command("stop", "Stop the server, its agents and its private PostgreSQL");
    program::add_place(stop, options, false);
    stop.add_options({{"--workers", &options.stop_workers,
                       "And its jobs in Slurm, which go on without it else"}});
    command::Command& check =
        server.add_command("check", "Say whether what a configuration needs is there");
    program::add_config(check, options);
    program::add_place(check, options, true);
    command::Command& migrate =
        server.add_command("migrate", "Bring the database's schema up to date");
    program::add_config(migrate, options);
    program::add_place(migrate, options, true);
    migrate.add_options({{"--check", &options.check_only, "Only say what is missing"}});
    command::Command& backup = server.add_command(
        "backup",
        "Copy the database and the files that it refers to, while the server runs or not");
    program::add_place(backup, options, true);
    backup.add_options({
        {"FOLDER", &maintenance.folder, "To make", command::kRequired},
        {"--artifacts",
         &maintenance.artifacts,
         "What becomes of files: copy; link, on one file system; manifest: listed alone",
         {.show_default = true, .check = command::one_of("copy|link|manifest")}},
        {"--artifacts-folder", &options.artifacts,
         "Folder of files and results; default: that of the last server"},
    });
    command::Command& restore =
        server.add_command("restore", "Make an empty state folder what a backup was");
    program::add_place(restore, options, true);
    restore.add_options({
        {"FOLDER", &maintenance.folder, "Of the backup", command::kRequired},
        {"--artifacts-folder", &options.artifacts,
         "Empty folder of files and results, or with a backup that lists them alone the folder "
         "that has them; default: in the state folder"},
    });
    return server;
}

}  // namespace

int main(int argc, char** argv) {
    run::CheckedOutput output;
    Options options;
    program::MaintenanceOptions maintenance{.version = KANAME_VERSION, .host = host_name()};
    command::Given given;
    try {
        given = command::read(command_line(options, maintenance), argc, argv);
    } catch (const command::Ended& ended) {
        return output.finish(ended.print());
    }
    options.said = given.options;
    if (run::hide_password(argc, argv, "--database")) {
        log("a password stood on the command line, where other users of this machine could read it "
            "until now: set KANAME_DATABASE instead, or database.password_file of --config");
    }
    const sigset_t ending = assembly::ending_signals();
    ::pthread_sigmask(SIG_BLOCK, &ending, nullptr);
    ::signal(SIGHUP, SIG_IGN);  // it is not bound to the terminal that started it
    ::umask(077);
    try {
        g_format = options.log_format == "json" ? LogFormat::Json : LogFormat::Text;
        if (!options.config.file.empty()) {
            program::read_config(given, options);
            g_format = options.log_format == "json" ? LogFormat::Json : LogFormat::Text;
        }
        return output.finish(given.command == "stop"      ? assembly::stop(options)
                             : given.command == "check"   ? check(options)
                             : given.command == "migrate" ? migrate(options)
                             : given.command == "backup"  ? backup(options, maintenance)
                             : given.command == "restore" ? restore(options, maintenance)
                                                          : serve(options));
    } catch (const std::exception& error) {
        const run::Failure failure = run::describe(error);
        log(failure.message);
        return run::exit_code(failure.code);
    }
}
