// SPDX-License-Identifier: BSD-3-Clause
// regrid: the dataset of other patches on a fault whose response to forces is stored.
#include <algorithm>

#include "client/cli/commands.hpp"
#include "client/cli/output_folder.hpp"
#include "client/cli/output_place.hpp"
#include "client/cli/verb_report.hpp"
#include "proto/kaname/v1/dataset_report.pb.h"
#include "proto/kaname/v1/report.pb.h"
#include "proto/spec/greens/canonical_batch.hpp"
#include "proto/spec/greens/load.hpp"
#include "proto/spec/greens/other_patches.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

struct RegridOptions {
    std::string file, patches, spec, output;
    bool force = false;
};

/// Returns the specification that the dataset was made from. A dataset names files by their
/// content: if it has some, the specification's own file gives their paths.
v1::GreensBatch batch_of(const RegridOptions& options, const Context& context) {
    const auto shown =
        verb_report<v1::DatasetReport>(context.compute, {"show", "--dataset", options.file});
    v1::GreensBatch stored = spec::parse_json(report::to_json(shown.provenance().specification()),
                                              "specification of '" + options.file + "'");
    if (options.spec.empty()) {
        return stored;
    }
    v1::GreensBatch given = spec::load_spec(options.spec).batch;
    if (spec::content_hash(given) != spec::content_hash(stored)) {
        throw Error(ErrorCode::InvalidArgument, "--spec: '" + options.spec +
                                                    "' must be the specification of '" +
                                                    options.file + "', is another");
    }
    return given;
}

spec::LoadedSpec regridded_spec(const RegridOptions& options, const Context& context) {
    v1::GreensBatch batch = batch_of(options, context);
    try {
        return spec::with_patches(std::move(batch), options.patches);
    } catch (const ValidationError& error) {
        const bool of_files = std::ranges::any_of(
            error.violations(),
            [](const Violation& violation) { return violation.field.ends_with("path"); });
        if (!options.spec.empty() || !of_files) {
            throw;
        }
        throw Error(ErrorCode::InvalidArgument,
                    std::string(error.what()) +
                        "; the dataset's specification names files: --spec must name the "
                        "specification itself, which says where they are");
    }
}

int regrid_command(const RegridOptions& options, const Context& context) {
    const OutputPlace place("--output", options.output, options.force);
    const spec::LoadedSpec spec = regridded_spec(options, context);
    place.make_folder();
    const TemporaryFolder stage(fs::absolute(place.path()).parent_path());
    const std::string spec_file = (stage.path() / "spec.json").string();
    write_file(spec_file, spec::to_json(spec.batch));
    const std::string made = (stage.path() / "greens.h5").string();
    auto report = verb_report<v1::WrittenReport>(
        context.compute,
        {"regrid", "--spec", spec_file, "--input", "dataset=" + options.file, "--out", made});
    place.put(made);
    report.clear_written();
    report.add_written(place.path().string());
    tell_written(report, context.json);
    return run::kExitOk;
}

}  // namespace

void add_regrid(Command& app, Context& context) {
    const auto options = std::make_shared<RegridOptions>();
    Command& command = add_command<RegridOptions>(
        app, context, "regrid",
        "Lay other patches on the fault of a dataset that was solved by receivers", options,
        regrid_command);
    command.add_options(
        {{"FILE", &options->file, "Dataset (greens.h5) with solve_by receivers", kRequired},
         {"--patches", &options->patches,
          "YAML with the patches: plane, interface or mesh as under fault", kRequired},
         {"--spec", &options->spec, "The dataset's specification, where it names files"},
         {"-o,--output", &options->output, "Dataset to write", kRequired},
         {"--force", &options->force, "Replace a file that is there"}});
}

}  // namespace kaname::cli
