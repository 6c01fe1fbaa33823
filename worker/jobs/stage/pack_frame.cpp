// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/stage/pack_frame.hpp"

#include <algorithm>
#include <filesystem>

#include <sys/resource.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"

namespace kaname::jobs {

std::string joined(std::span<const std::string> ids) {
    std::string text;
    for (const std::string& id : ids) {
        text += (text.empty() ? "" : ",") + id;
    }
    return text;
}

double peak_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024.0;
}

PackOutcome solve_pack(SolveSession& session, const std::vector<std::string>& ids, comm::Comm& comm,
                       const PackObserver& observer, const std::function<bool()>& cancelled) {
    const bool first = comm.rank() == 0;
    if (first && observer.begin) {
        observer.begin(ids);
    }
    bool whole = true;
    PackOutcome outcome = session.solve(ids, [&](const SolveProgress& progress) {
        whole = whole && progress.resumed_step <= 0;
        if (observer.step) {
            observer.step(progress);
        }
        return !cancelled();
    });
    const double bytes = comm.sum(peak_bytes());
    if (first && observer.end) {
        observer.end(outcome, bytes, whole);
    }
    return outcome;
}

std::vector<std::vector<std::string>> in_packs(std::vector<std::string> ids, std::size_t most,
                                               const std::vector<std::string>& begun) {
    const auto rest = std::stable_partition(ids.begin(), ids.end(), [&](const std::string& id) {
        return std::ranges::find(begun, id) != begun.end();
    });
    std::vector<std::vector<std::string>> packs;
    for (auto [from, to] : {std::pair(ids.begin(), rest), std::pair(rest, ids.end())}) {
        while (from != to) {
            const auto end = from + std::min(static_cast<std::ptrdiff_t>(most), to - from);
            packs.emplace_back(from, end);
            from = end;
        }
    }
    return packs;
}

SolveSummary solve_unsolved(const Unsolved& unsolved, const OpenSession& open, comm::Comm& comm,
                            const Observe& observe) {
    SolveSummary summary;
    summary.sources_reused = unsolved.reused;
    summary.packs = std::ssize(unsolved.packs);
    comm.barrier();  // every rank must have looked before one of them writes
    if (unsolved.packs.empty()) {
        return summary;
    }
    const std::unique_ptr<SolveSession> session = open();
    summary.dof = session->dof();
    summary.device = session->device();
    summary.effort = session->effort();
    summary.setup_s = session->setup_s();
    PackObserver observer = observe(*session);
    std::int64_t pack = 0, iterations = 0, solves = 0;
    observer.step = [&, step = std::move(observer.step)](SolveProgress progress) {
        progress.pack = static_cast<int>(pack);
        progress.packs = static_cast<int>(summary.packs);
        progress.fraction = (static_cast<double>(pack) + progress.fraction) / progress.packs;
        if (progress.resumed_step > 0 && summary.resumed_step == 0) {
            summary.resumed_step = progress.resumed_step;
        }
        summary.warnings.insert(summary.warnings.end(), progress.warnings.begin(),
                                progress.warnings.end());
        if (step) {
            step(progress);
        }
    };
    for (const std::vector<std::string>& ids : unsolved.packs) {
        const PackOutcome outcome = solve_pack(*session, ids, comm, observer, [] { return false; });
        iterations += outcome.iterations;
        solves += outcome.solves;
        summary.solve_s += outcome.solve_s;
        for (const SourceOutcome& source : outcome.sources) {
            source.failed ? ++summary.sources_failed : ++summary.sources_done;
        }
        ++pack;
    }
    summary.mean_iterations =
        static_cast<double>(iterations) / static_cast<double>(std::max<std::int64_t>(1, solves));
    summary.peak_bytes = comm.sum(peak_bytes());
    return summary;
}

bool run_steps(const std::function<bool(SolveProgress&)>& advance,
               const std::function<void(SolveProgress&)>& checkpoint, const SolveObserver& observer,
               SolveProgress& progress, comm::Comm& comm) {
    while (advance(progress)) {
        checkpoint(progress);
        const bool stop = comm.rank() == 0 && !observer(progress);
        progress.resumed_step = -1;
        progress.checkpoint.clear();
        progress.warnings.clear();
        if (comm.sum(stop ? 1.0 : 0.0) > 0.0) {
            return false;
        }
    }
    return true;
}

void write_results(std::span<const std::string> ids,
                   const std::function<SourceOutcome(std::size_t k)>& write, comm::Comm& comm,
                   PackOutcome& outcome) {
    std::exception_ptr error;
    try {
        for (std::size_t k = 0; k < ids.size(); ++k) {
            outcome.sources.push_back(write(k));
        }
    } catch (...) {
        error = std::current_exception();
    }
    comm.throw_if_any(error);
}

CheckpointFile::CheckpointFile(const std::string& work_dir, bool wanted,
                               std::optional<double> interval_s, std::string format,
                               std::string version, comm::Comm& comm)
    : path_(checkpoint_path(work_dir)),
      format_(std::move(format)),
      version_(std::move(version)),
      wanted_(wanted),
      comm_(comm),
      clock_(interval_s) {}

std::unique_ptr<h5::File> CheckpointFile::open(const std::function<void(const h5::File&)>& read,
                                               SolveProgress& progress) {
    clock_.restart(CheckpointClock::Clock::now());
    if (comm_.rank() != 0 || !std::filesystem::exists(path_)) {
        return nullptr;
    }
    try {
        auto file = std::make_unique<h5::File>(path_, h5::File::Mode::Read);
        read(*file);
        return file;
    } catch (const Error& error) {
        pass_over(error, progress);
        return nullptr;
    }
}

void CheckpointFile::pass_over(const Error& error, SolveProgress& progress) const {
    if (comm_.rank() == 0) {
        progress.warnings.push_back(std::string(error.what()) +
                                    "; the pack begins at its first step");
    }
}

bool CheckpointFile::due() {
    begin_ = CheckpointClock::Clock::now();
    return wanted_ && comm_.max(comm_.rank() == 0 && clock_.due(begin_) ? 1.0 : 0.0) > 0.0;
}

void CheckpointFile::write(const std::function<void(h5::File&)>& fill, SolveProgress& progress,
                           const std::function<std::exception_ptr(h5::File*)>& together) {
    std::unique_ptr<h5::AtomicFile> file;
    std::exception_ptr error;
    try {
        if (comm_.rank() == 0) {
            file = std::make_unique<h5::AtomicFile>(path_);
        }
    } catch (...) {
        error = std::current_exception();
    }
    if (together) {
        const std::exception_ptr failed = together(file ? &file->file() : nullptr);
        error = error ? error : failed;
    }
    try {
        if (error) {
            std::rethrow_exception(error);
        }
        if (file) {
            file->file().set_attribute("/", "format", format_);
            file->file().set_attribute("/", "version", version_);
            fill(file->file());
            file->commit();
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

void CheckpointFile::remove() const {
    if (comm_.rank() == 0) {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
}

}  // namespace kaname::jobs
