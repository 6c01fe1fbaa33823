// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/waves/wave_packs.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/h5/atomic_file.hpp"
#include "worker/jobs/geometry/available_memory.hpp"

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

std::string joined(std::span<const std::string> ids) {
    std::string text;
    for (const std::string& id : ids) {
        text += (text.empty() ? "" : ",") + id;
    }
    return text;
}

SolveSummary solve_waves(const WaveRequest& job, SolveSession& session, const std::string& work_dir,
                         comm::Comm& comm, const WaveObserver& observer) {
    constexpr std::size_t kPack = kWavePack;
    SolveSummary summary;
    std::vector<std::string> todo;
    for (const WaveName& source : job.names()) {
        if (already_done(wave_path(work_dir, source.id), source.key)) {
            ++summary.sources_reused;
        } else {
            todo.push_back(source.id);
        }
    }
    comm.barrier();  // every rank must have looked before one of them writes
    summary.dof = session.dof();
    summary.setup_s = session.setup_s();
    summary.device = todo.empty() ? "" : session.device();
    summary.packs = packs_of(std::ssize(todo));
    const bool first = comm.rank() == 0;
    for (std::size_t begin = 0; begin < todo.size(); begin += kPack) {
        const std::vector<std::string> ids(
            todo.begin() + static_cast<std::ptrdiff_t>(begin),
            todo.begin() + static_cast<std::ptrdiff_t>(std::min(todo.size(), begin + kPack)));
        if (first) {
            observer.begin(ids);
        }
        const PackOutcome outcome = session.solve(ids, [&](SolveProgress progress) {
            const auto pack = static_cast<double>(begin / kPack);
            progress.pack = static_cast<int>(begin / kPack);
            progress.packs = static_cast<int>(summary.packs);
            progress.fraction = (pack + progress.fraction) / static_cast<double>(summary.packs);
            observer.step(progress);
            return true;
        });
        if (first) {
            observer.end(outcome);
        }
        summary.solve_s += outcome.solve_s;
        for (const SourceOutcome& source : outcome.sources) {
            source.failed ? ++summary.sources_failed : ++summary.sources_done;
        }
    }
    summary.peak_bytes = comm.sum(peak_bytes());
    return summary;
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
    std::exception_ptr error;
    try {
        for (std::size_t lane = 0; lane < ids.size(); ++lane) {
            const io::WaveResult made = result(lane);
            const std::string path = wave_path(work_dir, ids[lane]);
            if (comm.rank() == 0) {
                io::write_wave_result(path, made, also);
            }
            outcome.sources.push_back({ids[lane], path, made.failed, made.failure});
        }
    } catch (...) {
        error = std::current_exception();
    }
    comm.throw_if_any(error);
}

void Stride::took(double seconds) {
    if (comm_.max(seconds) < kTell_s) {
        steps_ = std::min(2 * steps_, std::max<std::int64_t>(1, most_));
    }
}

bool wants_more(const SolveObserver& observer, const SolveProgress& progress, comm::Comm& comm) {
    const bool stop = comm.rank() == 0 && !observer(progress);
    return comm.sum(stop ? 1.0 : 0.0) == 0.0;
}

PackCheckpoint::PackCheckpoint(const WaveRequest& job, std::string format,
                               std::vector<std::string> keys, const std::string& work_dir,
                               comm::Comm& comm)
    : wanted_(job.checkpoint),
      path_(checkpoint_path(work_dir)),
      version_(job.version),
      format_(std::move(format)),
      keys_(std::move(keys)),
      comm_(comm),
      clock_(job.checkpoint_interval_s) {}

std::int64_t PackCheckpoint::read(const std::function<void(const h5::File&)>& read,
                                  SolveProgress& progress) {
    clock_.restart(CheckpointClock::Clock::now());
    double step = 0.0;
    if (comm_.rank() == 0 && std::filesystem::exists(path_)) {
        try {
            const h5::File file(path_, h5::File::Mode::Read);
            if (file.string_attribute("/", "format") != format_ ||
                file.read_strings("source_key") != keys_) {
                throw Error(ErrorCode::InvalidArgument, path_ + ": is not of these sources");
            }
            read(file);
            step = static_cast<double>(file.int_attribute("/", "step"));
        } catch (const Error& error) {
            progress.warnings.push_back(std::string(error.what()) +
                                        "; the pack begins at its first step");
        }
    }
    const auto found = static_cast<std::int64_t>(comm_.max(step));
    if (found > 0) {
        progress.resumed_step = static_cast<int>(found);
    }
    return found;
}

bool PackCheckpoint::due() {
    begin_ = CheckpointClock::Clock::now();
    return wanted_ && comm_.max(comm_.rank() == 0 && clock_.due(begin_) ? 1.0 : 0.0) > 0.0;
}

void PackCheckpoint::write(std::int64_t step, const std::function<void(h5::File&)>& write,
                           SolveProgress& progress) {
    try {
        if (comm_.rank() == 0) {
            h5::write_atomically(path_, [&](h5::File& file) {
                file.set_attribute("/", "format", format_);
                file.set_attribute("/", "version", version_);
                file.set_attribute("/", "step", step);
                file.write_strings("source_key", keys_);
                write(file);
            });
            progress.checkpoint = path_;
        }
    } catch (const std::exception& cause) {
        if (!warned_) {  // once: a full disk stays full
            progress.warnings.push_back(std::string("no checkpoint: ") + cause.what());
        }
        warned_ = true;
    }
    clock_.wrote(begin_, CheckpointClock::Clock::now());
}

void PackCheckpoint::remove() {
    if (comm_.rank() == 0) {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
}

}  // namespace kaname::jobs
