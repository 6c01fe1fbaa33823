// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/device/queue.hpp"
#include "solvers/viscoelastic/stepping/predictor_setup.hpp"

namespace kaname::jobs {

enum class SolverMethod { Default, Pcge, Seed, Multistep2018 };
enum class ElementChoice { Auto, P2, NodalDilatation };
enum class TimeMethod { Auto, Stepping, Spectrum };
enum class DeviceChoice { Auto, Cpu, Cuda };
/// CheckpointMode selects the contents of a pack's checkpoint; Full stores all of the predictor's
/// history.
enum class CheckpointMode { Auto, Full, None };
enum class HistoryKind { Step, Ramp, Steady, Exponential, Logarithmic, Table };
using viscoelastic::PredictorKind;

/// The word for a choice in requests, datasets, reports and keys of measured speeds.
template <class Choice>
struct Word {
    Choice choice;
    const char* text;
};

/// The words of each kind of choice; a choice and its word stand together nowhere else.
template <class Choice>
inline constexpr std::array<Word<Choice>, 0> kWords = {};
template <>
inline constexpr auto kWords<SolverMethod> =
    std::to_array<Word<SolverMethod>>({{SolverMethod::Default, "default"},
                                       {SolverMethod::Pcge, "pcge"},
                                       {SolverMethod::Seed, "seed"},
                                       {SolverMethod::Multistep2018, "multistep2018"}});
template <>
inline constexpr auto kWords<ElementChoice> =
    std::to_array<Word<ElementChoice>>({{ElementChoice::Auto, "auto"},
                                        {ElementChoice::P2, "p2"},
                                        {ElementChoice::NodalDilatation, "nodal_dilatation"}});
template <>
inline constexpr auto kWords<PredictorKind> = std::to_array<Word<PredictorKind>>(
    {{PredictorKind::None, "none"},
     {PredictorKind::Previous, "previous"},
     {PredictorKind::Ab2, "ab2"},
     {PredictorKind::Cubic, "cubic"},
     {PredictorKind::DataDriven, "data_driven"},
     {PredictorKind::DataDrivenPublished, "data_driven_published"},
     {PredictorKind::Projection, "projection"}});
template <>
inline constexpr auto kWords<TimeMethod> =
    std::to_array<Word<TimeMethod>>({{TimeMethod::Auto, "auto"},
                                     {TimeMethod::Stepping, "stepping"},
                                     {TimeMethod::Spectrum, "spectrum"}});
template <>
inline constexpr auto kWords<DeviceChoice> = std::to_array<Word<DeviceChoice>>(
    {{DeviceChoice::Auto, "auto"}, {DeviceChoice::Cpu, "cpu"}, {DeviceChoice::Cuda, "cuda"}});
template <>
inline constexpr auto kWords<CheckpointMode> =
    std::to_array<Word<CheckpointMode>>({{CheckpointMode::Auto, "auto"},
                                         {CheckpointMode::Full, "full"},
                                         {CheckpointMode::None, "none"}});
template <>
inline constexpr auto kWords<HistoryKind> =
    std::to_array<Word<HistoryKind>>({{HistoryKind::Step, "step"},
                                      {HistoryKind::Ramp, "ramp"},
                                      {HistoryKind::Steady, "steady"},
                                      {HistoryKind::Exponential, "exponential"},
                                      {HistoryKind::Logarithmic, "logarithmic"},
                                      {HistoryKind::Table, "table"}});

template <class Choice>
[[nodiscard]] std::string text_of(Choice choice) {
    for (const Word<Choice>& word : kWords<Choice>) {
        if (word.choice == choice) {
            return word.text;
        }
    }
    throw Error(ErrorCode::Internal, "a choice has no word");
}

/// Nothing for a text that is none of the words.
template <class Choice>
[[nodiscard]] std::optional<Choice> choice_of(std::string_view text) {
    for (const Word<Choice>& word : kWords<Choice>) {
        if (word.text == text) {
            return word.choice;
        }
    }
    return std::nullopt;
}

/// How the systems of equations are made and solved.
struct SolverOptions {
    SolverMethod method{};
    ElementChoice element{};
    PredictorKind predictor{};
    double tolerance = 0.0;
    int max_iterations = 0;
};

/// Where a solve runs. It concerns the machine, not the job, and is no part of a result's key.
struct Placement {
    DeviceChoice device{};
    int local_rank = 0;  ///< rank of this process among those of its machine
};

/// CheckpointOptions describes the checkpoints from which a killed solve can continue. They are no
/// part of a result's key either.
struct CheckpointOptions {
    CheckpointMode mode{};
    std::optional<double> interval_s = std::nullopt;  ///< absent: 60 s, or 20 write times
};

/// OutputOptions describes the contents of results, and the checkpoints of a solve.
struct OutputOptions {
    double snap_tolerance_m = 0.0;
    bool surface = false;  ///< results hold the motion of the whole surface
    CheckpointOptions checkpoint;
};

/// How the unit slip of every source comes about, or the data of sides.
struct SlipHistory {
    HistoryKind kind{};
    double duration_s = 0.0;  ///< duration of a ramp, or of a steady growth by 1
    double time_constant_s = 0.0;
    std::vector<double> times_s = {}, slip = {};  ///< rows of a table; equal times are a jump
};

/// Epochs, and how the time up to them is solved for.
struct TimeOptions {
    TimeMethod method{};
    double step_s = 0.0;      ///< 0: a fifth of the shortest relaxation time
    double max_step_s = 0.0;  ///< > step_s: steps double every few steps up to it
    double end_s = 0.0;
    double alpha = 0.0;  ///< time integration: 1/2 midpoint, 1 implicit Euler
    double spectrum_tolerance = 0.0;
    std::vector<double> epochs_s;  ///< none: every step
};

/// Sizes beside those at the fault and far from it; 0: none.
struct VolumeSizes {
    struct Depth {
        double depth_m = 0.0, size_m = 0.0;  ///< elements above depth_m are no larger than size_m
        double reach_m = 0.0;                ///< so far from the fault; 0: as far as other details
    };
    double at_surface_m = 0.0, at_stations_m = 0.0;
    std::vector<Depth> by_depth;
    std::int64_t max_elements = 0;
    double thinnest_layer = 0.0;  ///< in element sizes: thinner layers merge with a neighbour
};

/// Sizes of the elements of a mesh that Kaname makes.
struct MeshOptions {
    double size_at_fault_m = 0.0, size_far_m = 0.0, growth = 0.0;
    VolumeSizes sizes;
};

/// Index of the GPU that a rank of this machine takes: ranks share them in turn.
[[nodiscard]] int gpu_of_rank(int local_rank, int n_gpus);

/// The queue of a placement. auto takes a GPU where there is one. Throws Unavailable
/// for cuda where there is no GPU.
[[nodiscard]] device::Queue choose_queue(const Placement& placement);

/// "cpu" or "cuda: NVIDIA H200 (GPU-...)" of the queue that choose_queue gave.
[[nodiscard]] std::string device_text(const Placement& placement, const device::Queue& queue);

/// The checkpoint of a work folder: one file, of the pack that is being solved.
[[nodiscard]] std::string checkpoint_path(const std::string& work_dir);

/// When to write: never more often than costs a twentieth of the time, nor than the shortest
/// interval.
class CheckpointClock {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr double kShortest_s = 60.0;
    static constexpr double kWriteTimes = 20.0;

    /// interval_s: in place of both rules; 0: after every step.
    explicit CheckpointClock(std::optional<double> interval_s) : interval_s_(interval_s) {}
    void restart(Clock::time_point now) { last_ = now; }
    [[nodiscard]] bool due(Clock::time_point now) const;
    void wrote(Clock::time_point begin, Clock::time_point end);

private:
    std::optional<double> interval_s_;
    Clock::time_point last_{};
    double write_s_ = 0.0;
};

}  // namespace kaname::jobs
