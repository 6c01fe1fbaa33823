// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "solvers/device/queue.hpp"

namespace kaname::device {

/// Where the time of a step goes (docs/performance.md, "Phases").
enum class Phase {
    Predictor,
    LoadStress,
    OperatorFp64,
    SmootherOperator,  ///< the FP32 operator of the P2 level
    SmootherVectors,   ///< Chebyshev's passes on P2, block Jacobi
    P1Below,           ///< P1 and every coarser level but the coarsest, transfers from and to P2
    Coarsest,
    DotsVectors,  ///< of the FP64 iteration
    Waiting,      ///< what one rank alone would not do: halos, reductions
    None,         ///< outside every scope
};
inline constexpr int kPhases = static_cast<int>(Phase::None);
/// "load_stress": the <name> of the metric phase_<name>_s.
[[nodiscard]] std::string_view to_string(Phase phase);

/// Counts the work of kernels: the bytes that must move when each array passes memory once per
/// call, and the arithmetic.
struct Work {
    double bytes = 0.0;
    double flop_fp32 = 0.0;
    double flop_fp64 = 0.0;

    /// Arithmetic in the precision of T.
    template <class T>
    static Work of(double bytes, double flop) {
        return sizeof(T) == sizeof(float) ? Work{bytes, flop, 0.0} : Work{bytes, 0.0, flop};
    }
    Work& operator+=(const Work& other);
};

/// Seconds and work by phase of what a queue does while it holds the recorder
/// (Queue::record_phases). Times are exclusive: entering a phase pauses the one outside it. At the
/// borders of phases a GPU is waited for, so that a step takes longer than without a recorder.
class Phases {
public:
    struct Record {
        double seconds = 0.0;
        Work work;
    };
    using Records = std::array<Record, kPhases + 1>;

    /// Everything is zero again; the phase that runs goes on.
    void reset();
    /// Up to the last border of phases.
    [[nodiscard]] const Records& records() const { return records_; }
    [[nodiscard]] const Record& of(Phase phase) const {
        return records_[static_cast<std::size_t>(phase)];
    }

    /// Returns the phase that ran before.
    Phase change(Phase phase, Queue& queue);
    void add(const Work& work) { records_[static_cast<std::size_t>(running_)].work += work; }

private:
    using Clock = std::chrono::steady_clock;
    Records records_{};
    Phase running_ = Phase::None;
    Clock::time_point since_ = Clock::now();
};

/// A scope's phase. Costs a branch while nothing is recorded.
class InPhase {
public:
    InPhase(Queue& queue, Phase phase) : queue_(queue), recorder_(queue.phases()) {
        if (recorder_ != nullptr) {
            outer_ = recorder_->change(phase, queue_);
        }
    }
    ~InPhase();
    InPhase(const InPhase&) = delete;
    InPhase& operator=(const InPhase&) = delete;

    /// The rest of the scope belongs to another phase.
    void change(Phase phase) {
        if (recorder_ != nullptr) {
            recorder_->change(phase, queue_);
        }
    }

private:
    Queue& queue_;
    Phases* recorder_;
    Phase outer_ = Phase::None;
};

/// Called by each kernel's entry.
inline void note(const Queue& queue, const Work& work) {
    if (queue.phases() != nullptr) {
        queue.phases()->add(work);
    }
}

/// Many small kernels that always follow one another, queued with one launch: on a GPU a CUDA
/// graph; on the CPU, and while phases are recorded, the kernels themselves.
class Recording {
public:
    /// Memory outside that the kernels read and write: they are recorded anew when it changes.
    using Key = std::array<const void*, 2>;

    Recording();
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    /// Queues the kernels of `body`, which must be the same each time: no waits, no allocations, no
    /// copies from or to the host. They are run once as they are (first launches load code) and
    /// recorded the next time. An exception of the body passes through and forgets the recording.
    void run(const Key& key, const std::function<void()>& body, Queue& queue);

    struct Graph;  ///< the CUDA backend's graph

private:
    std::unique_ptr<Graph> graph_;
    Key key_{};
    std::size_t n_runs_ = 0;  ///< runs with this key
};

}  // namespace kaname::device
