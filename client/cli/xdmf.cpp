// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/commands.hpp"
#include "client/cli/dataset_identity.hpp"
#include "client/cli/verb_report.hpp"
#include "proto/kaname/v1/report.pb.h"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

struct XdmfOptions {
    std::string file;
    bool force = false;
};

int xdmf_command(const XdmfOptions& options, const Context& context) {
    const std::filesystem::path dataset(options.file);
    for (const char* group : {"_surface.xdmf", "_volume.xdmf", "_snapshots.xdmf"}) {
        (void)OutputPlace("FILE", dataset.parent_path() / (dataset.stem().string() + group),
                          options.force, describes(dataset));
    }
    const auto report =
        verb_report<v1::WrittenReport>(context.compute, {"xdmf", "--dataset", options.file});
    tell_written(report, context.json);
    return run::kExitOk;
}

}  // namespace

void add_xdmf(Command& app, Context& context) {
    const auto options = std::make_shared<XdmfOptions>();
    Command& command = add_command<XdmfOptions>(
        app, context, "xdmf",
        "Write Xdmf for ParaView beside a dataset: a scenario's surface and volume, snapshots of "
        "waves",
        options, xdmf_command);
    command.add_options(
        {{"FILE", &options->file, "Dataset (greens.h5, seismograms.h5, rupture.h5)", kRequired},
         {"--force", &options->force, "Replace files of these names that do not describe it"}});
}

}  // namespace kaname::cli
