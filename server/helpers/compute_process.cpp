// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/compute_process.hpp"

#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::helpers {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

std::string text_of(const IndexRange& range) {
    return std::to_string(range.start) + ':' + std::to_string(range.count) + ':' +
           std::to_string(range.stride);
}

}  // namespace

ComputeProcess::ComputeProcess(ComputeOptions options)
    : options_(std::move(options)),
      slots_(options_.max_parallel),
      readers_({.program = options_.program,
                .scratch = options_.scratch / "readers",
                .threads = options_.threads,
                .limit = options_.limit}) {
    std::error_code failed;
    fs::remove_all(options_.scratch, failed);
    fs::create_directories(options_.scratch, failed);
    if (failed) {
        throw Error(ErrorCode::Unavailable, "helpers' folder " + options_.scratch.string() +
                                                ": cannot be made: " + failed.message());
    }
}

std::string ComputeProcess::run(std::vector<std::string> arguments) {
    slots_.acquire();
    struct Release {
        std::counting_semaphore<64>& slots;
        ~Release() { slots.release(); }
    } release{slots_};
    const std::string verb = arguments.front();
    arguments.emplace_back("--watch-stdin");
    const auto deadline = Clock::now() + options_.limit;
    const run::ComputeRunner compute(options_.program, [&] {
        if (Clock::now() > deadline) {
            throw Error(ErrorCode::Unavailable, "kaname-compute " + verb + " took longer than " +
                                                    std::to_string(options_.limit.count()) +
                                                    " s and was stopped");
        }
    });
    return compute.run({.arguments = std::move(arguments)}).json;
}

v1::Estimate ComputeProcess::preflight(const std::string& spec_json) {
    const ScratchFolder folder(options_.scratch / std::to_string(++n_calls_));
    write_file(folder.file("spec.json"), spec_json);
    return report::parse<v1::Estimate>(run({"preflight", "--spec", folder.file("spec.json"),
                                            "--threads", std::to_string(options_.threads)}),
                                       "kaname-compute preflight");
}

void ComputeProcess::gather(const std::string& verb, const std::string& spec_json,
                            std::span<const NamedFile> inputs, const fs::path& dataset) {
    const ScratchFolder folder(options_.scratch / std::to_string(++n_calls_));
    write_file(folder.file("spec.json"), spec_json);
    write_file(folder.file("inputs"), list_of(inputs));
    (void)run({verb, "--spec", folder.file("spec.json"), "--inputs", folder.file("inputs"), "--out",
               dataset.string(), "--threads", std::to_string(options_.threads)});
}

Block ComputeProcess::read(const std::string& spec_json, std::span<const NamedFile> inputs,
                           std::span<const NamedFile> sources) {
    return readers_.read(spec_json, inputs, sources);
}

Block ComputeProcess::slice(const fs::path& dataset, const IndexRange& sources,
                            const IndexRange& epochs, const IndexRange& stations) {
    const ScratchFolder folder(options_.scratch / std::to_string(++n_calls_));
    const std::string raw = folder.file("values");
    const std::string result =
        run({"slice", "--dataset", dataset.string(), "--sources", text_of(sources), "--epochs",
             text_of(epochs), "--stations", text_of(stations), "--out", raw});
    const auto found = report::parse<v1::SliceReport>(result, "kaname-compute slice");
    Block block;
    block.source_ids.assign(found.source_ids().begin(), found.source_ids().end());
    block.epochs_s.assign(found.epochs_s().begin(), found.epochs_s().end());
    block.station_ids.assign(found.station_ids().begin(), found.station_ids().end());
    block.components.assign(found.components().begin(), found.components().end());
    block.values = read_values("slice", raw, block.source_ids.size() * block.values_of_a_source());
    return block;
}

}  // namespace kaname::helpers
