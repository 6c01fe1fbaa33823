// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/source_file.hpp"
#include "worker/jobs/stage/solve_options.hpp"
#include "worker/jobs/stage/stage.hpp"

namespace kaname::jobs {

/// A place by x, y, z of the model's frame; on the globe by longitude, latitude and depth below sea
/// level, without a depth on the ground.
struct WavePlace {
    std::array<double, 3> xyz_m{};
    std::optional<earth::LonLat> globe;
    std::optional<double> depth_m;
    bool on_the_ground = false;  ///< x and y alone count
};

/// A source as results know it.
struct WaveName {
    std::string id, key, field;  ///< field: its path in the specification
};

struct WaveReceiver {
    std::string id, field;
    WavePlace at;
};

/// WaveRequest holds what jobs for waves have in common, whatever solves them.
struct WaveRequest {
    std::string name, title;
    std::vector<WaveReceiver> receivers;
    double end_s = 0.0;
    std::vector<double> snapshots_s;
    bool checkpoint = true;
    std::optional<double> checkpoint_interval_s;
    Placement placement;
    std::string specification_json;  ///< canonical, for provenance
    std::string version;

    virtual ~WaveRequest() = default;
    /// All sources, in the order of the dataset.
    [[nodiscard]] virtual std::vector<WaveName> names() const = 0;
};

/// Packs of sources of any job for waves: how they are chosen, solved one after another, and where
/// their results lie.

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

/// The one checkpoint of a work folder, whatever is in it. One that is of other sources, or
/// damaged, is passed over with a warning, and so is one that cannot be written: neither ends a
/// solve.
class PackCheckpoint {
public:
    /// `format`: what kind of checkpoint it is.
    PackCheckpoint(const WaveRequest& job, std::string format, std::vector<std::string> keys,
                   const std::string& work_dir, comm::Comm& comm);

    /// Reads on rank 0. Returns on every rank the step at which the checkpoint was written, 0 where
    /// there is none. Collective.
    [[nodiscard]] std::int64_t read(const std::function<void(const h5::File&)>& read,
                                    SolveProgress& progress);
    /// Returns true if it is time to write a checkpoint. Collective.
    [[nodiscard]] bool due();
    /// Writes on rank 0.
    void write(std::int64_t step, const std::function<void(h5::File&)>& write,
               SolveProgress& progress);
    /// Removes the checkpoint of a pack that has ended.
    void remove();

private:
    bool wanted_;
    std::string path_, version_, format_;
    std::vector<std::string> keys_;
    comm::Comm& comm_;
    CheckpointClock clock_;
    CheckpointClock::Clock::time_point begin_{};
    bool warned_ = false;
};

}  // namespace kaname::jobs
