// SPDX-License-Identifier: BSD-3-Clause
// answer: motion for other viscosities than those of a dataset, without solving.
#include "client/cli/commands.hpp"
#include "client/cli/output_place.hpp"
#include "client/cli/verb_report.hpp"
#include "proto/kaname/v1/report.pb.h"
#include "proto/spec/form/text.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/units.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

struct AnswerOptions {
    std::string file, table, slip, output;
    std::vector<std::string> viscosities;
    std::vector<double> epochs_years;
    bool force = false;
};

int answer_command(const AnswerOptions& options, const Context& context) {
    const OutputPlace place("--output", options.output, options.force);
    place.make_folder();
    const TemporaryFolder stage(fs::absolute(place.path()).parent_path());
    const std::string made = (stage.path() / "answer.h5").string();
    std::vector<std::string> call = {"answer", "--dataset", options.file, "--out", made};
    for (const std::string& viscosity : options.viscosities) {
        call.insert(call.end(), {"--viscosity", viscosity});
    }
    for (const double years : options.epochs_years) {
        call.insert(call.end(), {"--epochs-s", spec::show(years * kJulianYear_s)});
    }
    if (!options.table.empty()) {
        call.insert(call.end(), {"--table", options.table});
    }
    if (!options.slip.empty()) {
        call.insert(call.end(), {"--slip", options.slip});
    }
    auto report = verb_report<v1::WrittenReport>(context.compute, call);
    place.put(made);
    report.clear_written();
    report.add_written(place.path().string());
    tell_written(report, context.json);
    return run::kExitOk;
}

}  // namespace

void add_answer(CLI::App& app, Context& context) {
    const auto options = std::make_shared<AnswerOptions>();
    CLI::App* command = add_command<AnswerOptions>(
        app, context, "answer", "Motion for other viscosities, from a dataset, without solving",
        options, answer_command);
    command->add_option("FILE", options->file, "Dataset whose viscosities have ranges")->required();
    command
        ->add_option("--viscosity", options->viscosities,
                     "NAME=VALUE in Pa s, within its range; again for more; default: the reference")
        ->type_size(1)
        ->allow_extra_args(false);
    command
        ->add_option("--epochs", options->epochs_years,
                     "Years since the slip, separated by commas; default: the dataset's")
        ->delimiter(',');
    command->add_option("--table", options->table,
                        "csv with a column per viscosity [Pa s] and a row per rheology: the motion "
                        "for all of them");
    command->add_option("--slip", options->slip,
                        "csv of source and slip_m, over which --table sums");
    command->add_option("-o,--output", options->output, "File to write (HDF5)")->required();
    command->add_flag("--force", options->force, "Replace another file");
}

}  // namespace kaname::cli
