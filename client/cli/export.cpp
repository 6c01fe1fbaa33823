// SPDX-License-Identifier: BSD-3-Clause
// export: a dataset's Green's functions in the layouts that inversion codes read.
#include "client/cli/export.hpp"

#include <iostream>

#include "client/cli/output_folder.hpp"
#include "client/cli/verb_report.hpp"
#include "proto/kaname/v1/report.pb.h"
#include "solvers/base/files.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace fs = std::filesystem;

int export_command(const ExportOptions& options, const Context& context) {
    const OutputFolder place("--output", options.output, options.force);
    const TemporaryFolder stage(place.make_parent());
    // Its permissions are those of any new folder, unlike the stage's.
    const fs::path made = stage.path() / "export";
    std::vector<std::string> arguments = {"export",       "--dataset", options.file, "--to",
                                          options.layout, "--out",     made.string()};
    const auto pass_on = [&](const char* name, const std::string& value) {
        if (!value.empty()) {
            arguments.push_back(name + ("=" + value));  // one word: values may begin with a minus
        }
    };
    pass_on("--epoch", options.epoch);
    pass_on("--rake", options.rake);
    pass_on("--dt", options.dt);
    auto report = verb_report<v1::WrittenReport>(context.compute, arguments);
    place.put(made, "manifest.json");
    for (std::string& file : *report.mutable_written()) {
        file = (place.path() / fs::path(file).filename()).string();
    }
    tell_written(report, context.json);
    return run::kExitOk;
}

void add_export_options(Command& command, ExportOptions& options) {
    command.add_options(
        {{"--to", &options.layout,
          "Layout: csi, altar, beat, pylith, viscojapan, pyrocko, csv, geojson or gmt; of "
          "seismograms sac or miniseed, of ruptures scec",
          kRequired},
         {"-o,--output", &options.output, "Folder for the files, new or empty", kRequired},
         {"--epoch",
          &options.epoch,
          "Epoch in years, one of the dataset's, for layouts that hold one; default: "
          "the first",
          {.check = kNumber}},
         {"--rake",
          &options.rake,
          "beat: rake of uparr in degrees; default: 90",
          {.check = kNumber}},
         {"--dt",
          &options.dt,
          "pyrocko: interval of samples in years; default: the shortest between epochs",
          {.check = kNumber}},
         {"--force", &options.force,
          "Also into a folder with files: replaces those of the same names"}});
}

void add_export(Command& app, Context& context) {
    const auto options = std::make_shared<ExportOptions>();
    Command& command = add_command<ExportOptions>(
        app, context, "export",
        "Write a dataset for other programs: Green's functions or seismograms", options,
        export_command);
    command.add_options(
        {{"FILE", &options->file, "Dataset (greens.h5, seismograms.h5 or rupture.h5)", kRequired}});
    add_export_options(command, *options);
}

}  // namespace kaname::cli
