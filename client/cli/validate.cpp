// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "client/cli/commands.hpp"
#include "client/cli/preflight.hpp"
#include "client/cli/verb_report.hpp"
#include "proto/kaname/v1/command_report.pb.h"
#include "proto/spec/form/request.hpp"
#include "proto/spec/kinds.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

struct ValidateOptions {
    std::string file;
    bool schema_only = false, canonical = false;
};

int validate_command(const ValidateOptions& options, const Context& context) {
    const spec::Kinds& kinds = spec::built_in_kinds();
    const auto wanted = kinds.load(options.file);
    v1::ValidateReport report;
    report.set_valid(true);
    report.set_name(wanted->name());
    report.set_content_hash(kinds.of(wanted->message()).content_hash(wanted->message()));
    report.set_chosen(wanted->chosen());
    if (!options.schema_only) {
        *report.mutable_warnings() = preflight(wanted->message(), 0, context).warnings();
    }
    if (options.canonical) {
        report.mutable_specification()->PackFrom(wanted->message());
    }
    if (context.json) {
        print_report(report);
        return run::kExitOk;
    }
    for (const std::string& warning : report.warnings()) {
        std::cerr << "warning: " << warning << "\n";
    }
    if (options.canonical) {
        print_report(wanted->message());
        return run::kExitOk;
    }
    if (!report.chosen().empty()) {
        std::cout << report.chosen() << "\n";
    }
    std::cout << options.file << ": valid\n";
    return run::kExitOk;
}

}  // namespace

void add_validate(Command& app, Context& context) {
    const auto options = std::make_shared<ValidateOptions>();
    Command& command = add_command<ValidateOptions>(
        app, context, "validate", "Check a specification and report everything that is wrong",
        options, validate_command);
    command.add_options({{"FILE", &options->file, "Specification (YAML)", kRequired},
                         {"--schema-only", &options->schema_only,
                          "Leave out the rules that need geometry, memory or time"},
                         {"--canonical", &options->canonical,
                          "Print the specification with defaults and SI units, as JSON"}});
}

}  // namespace kaname::cli
