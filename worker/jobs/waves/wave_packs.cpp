// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/waves/wave_packs.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::jobs {
namespace {

constexpr double kTell_s = 0.5;  ///< between two words of progress

bool already_done(const std::string& path, const std::string& key) {
    if (!std::filesystem::exists(path)) {
        return false;
    }
    try {
        const io::WaveResult result = io::read_wave_header(path);
        return result.key == key && !result.failed;
    } catch (const Error&) {
        return false;  // damaged, or of another kind: made anew
    }
}

}  // namespace

std::vector<std::size_t> places_of(const WaveRequest& job, std::span<const std::string> ids) {
    if (ids.empty() || std::ssize(ids) > kWavePack) {
        throw Error(ErrorCode::InvalidArgument, "a pack must have 1 to " +
                                                    std::to_string(kWavePack) + " sources, got " +
                                                    std::to_string(ids.size()));
    }
    const std::vector<WaveName> names = job.names();
    std::vector<std::size_t> places;
    for (const std::string& id : ids) {
        const auto found = std::ranges::find(names, id, &WaveName::id);
        if (found == names.end()) {
            throw Error(ErrorCode::InvalidArgument, "no source has the id '" + id + "'");
        }
        places.push_back(static_cast<std::size_t>(found - names.begin()));
    }
    return places;
}

Unsolved unsolved_waves(const WaveRequest& job, const std::string& work_dir) {
    Unsolved found;
    std::vector<std::string> ids;
    for (const WaveName& source : job.names()) {
        if (already_done(wave_path(work_dir, source.id), source.key)) {
            ++found.reused;
        } else {
            ids.push_back(source.id);
        }
    }
    found.packs = in_packs(std::move(ids), kWavePack);
    return found;
}

std::string wave_path(const std::string& work_dir, const std::string& source_id) {
    std::string name = source_id;
    std::ranges::replace(name, '/', '_');
    return work_dir + "/" + name + ".h5";
}

SourceFiles find_waves(const WaveRequest& job, const std::string& work_dir) {
    SourceFiles files;
    for (const WaveName& source : job.names()) {
        const std::string path = wave_path(work_dir, source.id);
        if (std::filesystem::exists(path)) {
            files.emplace(source.id, path);
        }
    }
    return files;
}

void write_pack(std::span<const std::string> ids, const std::string& work_dir, comm::Comm& comm,
                const std::function<io::WaveResult(std::size_t lane)>& result, PackOutcome& outcome,
                const std::function<void(h5::File&)>& also) {
    const auto write_one = [&](std::size_t lane) {
        const io::WaveResult made = result(lane);
        const std::string path = wave_path(work_dir, ids[lane]);
        if (comm.rank() == 0) {
            io::write_wave_result(path, made, also);
        }
        return SourceOutcome{ids[lane], path, made.failed, made.failure};
    };
    write_results(ids, write_one, comm, outcome);
}

void Stride::took(double seconds) {
    if (comm_.max(seconds) < kTell_s) {
        steps_ = std::min(2 * steps_, std::max<std::int64_t>(1, most_));
    }
}

PackCheckpoint::PackCheckpoint(const WaveRequest& job, const std::string& format,
                               std::vector<std::string> keys, const std::string& work_dir,
                               comm::Comm& comm)
    : CheckpointFile(work_dir, job.checkpoint, job.checkpoint_interval_s, format, job.version,
                     comm),
      format_(format),
      keys_(std::move(keys)),
      comm_(comm) {}

std::int64_t PackCheckpoint::read(const std::function<void(const h5::File&)>& read,
                                  SolveProgress& progress) {
    double step = 0.0;
    (void)open(
        [&](const h5::File& file) {
            if (file.string_attribute("/", "format") != format_ ||
                file.read_strings("source_key") != keys_) {
                throw Error(ErrorCode::InvalidArgument, file.path() + ": is not of these sources");
            }
            read(file);
            step = static_cast<double>(file.int_attribute("/", "step"));
        },
        progress);
    const auto found = static_cast<std::int64_t>(comm_.max(step));
    if (found > 0) {
        progress.resumed_step = static_cast<int>(found);
    }
    return found;
}

void PackCheckpoint::write(std::int64_t step, const std::function<void(h5::File&)>& write,
                           SolveProgress& progress) {
    CheckpointFile::write(
        [&](h5::File& file) {
            file.set_attribute("/", "step", step);
            file.write_strings("source_key", keys_);
            write(file);
        },
        progress);
}

}  // namespace kaname::jobs
