// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/stage/stage.hpp"

namespace kaname::jobs {

class Packing;
struct PackContext;
class StepRecorder;

/// Quasi-static viscoelasticity: solvers/viscoelastic behind the verbs, for Green's functions of
/// unit sources and tables.
class ViscoelasticStages : public Stages {
public:
    [[nodiscard]] Preflight preflight(const GreensJob& job) const override;
    [[nodiscard]] std::string speed_key(const GreensJob& job) const override;
    [[nodiscard]] Speed measure_speed(const GreensJob& job) const override;
    [[nodiscard]] JobCosts costs(const GreensJob& job, const JobSize& size,
                                 const Speed& speed) const override;
    MeshSummary mesh(const GreensJob& job, const std::string& mesh_path,
                     const MeshProgress& progress) const override;
    Unsolved unsolved(const GreensJob& job, const std::string& mesh_path,
                      const std::string& work_dir) const override;
    std::unique_ptr<SolveSession> open(const GreensJob& job, const std::string& mesh_path,
                                       const std::string& work_dir,
                                       comm::Comm& comm) const override;
    PackageSummary package(const GreensJob& job, const std::string& mesh_path,
                           const SourceFiles& files, bool only_these,
                           const std::string& dataset_path) const override;
    std::unique_ptr<SourceReader> reader(const GreensJob& job,
                                         const std::string& mesh_path) const override;
    SourceFiles find_results(const GreensJob& job, const std::string& work_dir) const override;

    /// Returns the recorder of quantities beside the motion of places while a pack is solved by
    /// time steps.
    [[nodiscard]] virtual std::unique_ptr<StepRecorder> recorder(const PackContext& context) const;

protected:
    /// Adds the rows of the dataset, with all that depends on sources.
    virtual void pack_sources(Packing& packing, bool only_these) const;

private:
    class Reader;
    class ForceReader;
};

/// How a job goes through time.
struct Steps {
    bool spectrum = false;        ///< true: by relaxation spectrum, not by steps
    viscoelastic::TimeGrid grid;  ///< no steps when nothing relaxes; spectrum: default epochs
    /// The shortest among the branches of all materials that a layer uses; 0: all elastic.
    double shortest_relaxation_time_s = 0.0;

    [[nodiscard]] double longest_step_s() const {
        return grid.later.empty() ? grid.dt_s : grid.later.back().dt_s;
    }
};
/// A scenario that wants snapshots of the volume: they are sums over time steps, made while
/// solving.
[[nodiscard]] bool wants_volume(const GreensJob& job);

/// A requested step is shortened so that a whole number of them ends at time.end_s; with max_step_s
/// every run of kStepsPerLength steps is followed by one of steps twice as long, up to it. Method
/// auto: the spectrum where steps were not asked for, more than kStepsWorthASpectrum would be
/// needed, no volume is wanted and no side is moved or loaded. Throws ValidationError where a
/// volume is wanted of a spectrum or of four steps at once.
inline constexpr double kDefaultStep = 0.2;  // in shortest relaxation times; see docs/theory
inline constexpr int kStepsPerLength = 21;
inline constexpr int kStepsWorthASpectrum = 150;
[[nodiscard]] Steps time_steps(const GreensJob& job);
/// For a job that method auto solves by spectrum, the steps that would do: up to kMostUniformSteps
/// of the default length, else ever longer ones, twice as long after each kStepsPerLength.
inline constexpr int kMostUniformSteps = 1000;
[[nodiscard]] Steps steps_in_place_of_spectrum(const GreensJob& job);

/// Measured on kaname-bench's lattices (docs/performance.md): shifts that a pack needs,
/// hierarchies of shifts worth keeping for the next pack, and bytes per unknown of a kept one.
inline constexpr int kExpectedShifts = 11;
/// Returns kExpectedShifts, or more where two and more viscosities have ranges. Trials of two to
/// three decades for each viscosity took these numbers (decision 0091).
[[nodiscard]] int expected_shifts(const GreensJob& job);
inline constexpr int kKeptShifts = 16;
inline constexpr double kBytesPerDofOfAShift = 170.0;

/// Returns the path of a source's result in the work folder.
[[nodiscard]] std::string source_path(const std::string& work_dir, const std::string& source_id);

}  // namespace kaname::jobs
