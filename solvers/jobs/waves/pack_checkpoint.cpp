// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/waves/pack_checkpoint.hpp"

#include <filesystem>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/h5/atomic_file.hpp"

namespace kaname::jobs {

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
