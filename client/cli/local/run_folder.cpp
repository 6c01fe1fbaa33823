// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/local/run_folder.hpp"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "client/cli/common/preflight.hpp"
#include "client/cli/common/text.hpp"
#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/machine.hpp"
#include "solvers/base/pack.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_unusable(const fs::path& folder, const std::string& cause) {
    throw Error(ErrorCode::Unavailable, "--output: '" + folder.string() + "' " + cause);
}

}  // namespace

bool RunFolder::is_of(const fs::path& folder, const std::string& content_hash) {
    // The hash is empty where another version wrote it, which the solve tells from the files.
    return content_hash_of(read_file_if_any(folder / "work" / "spec.json")) == content_hash;
}

void RunFolder::check_free(const fs::path& folder, const std::string& content_hash) {
    std::error_code none;
    const fs::path work = folder / "work";
    if (!fs::is_directory(work / "sources", none) || fs::is_empty(work / "sources", none)) {
        return;
    }
    if (!is_of(folder, content_hash)) {
        throw Error(ErrorCode::Conflict,
                    "--output: must not replace what an interrupted run of another request "
                    "has finished in '" +
                        work.string() + "'; go on with it by --resume " + folder.string() +
                        ", name another place, or give --force");
    }
}

RunFolder::RunFolder(const fs::path& folder) : folder_(fs::absolute(folder).lexically_normal()) {
    std::error_code failed;
    fs::create_directories(folder_ / "work", failed);
    if (failed) {
        throw_unusable(folder, "cannot be made: " + failed.message());
    }
    lock_ = Fd(::open(work("lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!lock_.open()) {
        throw_unusable(folder, std::string("cannot be written: ") + std::strerror(errno));
    }
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
        throw Error(ErrorCode::Conflict,
                    "--output: another run is at work in '" + folder.string() + "'");
    }
}

void RunFolder::remove_work() {
    std::error_code ignored;
    fs::remove_all(folder_ / "work", ignored);
}

namespace fs = std::filesystem;

LeftBehind::LeftBehind(fs::path output, std::string content_hash)
    : output_(std::move(output)), content_hash_(std::move(content_hash)) {
    since_ = RunFolder::is_of(output_, content_hash_) ? fs::file_time_type::min()
                                                      : fs::file_time_type::clock::now();
}

bool LeftBehind::counts(const fs::path& file) const {
    std::error_code none;
    const auto written = fs::last_write_time(file, none);
    return !none && written >= since_;
}

std::string LeftBehind::text(const std::string& resume) const {
    const fs::path work = output_ / "work";
    std::error_code none;
    if (!RunFolder::is_of(output_, content_hash_)) {
        return "nothing was begun: the next run begins anew";
    }
    long long sources = 0;
    for (const auto& entry : fs::directory_iterator(work / "sources", none)) {
        sources += entry.path().filename().string().starts_with("source_") &&
                           entry.path().extension() == ".h5" && counts(entry.path())
                       ? 1
                       : 0;
    }
    // The key is written when the mesh is finished, and removed before another is made.
    std::string kept = fs::exists(work / "mesh.key", none) ? "the mesh" : "";
    if (sources > 0) {
        kept += (kept.empty() ? "" : " and ") + format_count(sources) +
                (sources == 1 ? " source" : " sources");
    }
    if (counts(work / "sources" / "checkpoint.h5")) {
        return "it goes on at its last checkpoint" +
               (kept.empty() ? "" : "; kept besides: " + kept) + "; the command:\n  " + resume;
    }
    if (kept.empty()) {
        return "nothing was finished: the next run begins anew";
    }
    return "kept: " + kept + "; no checkpoint had been written, so the rest begins anew with\n  " +
           resume;
}

void warn_of_more_threads_than_cores(const std::string& options, long long threads) {
    const int cores = this_machine().cores;
    if (threads > cores) {
        std::cerr << "warning: " << options << ": should be at most the " << cores
                  << " cores that may be used, got " << threads
                  << " threads in all; they will wait for each other\n";
    }
}

namespace {

void add_row(const RunFigures& run, const char* metric, double value, const char* unit,
             v1::RunSummary& summary) {
    v1::RunSummary::Row& row = *summary.add_rows();
    row.set_case_(run.name);
    row.set_method(run.method);
    row.set_vectors(kSourcesPerPack);
    row.set_ranks(report::count(run.ranks));
    row.set_threads(report::count(run.threads));
    row.set_dof(run.dof);
    row.set_metric(metric);
    row.set_value(value);
    row.set_unit(unit);
    row.set_samples(1);
}

}  // namespace

v1::RunSummary summary_of(const RunFigures& run, const Machine& machine) {
    v1::RunSummary summary;
    summary.set_suite("demo");
    summary.set_version(KANAME_VERSION);
    summary.set_commit(KANAME_COMMIT);
    summary.set_started(run.started);
    v1::RunSummary::Machine& of = *summary.mutable_machine();
    of.set_cpu(machine.cpu);
    of.set_cores(report::count(machine.cores));
    of.set_memory_bytes(machine.memory_bytes);
    if (run.device.starts_with("cuda")) {
        of.set_device(run.device);
    }
    add_row(run, "dof", run.dof, "1", summary);
    add_row(run, "sources", run.sources, "1", summary);
    add_row(run, "epochs", run.epochs, "1", summary);
    add_row(run, "stations", run.stations, "1", summary);
    add_row(run, "patches", run.patches, "1", summary);
    add_row(run, "max_displacement_m", run.max_displacement_m, "m", summary);
    add_row(run, "solve_s", run.solve_s, "s", summary);
    add_row(run, "total_s", run.total_s, "s", summary);
    add_row(run, "outer_iterations_per_step", run.iterations_per_step, "1", summary);
    return summary;
}

}  // namespace kaname::cli
