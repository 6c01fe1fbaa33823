// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/source_file.hpp"
#include "worker/jobs/stage/pack_frame.hpp"

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
    std::string id, key, field;  ///< field: its path in the request
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
/// The job's sources that have no result in the work folder yet, in packs.
[[nodiscard]] Unsolved unsolved_waves(const WaveRequest& job, const std::string& work_dir);

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

/// The checkpoint of a pack of waves, which knows its step and its sources.
class PackCheckpoint : private CheckpointFile {
public:
    /// `format`: what kind of checkpoint it is.
    PackCheckpoint(const WaveRequest& job, const std::string& format, std::vector<std::string> keys,
                   const std::string& work_dir, comm::Comm& comm);

    /// Reads on rank 0. Returns on every rank the step at which the checkpoint was written, 0 where
    /// there is none. Collective.
    [[nodiscard]] std::int64_t read(const std::function<void(const h5::File&)>& read,
                                    SolveProgress& progress);
    /// Writes on rank 0. Collective.
    void write(std::int64_t step, const std::function<void(h5::File&)>& write,
               SolveProgress& progress);
    using CheckpointFile::due;
    using CheckpointFile::remove;

private:
    std::string format_;
    std::vector<std::string> keys_;
    comm::Comm& comm_;
};

}  // namespace kaname::jobs
