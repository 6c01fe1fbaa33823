// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "proto/kaname/v1/command_report.pb.h"
#include "solvers/base/files.hpp"
#include "solvers/base/machine.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/process.hpp"

namespace kaname::cli {
namespace {

constexpr double kSmallMemory_bytes = 2e9;  ///< a model of 200,000 unknowns needs about this

struct DoctorOptions {
    std::string config;
    ServiceOptions service;
};

struct Check {
    std::string name, status, detail, hint;  ///< status: ok, warn, fail
};

Check check_library(bool compiled_in, const char* name, const char* if_missing, const char* hint) {
    if (compiled_in) {
        return {name, "ok", "compiled in", ""};
    }
    return {name, if_missing, "not compiled in", hint};
}

std::vector<Check> check_compute(const Context& context) {
    v1::BuildReport build;
    try {
        build = verb_report<v1::BuildReport>(context.compute, {"doctor"});
    } catch (const Error& error) {
        return {{"kaname-compute", "fail", error.what(), "install it beside kaname, or rebuild"}};
    }
    const bool same = build.version() == KANAME_VERSION;
    return {{"kaname-compute", same ? "ok" : "warn", "version " + build.version(),
             same ? "" : std::string("kaname is ") + KANAME_VERSION + ": install both together"},
            check_library(build.hdf5(), "HDF5", "fail",
                          "install libhdf5-dev and rebuild; without it no file can be written"),
            check_library(build.proj(), "PROJ", "fail",
                          "install libproj-dev and rebuild; without it no place can be projected"),
            check_library(build.metis(), "METIS", "warn",
                          "install libmetis-dev and rebuild for better partitions"),
            check_library(build.openmp(), "OpenMP", "warn",
                          "rebuild with OpenMP to use more than one core per rank"),
            check_library(build.mpi(), "MPI", "warn",
                          "install libopenmpi-dev and rebuild to use --ranks")};
}

Check check_mpirun() {
    if (const auto path = run::find_program("mpirun")) {
        return {"mpirun", "ok", *path, ""};
    }
    return {"mpirun", "warn", "not found in PATH", "install openmpi-bin to use --ranks"};
}

/// Programs that `kaname up` needs beside this one.
Check check_service_programs() {
    std::string missing;
    for (const char* name : {"kaname-server", "kaname-agent"}) {
        if (!std::filesystem::exists(run::beside_this_program(name))) {
            missing += (missing.empty() ? "" : ", ") + std::string(name);
        }
    }
    if (missing.empty()) {
        return {"service", "ok", "kaname-server and kaname-agent are here", ""};
    }
    return {"service", "warn", missing + " not found beside kaname",
            "install them together to use kaname up; run needs neither"};
}

Check check_postgresql() {
    namespace fs = std::filesystem;
    const fs::path packages = "/usr/lib/postgresql";  // Debian keeps them out of PATH
    std::string newest;
    std::error_code none;
    for (const fs::directory_entry& version : fs::directory_iterator(packages, none)) {
        if (fs::exists(version.path() / "bin/initdb") && version.path().string() > newest) {
            newest = version.path().string();
        }
    }
    if (const auto path = run::find_program("initdb"); newest.empty() && path) {
        newest = *path;
    }
    if (!newest.empty()) {
        return {"PostgreSQL", "ok", newest, ""};
    }
    return {"PostgreSQL", "warn", "no initdb in /usr/lib/postgresql or PATH",
            "install postgresql for kaname up, or name a database with --database"};
}

/// Without a name it is the server of this user, which need not run.
Check check_server(const DoctorOptions& options) {
    const char* variable = std::getenv("KANAME_SERVER");
    const bool at_address = !options.service.server.empty() ||
                            (options.service.state.empty() && variable && *variable != '\0');
    // With a configuration the state folder is that of a server which may be still to come.
    const bool is_named = at_address || (!options.service.state.empty() && options.config.empty());
    const char* silent = is_named ? "fail" : "ok";
    try {
        ServiceOptions place = options.service;
        const auto recorded = client::recorded_endpoint(client::state_folder(place.state));
        if (!at_address && !place.state.empty()) {
            if (!recorded) {
                return {"server", silent, "none has been started in " + place.state,
                        "kaname up --state starts one"};
            }
            place.server = recorded->address;  // whatever KANAME_SERVER says
            place.token = recorded->token;
        } else if (!recorded && place.token.empty() && std::getenv("KANAME_TOKEN") == nullptr) {
            place.token = "none";  // whether a server serves, it says to everybody
        }
        const auto client = open_client(place);
        const std::string where = client->endpoint().address;
        if (client->serving()) {
            return {"server", "ok", "answers at " + where, ""};
        }
        return {"server", silent, "none answers at " + where,
                at_address ? "see that it runs there, and that this machine reaches it"
                           : "kaname up starts it"};
    } catch (const Error& error) {
        if (is_named) {
            return {"server", "fail", error.what(), ""};
        }
        return {"server", "ok", "none has been started here", "kaname up starts one"};
    }
}

Check check_memory(const Machine& machine) {
    const std::string detail = format_bytes(machine.available_bytes) + " of " +
                               format_bytes(machine.memory_bytes) + " available";
    if (machine.available_bytes < kSmallMemory_bytes) {
        return {"memory", "warn", detail, "larger models will not fit; see kaname estimate"};
    }
    return {"memory", "ok", detail, ""};
}

Check check_temporary_folder() {
    try {
        const TemporaryFolder folder;
        write_file(folder.path() / "test", "test");
        return {"temporary folder", "ok", folder.path().parent_path().string() + " is writable",
                ""};
    } catch (const Error& error) {
        return {"temporary folder", "fail", error.what(), "set TMPDIR to a writable folder"};
    }
}

/// Returns kaname-server's checks of a configuration: errors in it, and what the server needs but
/// does not find.
std::vector<Check> check_configuration(const DoctorOptions& options) {
    run::SpawnOptions how;
    how.argv = {run::beside_this_program("kaname-server").string(),
                "check",
                "--config",
                std::filesystem::absolute(options.config).string(),
                "--state",
                client::state_folder(options.service.state).string()};
    std::vector<Check> checks;
    std::string said;
    try {
        run::Process server(how);
        while (server.read_lines(std::chrono::seconds(1),
                                 [&](run::Source from, std::string_view line) {
                                     if (from == run::Source::Stderr) {
                                         said.append(line).append("\n");
                                         return;
                                     }
                                     std::vector<std::string> fields = {""};
                                     for (const char letter : line) {
                                         if (letter == '\t') {
                                             fields.emplace_back();
                                         } else {
                                             fields.back() += letter;
                                         }
                                     }
                                     fields.resize(4);
                                     checks.push_back({fields[1], fields[0], fields[2], fields[3]});
                                 })) {
        }
        const run::ExitStatus status = server.wait();
        if (checks.empty()) {
            return {{"configuration", "fail", said.empty() ? status.text() : said, ""}};
        }
    } catch (const Error& error) {
        return {{"configuration", "fail", error.what(), "install kaname-server beside kaname"}};
    }
    return checks;
}

int doctor_command(const DoctorOptions& options, const Context& context) {
    const Machine machine = this_machine();
    std::vector<Check> checks = check_compute(context);
    checks.push_back(check_mpirun());
    checks.push_back(check_service_programs());
    checks.push_back(check_postgresql());
    checks.push_back(check_server(options));
    checks.push_back(check_memory(machine));
    checks.push_back(
        {"cores", "ok", std::to_string(machine.cores) + " (" + machine.cpu + ")", machine.limits});
    checks.push_back(check_temporary_folder());
    if (!options.config.empty()) {
        for (Check& check : check_configuration(options)) {
            checks.push_back(std::move(check));
        }
    }

    v1::DoctorReport report;
    report.set_healthy(true);
    Rows rows;
    for (const Check& check : checks) {
        report.set_healthy(report.healthy() && check.status != "fail");
        v1::DoctorReport::Check& told = *report.add_checks();
        told.set_name(check.name);
        told.set_status(check.status);
        told.set_detail(check.detail);
        told.set_hint(check.hint);
        rows.emplace_back(check.name, check.status + (check.status == "ok" ? "    " : "  ") +
                                          check.detail +
                                          (check.hint.empty() ? "" : " -- " + check.hint));
    }
    if (context.json) {
        print_report(report);
    } else {
        std::cout << format_table(rows);
    }
    return report.healthy() ? run::kExitOk : run::kExitUnavailable;
}

}  // namespace

void add_doctor(Command& app, Context& context) {
    const auto options = std::make_shared<DoctorOptions>();
    Command& command = add_command<DoctorOptions>(
        app, context, "doctor", "Check that this installation and machine can compute", options,
        doctor_command);
    command.add_options({
        {"--config", &options->config,
         "Also what this configuration of the server needs, and Slurm"},
    });
    add_service_options(command, options->service);
}

}  // namespace kaname::cli
