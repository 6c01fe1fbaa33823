// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/io/wave_file.hpp"
#include "solvers/jobs/spec/stage.hpp"
#include "solvers/jobs/waves/wave_request.hpp"

/// Packs of sources of any job for waves: how they are chosen, solved one after another, and where
/// their results lie.
namespace kaname::jobs {

/// Sources of a pack.
inline constexpr std::int64_t kWavePack = 4;
[[nodiscard]] inline std::int64_t packs_of(std::int64_t n_sources) {
    return (n_sources + kWavePack - 1) / kWavePack;
}

/// Preflight::method of waves, and of ruptures, which are solved one by one.
inline constexpr const char* kWavesMethod = "waves";
inline constexpr const char* kRuptureMethod = "rupture";

/// Places in names() of the sources of a pack. Throws InvalidArgument for an unknown one, for none
/// and for more than four.
[[nodiscard]] std::vector<std::size_t> places_of(const WaveRequest& job,
                                                 std::span<const std::string> ids);
/// "a,b,c".
[[nodiscard]] std::string joined(std::span<const std::string> ids);

/// Told on rank 0 while all sources are solved.
struct WaveObserver {
    std::function<void(const std::vector<std::string>& ids)> begin;
    std::function<void(const SolveProgress&)> step;
    std::function<void(const PackOutcome&)> end;
};
/// All sources that have no result yet, pack after pack. Collective.
SolveSummary solve_waves(const WaveRequest& job, SolveSession& session, const std::string& work_dir,
                         comm::Comm& comm, const WaveObserver& observer);

/// Where the result of a source lies in the work folder.
[[nodiscard]] std::string wave_path(const std::string& work_dir, const std::string& source_id);
/// The job's sources that have a file there.
[[nodiscard]] SourceFiles find_waves(const WaveRequest& job, const std::string& work_dir);
/// Writes result(lane) of each source of a pack on rank 0, and what `also` adds to its file.
/// Collective.
void write_pack(std::span<const std::string> ids, const std::string& work_dir, comm::Comm& comm,
                const std::function<io::WaveResult(std::size_t lane)>& result, PackOutcome& outcome,
                const std::function<void(h5::File&)>& also = {});

/// Steps between two looks at what else there is to do: as many as take half a second.
class Stride {
public:
    Stride(comm::Comm& comm, std::int64_t most) : comm_(comm), most_(most) {}
    [[nodiscard]] std::int64_t steps() const { return steps_; }
    /// Collective.
    void took(double seconds);

private:
    comm::Comm& comm_;
    std::int64_t steps_ = 1, most_;
};

/// Returns true if the observer on rank 0 wants the solve to continue. Collective.
[[nodiscard]] bool wants_more(const SolveObserver& observer, const SolveProgress& progress,
                              comm::Comm& comm);

}  // namespace kaname::jobs
