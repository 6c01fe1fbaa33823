// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/compute_process.hpp"

#include <algorithm>
#include <optional>

#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/user_folders.hpp"

namespace kaname::helpers {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

// Below the two seconds within which a helper without a caller ends, less what passes until that is
// seen.
constexpr std::chrono::milliseconds kGrace{1000};
constexpr std::uint64_t kOpenFiles = 4096;
constexpr const char* kSpeeds = "speeds";  // as in the cache of a user (CalibrationCache)

[[noreturn]] void throw_gone(const std::string& verb) {
    throw Error(ErrorCode::Unavailable,
                "kaname-compute " + verb + " was stopped, as its caller has gone");
}

bool is_below(const fs::path& file, std::span<const fs::path> folders) {
    return std::ranges::any_of(folders, [&](const fs::path& folder) {
        const fs::path inside = file.lexically_relative(folder);
        return !inside.empty() && *inside.begin() != "..";
    });
}

/// Empties the helpers' folder, but for what this machine's speed was measured to be: the first
/// request after a start need not wait for that. A new folder, or a new build, begins with what
/// runs of the same user have measured.
void prepare(const fs::path& scratch) {
    const fs::path speeds = scratch / kSpeeds;
    std::error_code failed;
    fs::create_directories(speeds, failed);
    if (failed) {
        throw Error(ErrorCode::Unavailable, "helpers' folder " + scratch.string() +
                                                ": cannot be made: " + failed.message());
    }
    for (const fs::directory_entry& left : fs::directory_iterator(scratch, failed)) {
        if (left.path() != speeds) {
            fs::remove_all(left.path(), failed);
        }
    }
    const fs::path cache = cache_folder();
    if (cache.empty()) {
        return;
    }
    for (const fs::directory_entry& kept : fs::directory_iterator(cache / kSpeeds, failed)) {
        const fs::path copy = speeds / kept.path().filename();
        if (fs::copy_file(kept.path(), copy, fs::copy_options::skip_existing, failed)) {
            fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write, failed);
        }
    }
}

}  // namespace

std::string why_not_confined(const ComputeOptions& options) {
    return run::why_not_confined(options.program, {run::needed_to_start(options.program), {}});
}

ComputeProcess::ComputeProcess(ComputeOptions options)
    : options_(std::move(options)),
      needed_(options_.may_read.empty() ? std::vector<fs::path>()
                                        : run::needed_to_start(options_.program)),
      places_(options_.max_parallel, std::max(1, options_.max_parallel - 1)),
      readers_({.program = options_.program,
                .scratch = options_.scratch / "readers",
                .threads = options_.threads,
                .limit = options_.limit,
                .limits = [this](const fs::path& folder) { return limits(folder); }}),
      answerers_({.scratch = options_.scratch / "answerers",
                  .what = "helpers that answer from datasets",
                  .limit = options_.limit}) {
    prepare(options_.scratch);
}

std::unique_ptr<ShareQueue::Share> ComputeProcess::take_place(const std::string& verb,
                                                              const Caller& caller) {
    if (places_.is_full() && places_.n_waiting(caller.owner()) >= options_.max_waiting) {
        throw Error(ErrorCode::Exhausted,
                    "kaname-compute " + verb + ": at most " + std::to_string(options_.max_waiting) +
                        " calls may wait for a helper of the server; call again later");
    }
    std::int64_t one = 1;
    if (!places_.wait_for(caller, one)) {
        throw_gone(verb);
    }
    return std::make_unique<ShareQueue::Share>(places_, caller.owner(), one);
}

run::ResourceLimits ComputeProcess::limits(const fs::path& folder,
                                           std::span<const fs::path> files) {
    run::ResourceLimits limits{options_.memory_bytes, options_.file_bytes, 0, kOpenFiles,
                               std::nullopt};
    if (needed_.empty()) {
        return limits;
    }
    run::Confinement& confinement = limits.confinement.emplace();
    confinement.read = needed_;
    const std::span<const fs::path> given = files.empty() ? options_.may_read : files;
    for (const fs::path& file : given) {
        if (files.empty() || is_below(file, options_.may_read) ||
            is_below(file, options_.may_write)) {
            confinement.read.push_back(file);
        }
    }
    if (!folder.empty()) {
        confinement.write.push_back(folder);
    }
    return limits;
}

std::string ComputeProcess::run(std::vector<std::string> arguments, run::ResourceLimits limits,
                                const Caller& caller,
                                const std::map<std::string, std::string>& env) {
    const std::string verb = arguments.front();
    const auto place = take_place(verb, caller);
    arguments.emplace_back("--watch-stdin");
    const auto deadline = Clock::now() + options_.limit;
    const run::ComputeRunner compute(options_.program, [&] {
        if (Clock::now() > deadline) {
            throw Error(ErrorCode::Unavailable, "kaname-compute " + verb + " took longer than " +
                                                    std::to_string(options_.limit.count()) +
                                                    " s and was stopped");
        }
        if (caller.gone()) {
            throw_gone(verb);
        }
    });
    limits.cpu_s = static_cast<std::uint64_t>(options_.limit.count() * options_.threads);
    return compute
        .run({.arguments = std::move(arguments),
              .killed = ErrorCode::Unavailable,  // the caller tries again, a few times
              .env = env,
              .limits = std::move(limits),
              .grace = kGrace})
        .json;
}

v1::Estimate ComputeProcess::preflight(const std::string& request_json, const Caller& caller,
                                       std::span<const NamedFile> files) {
    const ScratchFolder folder(options_.scratch / std::to_string(++n_calls_));
    write_file(folder.file("spec.json"), request_json);
    write_file(folder.file("files"), list_of(files));
    run::ResourceLimits bounds = limits(folder.path());
    std::map<std::string, std::string> env;
    if (bounds.confinement) {
        // This machine's speed is measured once for all of this server's helpers.
        bounds.confinement->write.push_back(options_.scratch / kSpeeds);
        env["KANAME_CACHE"] = options_.scratch.string();
    }
    return report::parse<v1::Estimate>(
        run({"preflight", "--spec", folder.file("spec.json"), "--files", folder.file("files"),
             "--threads", std::to_string(options_.threads)},
            std::move(bounds), caller, env),
        "kaname-compute preflight");
}

void ComputeProcess::gather(const std::string& verb, const std::string& request_json,
                            std::span<const NamedFile> inputs, const fs::path& dataset,
                            const Caller& caller) {
    const ScratchFolder folder(options_.scratch / std::to_string(++n_calls_));
    write_file(folder.file("spec.json"), request_json);
    write_file(folder.file("inputs"), list_of(inputs));
    run::ResourceLimits bounds = limits(folder.path());
    if (bounds.confinement) {
        bounds.confinement->write.push_back(dataset.parent_path());
    }
    (void)run({verb, "--spec", folder.file("spec.json"), "--inputs", folder.file("inputs"), "--out",
               dataset.string(), "--threads", std::to_string(options_.threads)},
              std::move(bounds), caller);
}

std::string ComputeProcess::describe(const std::vector<std::string>& arguments,
                                     const Caller& caller) {
    return run(arguments, limits({}), caller);
}

Block ComputeProcess::read(const std::string& request_json, std::span<const NamedFile> inputs,
                           std::span<const NamedFile> sources) {
    return readers_.read(request_json, inputs, sources);
}

Slice ComputeProcess::slice(const fs::path& dataset, const v1::ReadSliceRequest& wanted,
                            const Caller& caller) {
    const ScratchFolder folder(options_.scratch / std::to_string(++n_calls_));
    const std::string raw = folder.file("values"), request = folder.file("wanted.json");
    // Thousands of ids exceed a command line.
    write_file(request, report::to_json(wanted));
    const std::string result =
        run({"slice", "--dataset", dataset.string(), "--wanted", request, "--out", raw},
            limits(folder.path(), {&dataset, 1}), caller);
    const auto found = report::parse<v1::SliceReport>(result, "kaname-compute slice");
    Block block;
    block.source_ids.assign(found.source_ids().begin(), found.source_ids().end());
    block.epochs_s.assign(found.epochs_s().begin(), found.epochs_s().end());
    block.station_ids.assign(found.station_ids().begin(), found.station_ids().end());
    block.components.assign(found.components().begin(), found.components().end());
    const std::size_t count = block.source_ids.size() * block.values_of_a_source();
    // Stays open when its folder has gone, and goes with the stream.
    return {std::move(block), values_in("slice", raw, count)};
}

void ComputeProcess::with_answerer(const fs::path& dataset,
                                   const std::function<void(AnswerSession&)>& use) {
    const auto start = [&](const fs::path& folder) {
        return std::make_unique<AnswerSession>(
            AnswerSession::Start{options_.program, folder, dataset, limits(folder, {&dataset, 1})});
    };
    answerers_.with(dataset.string(), start,
                    [&](HelperSession& session) { use(static_cast<AnswerSession&>(session)); });
}

v1::AnswerAxes ComputeProcess::answer_axes(const fs::path& dataset) {
    v1::AnswerAxes axes;
    with_answerer(dataset, [&](AnswerSession& answerer) { axes = answerer.axes(options_.limit); });
    return axes;
}

AnsweredBlock ComputeProcess::answer(const fs::path& dataset, const v1::AnswerCommand& command) {
    std::optional<AnsweredBlock> block;
    with_answerer(dataset, [&](AnswerSession& answerer) {
        block.emplace(answerer.answer(command, options_.limit));
    });
    return std::move(*block);
}

}  // namespace kaname::helpers
