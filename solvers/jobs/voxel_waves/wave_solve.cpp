// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include "solvers/base/error.hpp"
#include "solvers/io/wave_file.hpp"
#include "solvers/jobs/geometry/available_memory.hpp"
#include "solvers/jobs/voxel_waves/wave_stages.hpp"

namespace kaname::jobs {
namespace {

constexpr std::size_t kPack = kWavePack;

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

SolveSummary solve_waves(const WaveJob& job, SolveSession& session, const std::string& work_dir,
                         comm::Comm& comm, const WaveObserver& observer) {
    SolveSummary summary;
    std::vector<std::string> todo;
    for (const WaveJob::Source& source : job.sources) {
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
    summary.packs = static_cast<std::int64_t>((todo.size() + kPack - 1) / kPack);
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

}  // namespace kaname::jobs
