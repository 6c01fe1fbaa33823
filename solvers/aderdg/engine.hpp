// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solvers/aderdg/block_points.hpp"
#include "solvers/aderdg/fault_shapes.hpp"
#include "solvers/aderdg/kernels/yield_body.hpp"
#include "solvers/aderdg/layout.hpp"
#include "solvers/device/queue.hpp"

namespace kaname::aderdg {

/// Blocks of one cluster.
struct BlockRange {
    int cluster = 0;
    std::int32_t begin = 0, end = 0;
};

/// All that an engine is made of. What it refers to outlives it.
struct EngineSetup {
    const WaveModel& model;
    const TetTopology& topology;
    const WaveParams& params;
    double step_s;  ///< of cluster 0
    int lanes;      ///< 1, 2 or 4 sources
    Layout layout;
    BlockPoints points;
};

/// A rank's faults in the memory of a backend.
class EngineFaults {
public:
    virtual ~EngineFaults() = default;
    [[nodiscard]] virtual std::span<const rupture::FaultFaceShape> faces() const = 0;
    /// Returns the values kept at a face's points, [rupture::Kept fields][FaultRule::padded()].
    [[nodiscard]] virtual std::vector<double> kept(std::int64_t face) = 0;
    virtual void set_kept(std::int64_t face, std::span<const double> values) = 0;
    [[nodiscard]] virtual FaultRecord& record() = 0;
};

/// One rank's elements in the memory of a backend, and their steps. Time is counted in ticks, the
/// steps of cluster 0; ranges are of whole blocks.
class Engine {
public:
    virtual ~Engine() = default;
    /// Predicts, from the unknowns at `tick`, those that each element would have alone at the end
    /// of its step, the traces for its neighbours, and the motion of receivers during the step.
    virtual void predict(std::span<const BlockRange> ranges, std::int64_t tick) = 0;
    /// Computes the traces that faces with conditions (Layout) see beyond, for the steps of
    /// clusters 0..m that begin at `tick`, after all their elements are predicted.
    virtual void solve_conditions(int m, std::int64_t tick) = 0;
    /// Adds the effect of neighbours in the steps that end at `tick`.
    virtual void correct(std::span<const BlockRange> ranges, std::int64_t tick) = 0;

    [[nodiscard]] virtual std::size_t record_bytes() const = 0;
    /// Records one after the other, to and from host memory.
    virtual void read_records(std::span<const std::int32_t> records, std::span<std::byte> to) = 0;
    virtual void write_records(std::span<const std::int32_t> records,
                               std::span<const std::byte> from) = 0;

    /// Unknowns of an element, [lanes][(9 + 6 mechanisms) tet_modes(N)]: [modes][9], then of each
    /// mechanism [modes][6].
    [[nodiscard]] virtual std::vector<double> unknowns(std::int32_t block, int element) = 0;
    virtual void set_unknowns(std::int32_t block, int element, std::span<const double> values) = 0;

    /// Squares of every column of the blocks, [blocks][Squares::kFields][elements x lanes].
    [[nodiscard]] virtual std::vector<double> squares() = 0;

    /// Samples since the last call, [samples][lanes][own receivers][3]; the displacement by which
    /// receivers have moved, [own receivers][lanes][3]; and peaks [own peaks][lanes][2].
    [[nodiscard]] virtual std::vector<float> take_samples() = 0;
    [[nodiscard]] virtual std::vector<double> moved() = 0;
    [[nodiscard]] virtual std::vector<double> peaks() = 0;
    virtual void set_points(std::int64_t samples, std::span<const double> moved,
                            std::span<const double> peaks) = 0;
    /// Null where the model's faults have no friction.
    [[nodiscard]] virtual EngineFaults* faults() = 0;
    /// Energy of lane 0 that has left through each absorbing face of the rank [J], and their
    /// numbers (absorbing_faces); empty where the model has neither faults with friction nor
    /// plasticity.
    [[nodiscard]] virtual std::vector<double> outflow(std::vector<std::int64_t>& numbers) = 0;
    /// All faces', by number.
    virtual void set_outflow(std::span<const double> energy_j) = 0;
    /// Sums of an element (Yielded); zeros without plasticity.
    [[nodiscard]] virtual std::array<double, Yielded::kFields> yielded(std::int32_t block,
                                                                       int element) = 0;
    virtual void set_yielded(std::int32_t block, int element, std::span<const double> sums) = 0;
    /// Height of each of the rank's faces with gravity, [faces][lanes][face_modes(N)], and their
    /// numbers (numbered_faces).
    [[nodiscard]] virtual std::vector<double> heights(std::vector<std::int64_t>& numbers) = 0;
    /// All faces', by number.
    virtual void set_heights(std::span<const double> heights) = 0;
    /// Waits for all that was begun.
    virtual void finish() = 0;
};

[[nodiscard]] std::unique_ptr<Engine> make_engine(EngineSetup setup, const device::Queue& queue);
/// Numbers of an element's block in the engines of a queue's backend.
[[nodiscard]] int elements_per_block(Precision precision, int lanes, const device::Queue& queue);

/// Terms (kernels/element_terms.hpp) of one element, Terms::size(mechanisms) numbers: of a solid,
/// a shape, the solids beyond its faces and the step of its cluster.
[[nodiscard]] std::vector<double> element_terms(const EngineSetup& setup, std::int64_t tet,
                                                int cluster);

/// Means of x^i over a step, over its first half, and x^i at its end, times binom(order - 1, i).
struct TaylorWeights {
    std::vector<double> mean, first_half, end;
    explicit TaylorWeights(int order);
};

/// The elements in this process's memory, advanced by its threads.
[[nodiscard]] std::unique_ptr<Engine> make_cpu_engine(EngineSetup setup);

/// The elements in a GPU's memory, all that happens in a macro step queued at once. Throws
/// Unavailable in builds without CUDA and for orders whose kernels the GPU has no room for.
[[nodiscard]] std::unique_ptr<Engine> make_gpu_engine(EngineSetup setup,
                                                      const device::Queue& queue);

/// Numbers of a block there: elements times lanes.
[[nodiscard]] constexpr int gpu_columns(Precision precision) {
    return precision == Precision::Single ? 32 : 16;
}

}  // namespace kaname::aderdg
