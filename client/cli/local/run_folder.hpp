// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "proto/kaname/v1/record.pb.h"
#include "solvers/base/files.hpp"
#include "solvers/base/machine.hpp"

namespace kaname::cli {

/// The output folder of one run, with the work folder that lets a later run go on. Held by one run
/// at a time: throws Conflict while another has it, Unavailable when it cannot be made.
class RunFolder {
public:
    explicit RunFolder(const std::filesystem::path& folder);

    [[nodiscard]] std::filesystem::path dataset() const { return folder_ / "greens.h5"; }
    [[nodiscard]] std::filesystem::path summary() const { return folder_ / "summary.json"; }
    [[nodiscard]] std::filesystem::path work(const std::string& name) const {
        return folder_ / "work" / name;
    }
    void remove_work();

    /// Returns true if the work folder of `folder` was left by a run of a request with that
    /// content hash.
    [[nodiscard]] static bool is_of(const std::filesystem::path& folder,
                                    const std::string& content_hash);

    /// Throws Conflict when `folder` has the work of an interrupted run, finished sources or a
    /// checkpoint, of a request with another content hash.
    static void check_free(const std::filesystem::path& folder, const std::string& content_hash);

private:
    std::filesystem::path folder_;
    Fd lock_;
};

/// LeftBehind describes, for people, what an interrupted run of one request leaves in its
/// folder.
class LeftBehind {
public:
    /// Must be made before the run touches its folder. `content_hash` is that of the request.
    LeftBehind(std::filesystem::path output, std::string content_hash);

    /// Returns a sentence on what is kept, with `resume`, the command that goes on from it, or one
    /// that the next run begins anew.
    [[nodiscard]] std::string text(const std::string& resume) const;

private:
    [[nodiscard]] bool counts(const std::filesystem::path& file) const;

    std::filesystem::path output_;
    std::string content_hash_;
    /// Files before it are another request's.
    std::filesystem::file_time_type since_;
};

/// Says on standard error when `threads`, as the named options ask for, exceed the cores.
void warn_of_more_threads_than_cores(const std::string& options, long long threads);

/// RunFigures holds the figures of a finished run.
struct RunFigures {
    std::string name, method, started;  ///< started: UTC, ISO 8601
    int ranks = 1, threads = 1;
    std::string device = {};  ///< "cpu", "cuda: NVIDIA H200 (GPU-...)"; empty: nothing was solved
    std::uint32_t dof = 0, sources = 0, epochs = 0, stations = 0, patches = 0;
    double max_displacement_m = 0.0;
    std::string displacement_unit = "m per m of slip";
    double solve_s = 0.0, total_s = 0.0;
    double iterations_per_step = 0.0;
};

/// Returns the contents of summary.json: suite "demo", one row per figure, in the form that
/// kaname-bench writes, so that the two can be compared.
[[nodiscard]] v1::RunSummary summary_of(const RunFigures& run, const Machine& machine);

}  // namespace kaname::cli
