// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/read_sources.hpp"

#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "worker/compute/values_file.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

v1::BlockReport read_block(jobs::SourceReader& reader, const v1::ReadCommand& command) {
    jobs::SourceFiles files;
    for (const v1::ReadCommand::Source& source : command.sources()) {
        files[source.id()] = source.file();
    }
    const jobs::SourceBlock block = reader.read(files);
    write_values(command.out(), block.values);
    v1::BlockReport report;
    report.set_id(command.id());
    report.mutable_source_ids()->Assign(block.ids.begin(), block.ids.end());
    return report;
}

}  // namespace

int read_sources(jobs::SourceReader& reader, std::istream& in, Reporter& reporter) {
    v1::ReaderReport axes;
    axes.mutable_epochs_s()->Assign(reader.epochs_s().begin(), reader.epochs_s().end());
    const auto stations = reader.station_ids(), components = reader.components();
    axes.mutable_station_ids()->Assign(stations.begin(), stations.end());
    axes.mutable_components()->Assign(components.begin(), components.end());
    reporter.result("ready", axes);
    for (std::string line; std::getline(in, line);) {
        try {
            const auto command =
                report::parse<v1::ReadCommand>(line, "no command: '" + line.substr(0, 200) + "'");
            reporter.result("block", read_block(reader, command));
        } catch (const std::exception& error) {
            reporter.failure(run::describe(error));
        }
    }
    return run::kExitOk;
}

}  // namespace kaname::compute
