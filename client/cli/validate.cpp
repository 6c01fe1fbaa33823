// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include <nlohmann/json.hpp>

#include "client/cli/commands.hpp"
#include "client/cli/preflight.hpp"
#include "proto/spec/canonical.hpp"
#include "worker/channel/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

struct ValidateOptions {
    std::string file;
    bool schema_only = false;
};

int validate_command(const ValidateOptions& options, const Context& context) {
    const spec::LoadedSpec spec = spec::load_spec(options.file);
    std::vector<std::string> warnings;
    if (!options.schema_only) {
        const v1::Estimate estimate = preflight(spec, 0, context);
        warnings.assign(estimate.warnings().begin(), estimate.warnings().end());
    }
    if (context.json) {
        const json report = {{"valid", true},
                             {"name", spec.batch.name()},
                             {"content_hash", spec::content_hash(spec.batch)},
                             {"chosen", spec.chosen},
                             {"warnings", warnings}};
        std::cout << report.dump(2) << "\n";
        return channel::kExitOk;
    }
    if (!spec.chosen.empty()) {
        std::cout << spec.chosen << "\n";
    }
    for (const std::string& warning : warnings) {
        std::cerr << "warning: " << warning << "\n";
    }
    std::cout << options.file << ": valid\n";
    return channel::kExitOk;
}

}  // namespace

void add_validate(CLI::App& app, Context& context) {
    const auto options = std::make_shared<ValidateOptions>();
    CLI::App* command = add_command<ValidateOptions>(
        app, context, "validate", "Check a specification and report everything that is wrong",
        options, validate_command);
    command->add_option("FILE", options->file, "Specification (YAML)")->required();
    command->add_flag("--schema-only", options->schema_only,
                      "Leave out the rules that need geometry, memory or time");
}

}  // namespace kaname::cli
