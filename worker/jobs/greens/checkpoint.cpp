// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/checkpoint.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>

#include "solvers/base/error.hpp"
#include "worker/jobs/greens/checkpoint_archive.hpp"

namespace kaname::jobs {

using lanes::kLanes;

namespace {

constexpr const char* kFormat = "kaname-checkpoint-1";

std::string group_of(std::size_t source) {
    return "source" + std::to_string(source) + "/";
}

/// Header holds what a checkpoint file records about itself, before its state is read.
struct Header {
    std::vector<std::string> ids, keys, failures;
    std::int64_t ranks = 0;
    bool full = false;
    std::string version, steps_because;
};

Header read_header(const h5::File& file) {
    const std::string format = file.string_attribute("/", "format");
    if (format != kFormat) {
        throw Error(ErrorCode::InvalidArgument,
                    file.path() + ": format is '" + format + "', must be '" + kFormat + "'");
    }
    Header header;
    header.ids = file.read_strings("source_id");
    header.keys = file.read_strings("source_key");
    header.failures = file.read_strings("failure");
    header.ranks = file.int_attribute("/", "ranks");
    header.full = file.int_attribute("/", "full") != 0;
    header.version = file.string_attribute("/", "version");
    if (file.has_attribute("/", "steps_because")) {
        header.steps_because = file.string_attribute("/", "steps_because");
    }
    if (header.ids.empty() || header.ids.size() > std::size_t{kLanes} ||
        header.keys.size() != header.ids.size() || header.failures.size() != header.ids.size()) {
        throw Error(ErrorCode::InvalidArgument, file.path() + ": has no list of sources");
    }
    return header;
}

void write_header(h5::File& file, const std::vector<io::SourceResult>& results, bool full,
                  int ranks, const std::string& steps_because) {
    std::vector<std::string> ids;
    std::vector<std::string> keys;
    std::vector<std::string> failures;
    for (const io::SourceResult& result : results) {
        ids.push_back(result.source_id);
        keys.push_back(result.key);
        failures.push_back(result.failure);
    }
    if (!steps_because.empty()) {
        file.set_attribute("/", "steps_because", steps_because);
    }
    file.set_attribute("/", "ranks", std::int64_t{ranks});
    file.set_attribute("/", "full", std::int64_t{full});
    file.write_strings("source_id", ids);
    file.write_strings("source_key", keys);
    file.write_strings("failure", failures);
}

/// Reads what was recorded of a source before. Throws InvalidArgument if it is of other stations.
io::SourceResult read_recorded(const h5::File& file, const Header& header, int place,
                               const io::SourceResult& now) {
    io::SourceResult before = now;
    before.failure = header.failures[place];
    before.failed = !before.failure.empty();
    io::read_source_fields(file, group_of(place), before, false);
    if (before.station_xyz_m != now.station_xyz_m) {
        throw Error(ErrorCode::InvalidArgument, file.path() + ": is of other stations");
    }
    return before;
}

}  // namespace

std::vector<std::string> checkpoint_sources(const std::string& work_dir) {
    try {
        return read_header(h5::File(checkpoint_path(work_dir), h5::File::Mode::Read)).ids;
    } catch (const Error&) {
        return {};
    }
}

Checkpoints::Checkpoints(const GreensJob& job, const std::string& work_dir, comm::Comm& comm)
    : full_(job.output.checkpoint.mode == CheckpointMode::Full),
      version_(job.version),
      comm_(comm),
      file_(work_dir, job.output.checkpoint.mode != CheckpointMode::None,
            job.output.checkpoint.interval_s, kFormat, job.version, comm) {}

/// Found holds, on rank 0, the open file and what was recorded. On all ranks it states whether to
/// continue from the file, and how.
struct Checkpoints::Found {
    std::unique_ptr<h5::File> file;
    std::vector<io::SourceResult> recorded;
    std::array<int, kLanes> place{};
    bool usable = false, own = false;
    std::array<bool, kLanes> failed{};
};

Checkpoints::Found Checkpoints::look(const std::vector<io::SourceResult>& results,
                                     SolveProgress& report) {
    Found found;
    found.place.fill(-1);
    // usable, own, place and failure of every lane: what all ranks must agree on
    std::array<double, 2 + 2 * kLanes> said{};
    found.file = file_.open(
        [&](const h5::File& file) {
            const Header header = read_header(file);
            for (const io::SourceResult& result : results) {
                const auto at = std::ranges::find(header.keys, result.key);
                if (at == header.keys.end()) {
                    throw Error(ErrorCode::InvalidArgument, file.path() + ": is not of source '" +
                                                                result.source_id +
                                                                "' of this request and mesh");
                }
                const std::size_t lane = found.recorded.size();
                const int place = static_cast<int>(at - header.keys.begin());
                found.recorded.push_back(read_recorded(file, header, place, result));
                said[2 + lane] = place + 1;
                said[2 + kLanes + lane] = found.recorded.back().failed ? 1.0 : 0.0;
            }
            const bool same =
                std::ranges::equal(header.keys, results, {}, {}, &io::SourceResult::key);
            said[1] =
                header.full && same && header.ranks == comm_.size() && header.version == version_
                    ? 1.0
                    : 0.0;
        },
        report);
    if (found.file) {
        said[0] = 1.0;
    } else {
        said.fill(0.0);
    }
    comm_.sum(std::span<double>(said));
    found.usable = said[0] > 0.0;
    found.own = said[1] > 0.0;
    for (int lane = 0; lane < kLanes; ++lane) {
        found.place[lane] = static_cast<int>(said[2 + lane]) - 1;
        found.failed[lane] = said[2 + kLanes + lane] > 0.0;
    }
    return found;
}

bool Checkpoints::resume(PackRunner& runner, std::vector<io::SourceResult>& results,
                         SolveProgress& report, bool& touched) {
    touched = false;
    if (!runner.can_checkpoint()) {
        return false;
    }
    Found found = look(results, report);
    if (!found.usable) {
        return false;
    }
    touched = true;
    // The runner finds in the results what was recorded so far.
    std::vector<io::SourceResult> fresh = results;
    for (std::size_t lane = 0; lane < results.size(); ++lane) {
        results[lane].failed = found.failed[lane];
        if (comm_.rank() == 0) {  // the only one that writes results
            results[lane] = std::move(found.recorded[lane]);
        }
    }
    try {
        CheckpointReader reader(found.file.get(), found.place, found.own, comm_);
        runner.exchange(reader);
    } catch (const Error& error) {  // on every rank
        results = std::move(fresh);
        file_.pass_over(error, report);
        return false;
    }
    runner.resumed();
    return true;
}

std::string Checkpoints::steps_because(const std::vector<io::SourceResult>& results) const {
    comm::Bytes bytes;
    if (comm_.rank() == 0 && std::filesystem::exists(file_.path())) {
        try {
            const Header header = read_header(h5::File(file_.path(), h5::File::Mode::Read));
            const bool all = std::ranges::all_of(results, [&](const io::SourceResult& result) {
                return std::ranges::find(header.keys, result.key) != header.keys.end();
            });
            if (all) {
                const auto text = std::as_bytes(std::span(header.steps_because));
                bytes.assign(text.begin(), text.end());
            }
        } catch (const Error&) {
            bytes.clear();  // resume() says what is wrong with it
        }
    }
    comm_.broadcast(bytes, 0);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void Checkpoints::write_if_due(PackRunner& runner, const std::vector<io::SourceResult>& results,
                               const std::string& steps_because, SolveProgress& report) {
    if (!runner.can_checkpoint() || !file_.due()) {
        return;
    }
    runner.collect();
    file_.write(
        [&](h5::File& file) {
            write_header(file, results, full_, comm_.size(), steps_because);
            for (std::size_t k = 0; k < results.size(); ++k) {
                io::write_source_fields(file, group_of(k), results[k]);
            }
        },
        report,
        [&](h5::File* file) {
            CheckpointWriter writer(file, full_, comm_);
            runner.exchange(writer);
            return writer.error();
        });
}

}  // namespace kaname::jobs
