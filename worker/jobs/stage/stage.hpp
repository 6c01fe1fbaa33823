// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// Speed is the time that a machine takes for one unit of each kind of work. It is measured once
/// per build, see Stages::measure_speed.
struct Speed {
    double iteration_s = 0.0;  ///< a conjugate gradient iteration of four sources, per unknown
    double setup_s = 0.0;      ///< nodes, model and matrices, per unknown
};

/// JobSize gives the amount of work in the stages of a job.
struct JobSize {
    std::int64_t tets = 0, dof = 0;
    std::int64_t sources = 0, epochs = 0, stations = 0;
    double effort = 1.0;  ///< work of an iteration, relative to one of the calibration
};

/// StageCost is the predicted time of one stage. Stages with the same key share the error of their
/// predictions (iterations, cache, another mesher), so that the real time of one corrects the
/// others.
struct StageCost {
    std::string key;
    double seconds = 0.0;
};

/// A job takes mesh + set-up + one pack after another + package.
struct JobCosts {
    StageCost mesh, setup, pack, package;
};

/// Preflight holds the findings of `preflight` before anything is computed.
struct Preflight {
    std::vector<Violation> violations;  ///< empty: the job can run
    std::vector<std::string> warnings;
    std::vector<std::string> notes;  ///< notes on events: magnitude, slip
    std::int64_t vertices = 0, tets = 0, dof = 0;
    std::int64_t sources = 0, packs = 0, stations = 0, steps = 0, epochs = 0;
    /// stepping, waves, or spectrum, whose `steps` are the expected shifts.
    std::string method;
    double step_s = 0.0, longest_step_s = 0.0, end_s = 0.0;
    double shortest_relaxation_time_s = 0.0;  ///< 0: elastic
    double solve_bytes = 0.0, available_bytes = 0.0, dataset_bytes = 0.0;
    double gpu_bytes = 0.0;       ///< memory of a solve on GPUs, all ranks together
    double surface_bytes = 0.0;   ///< size of each source's surface field, were it stored
    bool surface_stored = false;  ///< the surface field is wanted, and below the cap
    double effort = 1.0;          ///< JobSize::effort

    [[nodiscard]] JobSize size() const { return {tets, dof, sources, epochs, stations, effort}; }
};

/// The latest solve of one source of a pack.
struct SourceSolve {
    std::size_t source = 0;  ///< place in the pack
    int iterations = 0;
    double initial_residual = 0.0, residual = 0.0;
};

struct SolveProgress {
    std::string source_ids;  ///< sources of the pack, comma separated
    int pack = 0, packs = 0, step = 0, steps = 0;
    int iterations = 0;
    double initial_residual = 0.0, residual = 0.0;
    std::vector<SourceSolve> solved = {};  ///< sources solved in this step
    double fraction = 0.0;                 ///< share of the whole solve that is done
    int resumed_step = -1;        ///< told once: the step a pack goes on with; 0 and less: none
    std::string checkpoint = {};  ///< path of the one written after this step
    std::vector<std::string> warnings = {};  ///< told once
};

/// Unsolved holds, in packs, the sources that have no result in a work folder, and the number of
/// those that have one.
struct Unsolved {
    std::vector<std::vector<std::string>> packs = {};
    std::int64_t reused = 0;
};

struct SolveSummary {
    std::int64_t dof = 0, sources_done = 0, sources_failed = 0, sources_reused = 0, packs = 0;
    double solve_s = 0.0, setup_s = 0.0, mean_iterations = 0.0, peak_bytes = 0.0;
    double effort = 1.0;   ///< JobSize::effort
    int resumed_step = 0;  ///< the first step that a pack went on with; 0: none did
    std::vector<std::string> warnings = {};
    std::string device = {};  ///< device of rank 0; empty: nothing was left to solve
};

/// SourceOutcome describes how the solve of one source of a pack ended.
struct SourceOutcome {
    std::string id, file;  ///< file: its result, also when it failed
    bool failed = false;
    std::string failure;
};

struct PackOutcome {
    std::vector<SourceOutcome> sources;  ///< none when cancelled
    bool cancelled = false;
    /// Iterations of the slowest lane, and solves, summed over the steps.
    std::int64_t iterations = 0, solves = 0;
    double solve_s = 0.0;
};

/// SolveObserver is called on rank 0 after every step; the pack stops if it returns false.
using SolveObserver = std::function<bool(const SolveProgress&)>;

/// Mesh, matrices and hierarchy of one job, kept for any number of packs.
class SolveSession {
public:
    virtual ~SolveSession() = default;
    [[nodiscard]] virtual std::int64_t dof() const = 0;
    [[nodiscard]] virtual double setup_s() const = 0;
    /// JobSize::effort.
    [[nodiscard]] virtual double effort() const = 0;
    /// How space is solved for: the element's name.
    [[nodiscard]] virtual std::string element() const = 0;
    /// "cpu", or the GPU of this rank.
    [[nodiscard]] virtual std::string device() const = 0;
    /// How time is solved for: "spectrum", or the number of steps and their lengths.
    [[nodiscard]] virtual std::string time_text() const = 0;
    /// Solves up to four sources and writes their results to the work folder. Collective; all ranks
    /// give the same ids. One source's failure is recorded in its file. Throws InvalidArgument for
    /// an unknown source, more than four of them or none, before anything is computed.
    virtual PackOutcome solve(std::span<const std::string> source_ids,
                              const SolveObserver& observer) = 0;
};

/// Where the results of sources are: one file per source id.
using SourceFiles = std::map<std::string, std::string>;

struct PackageSummary {
    std::int64_t sources_done = 0, sources_failed = 0, sources_missing = 0;
    std::int64_t epochs = 0, stations = 0, tets = 0;
    double max_displacement_m = 0.0;
    std::vector<std::string> lacks = {};     ///< "id: cause" of each failed or missing source
    std::vector<std::string> warnings = {};  ///< about the mesh, and what it took of slip models
};

/// Values of some sources: [source][epoch][station][component], NaN where they are missing.
struct SourceBlock {
    std::vector<std::string> ids;
    std::vector<double> values;
};

/// A job's request and mesh, kept to read the results of any of its sources.
class SourceReader {
public:
    virtual ~SourceReader() = default;
    [[nodiscard]] virtual const std::vector<double>& epochs_s() const = 0;
    [[nodiscard]] virtual std::vector<std::string> station_ids() const = 0;
    [[nodiscard]] virtual std::vector<std::string> components() const = 0;
    /// Reads the rows and values that a dataset of only these sources would have.
    virtual SourceBlock read(const SourceFiles& files) = 0;
};

/// MeshSummary reports on a mesh: text for people, and one JSON object.
struct MeshSummary {
    std::string text, json;
    std::int64_t tets = 0;
};

using MeshProgress = std::function<void(double fraction, const std::string& stage)>;

/// The stages of one kind of quasi-static job (stages_of finds them).
/// Files: the mesh is `mesh_path` (HDF5); a solve leaves one file per source in `work_dir`, which
/// `unsolved` leaves out for the same request and mesh; `package` collects them.
class Stages {
public:
    virtual ~Stages() = default;
    [[nodiscard]] virtual Preflight preflight(const GreensJob& job) const = 0;
    /// Jobs of one key run at one speed on a machine.
    [[nodiscard]] virtual std::string speed_key(const GreensJob& job) const = 0;
    /// A short calibration with the threads that device::set_threads gave; takes about a second.
    [[nodiscard]] virtual Speed measure_speed(const GreensJob& job) const = 0;
    [[nodiscard]] virtual JobCosts costs(const GreensJob& job, const JobSize& size,
                                         const Speed& speed) const = 0;
    /// Throws ValidationError when a rule of the geometry is broken, Exhausted when it would take
    /// more memory than there is.
    virtual MeshSummary mesh(const GreensJob& job, const std::string& mesh_path,
                             const MeshProgress& progress) const = 0;
    /// Collective. The job must live as long as the session.
    [[nodiscard]] virtual std::unique_ptr<SolveSession> open(const GreensJob& job,
                                                             const std::string& mesh_path,
                                                             const std::string& work_dir,
                                                             comm::Comm& comm) const = 0;
    /// The sources that have no result of this very job and mesh yet.
    [[nodiscard]] virtual Unsolved unsolved(const GreensJob& job, const std::string& mesh_path,
                                            const std::string& work_dir) const = 0;
    /// Packs the sources in `files`; the job's others are missing in the dataset, or with
    /// `only_these` not part of it. A station that a result does not hold is interpolated from its
    /// surface.
    virtual PackageSummary package(const GreensJob& job, const std::string& mesh_path,
                                   const SourceFiles& files, bool only_these,
                                   const std::string& dataset_path) const = 0;
    /// The job must live as long as the reader.
    [[nodiscard]] virtual std::unique_ptr<SourceReader> reader(
        const GreensJob& job, const std::string& mesh_path) const = 0;
    /// The job's sources that have a file in the work folder of a solve.
    [[nodiscard]] virtual SourceFiles find_results(const GreensJob& job,
                                                   const std::string& work_dir) const = 0;
};

}  // namespace kaname::jobs
