// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/compute_process.hpp"

#include <fstream>

#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::helpers {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

/// A folder of one call, gone when the call ends.
class CallFolder {
public:
    explicit CallFolder(fs::path path) : path_(std::move(path)) { fs::create_directories(path_); }
    ~CallFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    CallFolder(const CallFolder&) = delete;
    CallFolder& operator=(const CallFolder&) = delete;

    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

std::string text_of(const IndexRange& range) {
    return std::to_string(range.start) + ':' + std::to_string(range.count) + ':' +
           std::to_string(range.stride);
}

std::vector<double> read_values(const std::string& file, std::size_t count) {
    std::vector<double> values(count);
    std::ifstream in(file, std::ios::binary);
    const auto bytes = static_cast<std::streamsize>(count * sizeof(double));
    if (!in.read(reinterpret_cast<char*>(values.data()), bytes)) {
        throw Error(ErrorCode::Internal,
                    "kaname-compute slice: wrote fewer than " + std::to_string(count) + " values");
    }
    return values;
}

}  // namespace

ComputeProcess::ComputeProcess(ComputeOptions options)
    : options_(std::move(options)), slots_(options_.max_parallel) {
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
    const CallFolder folder(options_.scratch / std::to_string(++n_calls_));
    write_file(folder.file("spec.json"), spec_json);
    return report::parse<v1::Estimate>(run({"preflight", "--spec", folder.file("spec.json"),
                                            "--threads", std::to_string(options_.threads)}),
                                       "kaname-compute preflight");
}

void ComputeProcess::package(const std::string& spec_json, const fs::path& mesh,
                             std::span<const SourceFile> sources, bool only_these,
                             const fs::path& dataset) {
    const CallFolder folder(options_.scratch / std::to_string(++n_calls_));
    write_file(folder.file("spec.json"), spec_json);
    std::string list;
    for (const SourceFile& source : sources) {
        list += source.id + '\t' + source.file.string() + '\n';
    }
    write_file(folder.file("sources"), list);
    std::vector<std::string> arguments = {"package",
                                          "--spec",
                                          folder.file("spec.json"),
                                          "--input",
                                          "mesh=" + mesh.string(),
                                          "--inputs",
                                          folder.file("sources"),
                                          "--out",
                                          dataset.string(),
                                          "--threads",
                                          std::to_string(options_.threads)};
    if (only_these) {
        arguments.emplace_back("--only");
    }
    (void)run(std::move(arguments));
}

Block ComputeProcess::slice(const fs::path& dataset, const IndexRange& sources,
                            const IndexRange& epochs, const IndexRange& stations) {
    const CallFolder folder(options_.scratch / std::to_string(++n_calls_));
    const std::string raw = folder.file("values");
    const std::string result =
        run({"slice", "--dataset", dataset.string(), "--sources", text_of(sources), "--epochs",
             text_of(epochs), "--stations", text_of(stations), "--out", raw});
    const auto found = report::parse<v1::SliceReport>(result, "kaname-compute slice");
    Block block;
    block.source_ids.assign(found.source_ids().begin(), found.source_ids().end());
    block.epochs_s.assign(found.epochs_s().begin(), found.epochs_s().end());
    block.station_ids.assign(found.station_ids().begin(), found.station_ids().end());
    block.values = read_values(
        raw, 3 * block.source_ids.size() * block.epochs_s.size() * block.station_ids.size());
    return block;
}

}  // namespace kaname::helpers
