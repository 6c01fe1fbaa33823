// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/source_reader.hpp"

#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname::helpers {

std::string list_of(std::span<const NamedFile> files) {
    std::string list;
    for (const NamedFile& file : files) {
        list += file.name + '\t' + file.file.string() + '\n';
    }
    return list;
}

SourceReader::SourceReader(const Start& start, const std::string& spec_json)
    : folder_(start.folder) {
    write_file(folder_.file("spec.json"), spec_json);
    write_file(folder_.file("inputs"), list_of(start.inputs));
    session_.emplace(start.program,
                     std::vector<std::string>{"read", "--spec", folder_.file("spec.json"),
                                              "--inputs", folder_.file("inputs"), "--threads",
                                              std::to_string(start.threads)},
                     1, start.limits);
}

std::string SourceReader::answer(const AnswerLimit& limit) {
    const run::Event event = next_answer(*session_, "read", limit);
    if (const auto* failure = std::get_if<run::Failure>(&event)) {
        usable_ = !axes_.components.empty();  // told of a command, it goes on with the next
        run::rethrow(*failure);
    }
    return std::get<run::Result>(event).json;
}

Block SourceReader::read(std::span<const NamedFile> sources, std::chrono::seconds longest) {
    usable_ = false;
    const AnswerLimit limit{longest};
    if (axes_.components.empty()) {
        const auto ready = report::parse<v1::ReaderReport>(answer(limit), "kaname-compute read");
        axes_.epochs_s.assign(ready.epochs_s().begin(), ready.epochs_s().end());
        axes_.station_ids.assign(ready.station_ids().begin(), ready.station_ids().end());
        axes_.components.assign(ready.components().begin(), ready.components().end());
    }
    v1::ReadCommand command;
    command.set_id(std::to_string(++n_asked_));
    command.set_out(folder_.file("values"));
    for (const NamedFile& source : sources) {
        v1::ReadCommand::Source& one = *command.add_sources();
        one.set_id(source.name);
        one.set_file(source.file.string());
    }
    session_->send(report::to_json(command));
    const auto found = report::parse<v1::BlockReport>(answer(limit), "kaname-compute read");
    if (found.id() != command.id()) {
        throw Error(ErrorCode::Internal, "kaname-compute read: answered command " + found.id() +
                                             " when asked " + command.id());
    }
    Block block = axes_;
    block.source_ids.assign(found.source_ids().begin(), found.source_ids().end());
    block.values =
        read_values("read", command.out(), block.source_ids.size() * block.values_of_a_source());
    ++n_answers_;
    usable_ = true;
    return block;
}

}  // namespace kaname::helpers
