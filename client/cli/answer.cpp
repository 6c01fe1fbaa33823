// SPDX-License-Identifier: BSD-3-Clause
// answer: motion for other rheologies than those of a dataset, without solving.
#include <fstream>
#include <iostream>

#include "client/cli/answer_options.hpp"
#include "client/cli/commands.hpp"
#include "client/cli/format.hpp"
#include "client/cli/output_place.hpp"
#include "client/cli/served_answer.hpp"
#include "client/cli/verb_report.hpp"
#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "proto/spec/form/text.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/units.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

/// A file like the dataset, or with a table one for many rheologies.
int answer_from_file(const AnswerOptions& options, const Context& context) {
    const OutputPlace place("--output", options.output, options.force);
    place.make_folder();
    const TemporaryFolder stage(fs::absolute(place.path()).parent_path());
    const std::string made = (stage.path() / "answer.h5").string();
    std::vector<std::string> call = {"answer", "--dataset", options.dataset, "--out", made};
    for (const auto* said : {&options.viscosities, &options.rheology}) {
        for (const std::string& text : *said) {
            call.insert(call.end(), {"--rheology", text});
        }
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
    if (!options.history.empty()) {
        const std::string file = (stage.path() / "history.json").string();
        write_file(file, report::to_json(slip_history_of(options.history)));
        call.insert(call.end(), {"--history", file});
    }
    auto report = verb_report<v1::WrittenReport>(context.compute, call);
    place.put(made);
    report.clear_written();
    report.add_written(place.path().string());
    tell_written(report, context.json);
    return run::kExitOk;
}

/// A table (csv).
int answer_from_server(const AnswerOptions& options, const Context& context) {
    if (fs::path(options.output).extension() == ".h5") {
        throw Error(ErrorCode::InvalidArgument,
                    "--output: a server answers with a table, must not end in .h5, got " +
                        spec::quote(options.output) + " (a file: kaname download, then answer it)");
    }
    const OutputPlace place("--output", options.output, options.force);
    const auto client = open_client(options.service);
    const v1::AnswerRequest request =
        answer_request(options, "datasets/" + resolve_job(*client, options.dataset));
    place.make_folder();
    std::int64_t rows = 0;
    {
        std::ofstream table(place.part());
        rows = write_served_answer(*client, request, table);
        if (!table.flush()) {
            throw Error(ErrorCode::Unavailable, place.part().string() + ": cannot be written");
        }
    }
    place.put(place.part());
    if (context.json) {
        v1::WrittenReport report;
        report.add_written(place.path().string());
        tell_written(report, true);
    } else {
        std::cout << place.path().string() << ": " << format_count(rows) << " rows\n";
    }
    return run::kExitOk;
}

int answer_command(const AnswerOptions& options, const Context& context) {
    return fs::is_regular_file(options.dataset) ? answer_from_file(options, context)
                                                : answer_from_server(options, context);
}

}  // namespace

void add_answer(Command& app, Context& context) {
    const auto options = std::make_shared<AnswerOptions>();
    Command& command = add_command<AnswerOptions>(
        app, context, "answer", "Motion for other viscosities, from a dataset, without solving",
        options, answer_command);
    command.add_options(
        {{"DATASET", &options->dataset,
          "Dataset (greens.h5) whose viscosities have ranges, or the job of the server "
          "that has it",
          kRequired},
         {"--viscosity",
          &options->viscosities,
          "NAME=VALUE in Pa s, within its range; again for more; default: the reference",
          {.one_each = true}},
         {"--rheology",
          &options->rheology,
          "Another body for it: NAME.kelvin_mu_ratio=, NAME.kelvin= [Pa s], "
          "NAME.relaxed_mu_ratio=; "
          "again for more",
          {.one_each = true}},
         {"--epochs",
          &options->epochs_years,
          "Years since the slip, separated by commas; default: the dataset's",
          {.delimiter = ','}},
         {"--table", &options->table,
          "csv with a column per number and a row per rheology: the motion for all "
          "of them"},
         {"--slip", &options->slip,
          "csv of source and slip_m, over which --table sums, and a server does"},
         {"--slip-history", &options->history,
          "step, ramp=YEARS, exponential=YEARS, logarithmic=YEARS or a csv of "
          "time_years and slip; default: the dataset's"},
         {"-o,--output", &options->output, "File to write: HDF5, or csv where a server answers",
          kRequired},
         {"--force", &options->force, "Replace another file"}});
    add_service_options(command, options->service);
}

}  // namespace kaname::cli
