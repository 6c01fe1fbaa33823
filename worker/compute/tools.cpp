// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/tools.hpp"

#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include <unistd.h>

#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/dataset/greens_layout.hpp"
#include "solvers/io/dataset/greens_slice.hpp"
#include "solvers/io/dataset/inversion_dataset.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "solvers/io/export/fault_series.hpp"
#include "solvers/io/export/greens/greens_export.hpp"
#include "solvers/io/export/vtu_export.hpp"
#include "solvers/io/export/xdmf.hpp"
#include "solvers/io/waveforms/export_seismograms.hpp"
#include "worker/compute/compute_main.hpp"
#include "worker/compute/dataset_report.hpp"
#include "worker/compute/slice.hpp"
#include "worker/jobs/frame/probe.hpp"
#include "worker/jobs/frame/reporter.hpp"
#include "worker/jobs/frame/waves_report.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

using command::Command;
using command::kRequired;
using command::Option;

constexpr command::Rules kAgain{.one_each = true};

struct ToolOptions {
    std::string dataset, mesh, format, out, record, origin_time;
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
    if (options.format == io::kVtuLayout) {
        reporter.result("export", written_report(io::export_vtu(options.dataset, options.out,
                                                                options.greens.epoch_years)));
        return run::kExitOk;
    }
    if (io::has_seismograms(options.dataset)) {
        const double origin_s = options.origin_time.empty()
                                    ? 0.0
                                    : io::utc_seconds("--origin-time", options.origin_time);
        reporter.result("export", written_report(io::export_seismograms(
                                      options.dataset, options.format, options.out, origin_s)));
        return run::kExitOk;
    }
    if (!options.origin_time.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "--origin-time: is of seismograms, which " + options.dataset + " has not");
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

void add_slice(Command& tool, SliceOptions& options) {
    tool.add_options({
        {"--sources", &options.sources, "start:count:stride; count 0: to the end"},
        {"--epochs", &options.epochs, "start:count:stride"},
        {"--stations", &options.stations, "start:count:stride"},
        {"--source", &options.source_ids, "Id of a source, in place of --sources; again for more",
         kAgain},
        {"--patch", &options.patch_ids, "Id of a patch: all its sources; again for more", kAgain},
        {"--station", &options.station_ids, "Id of a station; again for more", kAgain},
        {"--from-s", &options.from_s, "Epochs from this time [s] on"},
        {"--to-s", &options.to_s, "Epochs up to this time [s]"},
        {"--wanted", &options.wanted, "File with a kaname.v1.ReadSliceRequest in JSON"},
    });
}

void add_greens_export(Command& tool, ToolOptions& options) {
    tool.add_options({
        {"--to", &options.format, "Layout", kRequired},
        {"--out", &options.out, "Folder of the files, made where it is missing", kRequired},
        {"--epoch", &options.greens.epoch_years, "Epoch in years"},
        {"--rake", &options.greens.rake_deg, "Reference rake of beat in degrees"},
        {"--dt", &options.greens.dt_years, "Sampling of pyrocko in years"},
        {"--origin-time", &options.origin_time, "UTC time of the time 0 of seismograms"},
    });
}

void add_answer(Command& tool, ToolOptions& options) {
    tool.add_options({
        {"--rheology", &options.answer.rheology,
         "NAME=VALUE: a viscosity in Pa s, or a ratio of moduli; again for more", kAgain},
        {"--epochs-s", &options.answer.epochs_s, "Times since the slip [s]", {.delimiter = ','}},
        {"--table", &options.answer.table, "csv of viscosities, a row per rheology"},
        {"--slip", &options.answer.slip, "csv of source and slip_m, for --table"},
        {"--history", &options.answer.history, "File with a kaname.v1.SlipHistory in JSON"},
        {"--out", &options.out, "File to write", kRequired},
    });
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

void add_tools(Command& program, Action& chosen) {
    const auto options = std::make_shared<ToolOptions>();  // shared with the action that is chosen
    const auto add = [&](const char* name, const char* what,
                         int (*run)(const ToolOptions&, Reporter&)) -> Command& {
        Command& tool = program.add_command(name, what);
        tool.chosen = [&chosen, options, run] {
            chosen = [options, run](Reporter& reporter) {
                if (options->watch_stdin) {
                    end_with_stdin();
                }
                if (!options->dataset.empty()) {
                    blame_memory_faults_on(options->dataset);
                }
                return run(*options, reporter);
            };
        };
        return tool;
    };
    const Option dataset{"--dataset", &options->dataset, "Dataset to read", kRequired};
    const Option mesh{"--mesh", &options->mesh, "Mesh file", kRequired};
    const Option watch{"--watch-stdin", &options->watch_stdin, "End when standard input ends"};
    add("show", "Describe a dataset", show).add_options({dataset, watch});
    add("map", "Say what a map of a dataset shows", map_dataset).add_options({dataset, watch});
    add("solves", "Say how a dataset's sources were solved", solves)
        .add_options(
            {dataset,
             {"--source", &options->slice.source_ids, "Id of a source; again for more", kAgain},
             watch});
    add("campaign-index", "Write the index of a campaign's datasets",
        [](const ToolOptions& given, Reporter& reporter) {
            return campaign_index(given.record, given.out, reporter);
        })
        .add_options({
            {"--record", &options->record, "campaign.json of the download", kRequired},
            {"--out", &options->out, "Index (netCDF-4), beside the members' folder", kRequired},
        });
    add("xdmf", "Make a dataset's fields known to ParaView", xdmf).add_options({dataset});
    add("slip-tables", "Write an inversion's slip as tables", slip_tables)
        .add_options({dataset, {"--out", &options->out, "Folder of the tables", kRequired}});
    add("mesh-show", "Report on a mesh", show_mesh_file).add_options({mesh, watch});
    add("mesh-check", "Say whether a mesh is sound",
        [](const ToolOptions& given, Reporter& reporter) {
            return check_mesh(given.mesh, reporter);
        })
        .add_options({mesh});
    add("mesh-export", "Write a mesh for another program",
        [](const ToolOptions& given, Reporter& reporter) {
            return export_mesh(given.mesh, given.format, given.out, reporter);
        })
        .add_options({
            mesh,
            {"--format", &options->format, "gmsh, vtu or xdmf", kRequired},
            {"--out", &options->out, "File to write; xdmf stands beside the mesh"},
        });
    add_greens_export(
        add("export", "Write a dataset's Green's functions for an inversion code", export_dataset)
            .add_options({dataset}),
        *options);
    Command& answered =
        add("answer", "Motion for other viscosities than those of a dataset", answer_dataset)
            .add_options({dataset});
    add_answer(answered, *options);
    answered.add_options({watch});
    add("answers", "Answer commands on standard input from a dataset", answer_commands)
        .add_options({dataset});
    Command& slice =
        add("slice", "Copy a block of a dataset's values", slice_dataset).add_options({dataset});
    add_slice(slice, options->slice);
    slice.add_options(
        {{"--out", &options->out, "File for the values, little-endian float64", kRequired}, watch});
    add("probe", "Let every GPU that a solve would take compute", probe_gpus)
        .add_options({
            {"--device",
             &options->device,
             "auto: a GPU where there is one and the job can run on it",
             {.check = command::one_of("auto|cpu|cuda")}},
            {"--ranks",
             &options->ranks,
             "Ranks of the solves on this machine",
             {.check = command::between(1, 4096)}},
        });
    add("doctor", "Say what this build can do", doctor);
}

int show_mesh(const std::string& mesh, Reporter& reporter) {
    reporter.result("mesh-show", report_of(jobs::describe_mesh(mesh)));
    return run::kExitOk;
}

int check_mesh(const std::string& mesh, Reporter& reporter) {
    reporter.result("mesh-check", report_of(jobs::check_mesh_at(mesh)));
    return run::kExitOk;
}

int export_mesh(const std::string& mesh, const std::string& format, const std::string& out,
                Reporter& reporter) {
    reporter.result("mesh-export", written_report(jobs::export_mesh(mesh, format, out)));
    return run::kExitOk;
}

}  // namespace kaname::compute
