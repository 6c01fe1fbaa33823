// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/tools.hpp"

#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include <unistd.h>

#include "proto/report/report.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/dataset/greens_slice.hpp"
#include "solvers/io/dataset/inversion_dataset.hpp"
#include "solvers/io/dataset/seismogram_dataset.hpp"
#include "solvers/io/dataset/solve_records.hpp"
#include "solvers/io/export/fault_series.hpp"
#include "solvers/io/export/greens/greens_export.hpp"
#include "solvers/io/export/slip_table.hpp"
#include "solvers/io/export/xdmf.hpp"
#include "solvers/io/waveforms/export_seismograms.hpp"
#include "worker/compute/answer.hpp"
#include "worker/compute/answers.hpp"
#include "worker/compute/build_report.hpp"
#include "worker/compute/campaign_index.hpp"
#include "worker/compute/damaged_file.hpp"
#include "worker/compute/dataset_map.hpp"
#include "worker/compute/dataset_report.hpp"
#include "worker/compute/mesh_verbs.hpp"
#include "worker/compute/probe.hpp"
#include "worker/compute/reports.hpp"
#include "worker/compute/slice.hpp"
#include "worker/compute/waves_report.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

struct ToolOptions {
    std::string dataset, mesh, format, out, record;
    SliceOptions slice;
    AnswerOptions answer;
    std::string device = "auto";
    io::GreensExportOptions greens;
    int ranks = 1;
    bool watch_stdin = false;
};

int show(const ToolOptions& options, Reporter& reporter) {
    if (const std::string found = io::read_inversion_report(options.dataset); !found.empty()) {
        v1::DatasetReport report;
        report::parse_into(found, options.dataset, *report.mutable_inversion());
        report.mutable_inversion()->set_file(options.dataset);
        reporter.result("show", report);
        return run::kExitOk;
    }
    if (io::has_seismograms(options.dataset)) {
        v1::DatasetReport report;
        *report.mutable_waves() =
            report_of(io::read_seismogram_rows(options.dataset), options.dataset);
        reporter.result("show", report);
        return run::kExitOk;
    }
    io::require_greens(options.dataset);
    reporter.result(
        "show", dataset_report(io::read_greens_dataset(options.dataset, io::FieldGroups::LeaveOut),
                               io::names_of_field_groups(options.dataset)));
    return run::kExitOk;
}

int map_dataset(const ToolOptions& options, Reporter& reporter) {
    io::require_greens(options.dataset);
    reporter.result("map", dataset_map(io::read_greens_rows(options.dataset)));
    return run::kExitOk;
}

int solves(const ToolOptions& options, Reporter& reporter) {
    reporter.result(
        "solves", solve_history(io::read_solve_records(options.dataset), options.slice.source_ids));
    return run::kExitOk;
}

int show_mesh_file(const ToolOptions& options, Reporter& reporter) {
    return show_mesh(options.mesh, reporter);
}

int xdmf(const ToolOptions& options, Reporter& reporter) {
    reporter.result("xdmf", written_report(io::write_xdmf(options.dataset)));
    return run::kExitOk;
}

int slip_tables(const ToolOptions& options, Reporter& reporter) {
    reporter.result("slip-tables",
                    written_report(io::write_slip_tables(options.dataset, options.out)));
    return run::kExitOk;
}

int export_dataset(const ToolOptions& options, Reporter& reporter) {
    if (options.format == io::kScecLayout) {
        reporter.result("export",
                        written_report(io::export_fault_series(options.dataset, options.out)));
        return run::kExitOk;
    }
    if (io::has_seismograms(options.dataset)) {
        reporter.result("export", written_report(io::export_seismograms(
                                      options.dataset, options.format, options.out)));
        return run::kExitOk;
    }
    reporter.result("export", written_report(io::export_greens(options.dataset, options.format,
                                                               options.out, options.greens)));
    return run::kExitOk;
}

int answer_dataset(const ToolOptions& options, Reporter& reporter) {
    return answer(options.dataset, options.answer, options.out, reporter);
}

int answer_commands(const ToolOptions& options, Reporter& reporter) {
    return answers(options.dataset, std::cin, reporter);
}

int slice_dataset(const ToolOptions& options, Reporter& reporter) {
    return slice(options.dataset, slice_of(options.slice), options.out, reporter);
}

int probe_gpus(const ToolOptions& options, Reporter& reporter) {
    CudaGpus gpus;
    return probe(options.device, options.ranks, gpus, reporter);
}

int doctor(const ToolOptions&, Reporter& reporter) {
    reporter.result("doctor", build_report());
    return run::kExitOk;
}

void add_slice(CLI::App& tool, SliceOptions& options) {
    tool.add_option("--sources", options.sources, "start:count:stride; count 0: to the end");
    tool.add_option("--epochs", options.epochs, "start:count:stride");
    tool.add_option("--stations", options.stations, "start:count:stride");
    const auto add_ids = [&tool](const char* name, std::vector<std::string>& ids,
                                 const char* what) {
        tool.add_option(name, ids, what)->type_size(1)->allow_extra_args(false);
    };
    add_ids("--source", options.source_ids,
            "Id of a source, in place of --sources; again for more");
    add_ids("--patch", options.patch_ids, "Id of a patch: all its sources; again for more");
    add_ids("--station", options.station_ids, "Id of a station; again for more");
    tool.add_option("--from-s", options.from_s, "Epochs from this time [s] on");
    tool.add_option("--to-s", options.to_s, "Epochs up to this time [s]");
    tool.add_option("--wanted", options.wanted, "File with a kaname.v1.ReadSliceRequest in JSON");
}

void add_dataset(CLI::App& tool, ToolOptions& options) {
    tool.add_option("--dataset", options.dataset, "Dataset to read")->required();
}

void add_mesh(CLI::App& tool, ToolOptions& options) {
    tool.add_option("--mesh", options.mesh, "Mesh file")->required();
}

void add_greens_export(CLI::App& tool, ToolOptions& options) {
    add_dataset(tool, options);
    tool.add_option("--to", options.format, "Layout")->required();
    tool.add_option("--out", options.out, "Folder of the files, made where it is missing")
        ->required();
    tool.add_option("--epoch", options.greens.epoch_years, "Epoch in years");
    tool.add_option("--rake", options.greens.rake_deg, "Reference rake of beat in degrees");
    tool.add_option("--dt", options.greens.dt_years, "Sampling of pyrocko in years");
}

}  // namespace

void end_with_stdin() {
    std::thread([] {
        std::array<char, 256> ignored;
        while (::read(STDIN_FILENO, ignored.data(), ignored.size()) > 0) {
        }
        ::_exit(run::kExitInterrupted);
    }).detach();
}

void add_tools(CLI::App& app, Action& chosen) {
    const auto options = std::make_shared<ToolOptions>();  // shared with the action that is chosen
    const auto add = [&](const char* name, const char* what,
                         int (*run)(const ToolOptions&, Reporter&)) -> CLI::App& {
        CLI::App* tool = app.add_subcommand(name, what);
        tool->callback([&chosen, options, run] {
            chosen = [options, run](Reporter& reporter) {
                if (options->watch_stdin) {
                    end_with_stdin();
                }
                if (!options->dataset.empty()) {
                    blame_memory_faults_on(options->dataset);
                }
                return run(*options, reporter);
            };
        });
        return *tool;
    };
    const auto add_watch = [&](CLI::App& tool) {
        tool.add_flag("--watch-stdin", options->watch_stdin, "End when standard input ends");
    };
    CLI::App& describe = add("show", "Describe a dataset", show);
    add_dataset(describe, *options);
    add_watch(describe);
    CLI::App& map = add("map", "Say what a map of a dataset shows", map_dataset);
    add_dataset(map, *options);
    add_watch(map);
    CLI::App& history = add("solves", "Say how a dataset's sources were solved", solves);
    add_dataset(history, *options);
    history.add_option("--source", options->slice.source_ids, "Id of a source; again for more")
        ->type_size(1)
        ->allow_extra_args(false);
    add_watch(history);
    CLI::App& index = add("campaign-index", "Write the index of a campaign's datasets",
                          [](const ToolOptions& given, Reporter& reporter) {
                              return campaign_index(given.record, given.out, reporter);
                          });
    index.add_option("--record", options->record, "campaign.json of the download")->required();
    index.add_option("--out", options->out, "Index (netCDF-4), beside the members' folder")
        ->required();
    add_dataset(add("xdmf", "Make a dataset's fields known to ParaView", xdmf), *options);
    CLI::App& slip = add("slip-tables", "Write an inversion's slip as tables", slip_tables);
    add_dataset(slip, *options);
    slip.add_option("--out", options->out, "Folder of the tables")->required();
    CLI::App& mesh = add("mesh-show", "Report on a mesh", show_mesh_file);
    add_mesh(mesh, *options);
    add_watch(mesh);
    add_mesh(add("mesh-check", "Say whether a mesh is sound",
                 [](const ToolOptions& given, Reporter& reporter) {
                     return check_mesh(given.mesh, reporter);
                 }),
             *options);
    CLI::App& mesh_export =
        add("mesh-export", "Write a mesh for another program",
            [](const ToolOptions& given, Reporter& reporter) {
                return export_mesh(given.mesh, given.format, given.out, reporter);
            });
    add_mesh(mesh_export, *options);
    mesh_export.add_option("--format", options->format, "gmsh, vtu or xdmf")->required();
    mesh_export.add_option("--out", options->out, "File to write; xdmf stands beside the mesh");
    add_greens_export(
        add("export", "Write a dataset's Green's functions for an inversion code", export_dataset),
        *options);
    CLI::App& answered =
        add("answer", "Motion for other viscosities than those of a dataset", answer_dataset);
    add_dataset(answered, *options);
    answered
        .add_option("--rheology", options->answer.rheology,
                    "NAME=VALUE: a viscosity in Pa s, or a ratio of moduli; again for more")
        ->type_size(1)
        ->allow_extra_args(false);
    answered.add_option("--epochs-s", options->answer.epochs_s, "Times since the slip [s]")
        ->delimiter(',');
    answered.add_option("--table", options->answer.table, "csv of viscosities, a row per rheology");
    answered.add_option("--slip", options->answer.slip, "csv of source and slip_m, for --table");
    answered.add_option("--history", options->answer.history,
                        "File with a kaname.v1.SlipHistory in JSON");
    answered.add_option("--out", options->out, "File to write")->required();
    add_watch(answered);
    add_dataset(add("answers", "Answer commands on standard input from a dataset", answer_commands),
                *options);
    CLI::App& slice = add("slice", "Copy a block of a dataset's values", slice_dataset);
    add_dataset(slice, *options);
    add_slice(slice, options->slice);
    slice.add_option("--out", options->out, "File for the values, little-endian float64")
        ->required();
    add_watch(slice);
    CLI::App& probe = add("probe", "Let every GPU that a solve would take compute", probe_gpus);
    probe
        .add_option("--device", options->device,
                    "auto: a GPU where there is one and the job can run on it")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    probe.add_option("--ranks", options->ranks, "Ranks of the solves on this machine")
        ->check(CLI::Range(1, 4096));
    add("doctor", "Say what this build can do", doctor);
}

}  // namespace kaname::compute
