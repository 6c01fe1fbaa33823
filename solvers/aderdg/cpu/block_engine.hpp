// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "solvers/aderdg/cpu/condition_passes.hpp"
#include "solvers/aderdg/cpu/point_record.hpp"
#include "solvers/aderdg/cpu/yield_pass.hpp"
#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/outflow.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::aderdg {

/// Engine of one precision and degree N on the CPU.
template <class T, int N>
class BlockEngine final : public Engine {
public:
    explicit BlockEngine(EngineSetup setup);

    void predict(std::span<const BlockRange> ranges, std::int64_t tick) override;
    void solve_conditions(int m, std::int64_t tick) override;
    void correct(std::span<const BlockRange> ranges, std::int64_t tick) override;
    [[nodiscard]] std::size_t record_bytes() const override {
        return kTraceQuantities * kFaceModes * static_cast<std::size_t>(setup_.lanes) * sizeof(T);
    }
    void read_records(std::span<const std::int32_t> records, std::span<std::byte> to) override;
    void write_records(std::span<const std::int32_t> records,
                       std::span<const std::byte> from) override;
    [[nodiscard]] std::vector<double> unknowns(std::int32_t block, int element) override;
    void set_unknowns(std::int32_t block, int element, std::span<const double> values) override;
    [[nodiscard]] std::vector<double> squares() override;
    [[nodiscard]] std::vector<float> take_samples() override { return record_.take_samples(); }
    [[nodiscard]] std::vector<double> moved() override { return record_.moved(); }
    [[nodiscard]] std::vector<double> peaks() override;
    void set_points(std::int64_t samples, std::span<const double> moved,
                    std::span<const double> peaks) override {
        record_.set(samples, moved, peaks);
    }
    [[nodiscard]] EngineFaults* faults() override { return faults_.get(); }
    [[nodiscard]] std::vector<double> outflow(std::vector<std::int64_t>& numbers) override {
        return outflow_ == nullptr ? std::vector<double>() : outflow_->energies(numbers);
    }
    void set_outflow(std::span<const double> energy_j) override {
        if (outflow_ != nullptr) {
            outflow_->set_energies(energy_j);
        }
    }
    [[nodiscard]] std::array<double, Yielded::kFields> yielded(std::int32_t block,
                                                               int element) override;
    void set_yielded(std::int32_t block, int element, std::span<const double> sums) override;
    [[nodiscard]] std::vector<double> heights(std::vector<std::int64_t>& numbers) override;
    void set_heights(std::span<const double> heights) override;
    void finish() override {}

private:
    using Own = Scratch<T, N>;
    static constexpr int kModes = tet_modes(N), kFaceModes = face_modes(N);
    static constexpr int kTraceItems = kTraceQuantities * kFaceModes;

    /// body(block, cluster) for all blocks of the ranges, by all threads.
    template <class Body>
    void for_blocks(std::span<const BlockRange> ranges, const Body& body);
    [[nodiscard]] bool has_sources(std::int32_t block) const {
        return setup_.points.first_source[block] != setup_.points.first_source[block + 1];
    }
    [[nodiscard]] Pack<T>* unknowns_of(std::int32_t block) {
        return unknowns_.data() + static_cast<std::size_t>(block) * block_packs_;
    }
    [[nodiscard]] const Pack<T>* terms_of(std::int32_t block) const {
        return terms_.data() + static_cast<std::size_t>(block) * term_packs_;
    }
    [[nodiscard]] T* record(std::int32_t number) {
        return records_.data() + static_cast<std::size_t>(number) * record_numbers_;
    }

    [[nodiscard]] double* kept_of(std::int32_t condition, int lane) {
        return kept_.data() +
               (static_cast<std::size_t>(condition) * setup_.lanes + lane) * tables_.kept.size();
    }

    void predict_block(std::int32_t block, int cluster, std::int64_t tick);
    /// Returns the length of a receiver's motion in a step as a polynomial of time,
    /// [N + 2 powers][3][lanes].
    [[nodiscard]] std::size_t powers_of_receiver() const {
        return (N + 2) * 3 * static_cast<std::size_t>(setup_.lanes);
    }
    void predict_elastic(std::int32_t block, bool with_half, Own& own, std::span<double> seen);
    /// Predicts all of a step in a block with mechanisms. Without them it adds the effect of
    /// sources to predict_elastic; in elements without sources that is nothing, so that a block's
    /// source changes no other element.
    void predict_full(std::int32_t block, int cluster, std::int64_t tick, bool with_half, Own& own,
                      std::span<double> seen);
    void write_traces(std::int32_t block, int cluster, std::int64_t tick, Own& own);
    template <int lanes>
    void write_face(std::int32_t block, int f, const Pack<T>* of, Own& own, T* to);
    void write_face(std::int32_t block, int f, const Pack<T>* of, Own& own, T* to);
    void correct_block(std::int32_t block, int cluster, std::int64_t tick);
    template <int lanes>
    void read_faces(std::int32_t block, int f, int parity, Own& own);
    void see_peaks(std::int32_t block);
    /// Traces of a power of time on the faces of a block that have conditions.
    void keep_traces(std::int32_t block, int power, const Pack<T>* of);
    void rupture(std::int64_t face, std::int64_t tick);
    void raise(std::int64_t face);
    /// Evaluates a receiver's numbers from the first `modes` modes and adds them, times `factor`,
    /// to `to` [3][lanes].
    void see(const BlockReceiver& receiver, std::size_t first_value, int modes, double factor,
             const Pack<T>* of, double* to) const;
    void see_weighted(const BlockReceiver& receiver, std::size_t first_value, int modes,
                      double factor, const Pack<T>* of, double* to) const;
    /// Calls see for all receivers of a block, for one power of time.
    void see_all(std::int32_t block, int power, std::size_t first_value, int modes, double factor,
                 const Pack<T>* of, std::span<double> seen) const;

    EngineSetup setup_;
    int mechanisms_;
    std::size_t block_packs_, term_packs_, record_numbers_;
    std::vector<T> mean_, first_half_, end_;  ///< Taylor weights
    AlignedVector<Pack<T>> unknowns_, terms_;
    AlignedVector<T> records_;
    PointRecord record_;
    FaceTables tables_;
    AlignedVector<double> kept_;  ///< [conditions][lanes][KeptTrace::size()]
    std::unique_ptr<FaultPass> faults_;
    std::unique_ptr<Outflow> outflow_;
    std::unique_ptr<YieldPass<T, N>> yielding_;
    std::unique_ptr<GravityPass> gravity_;
};

extern template class BlockEngine<double, 1>;
extern template class BlockEngine<double, 2>;
extern template class BlockEngine<double, 3>;
extern template class BlockEngine<double, 4>;
extern template class BlockEngine<double, 5>;
extern template class BlockEngine<double, 6>;
extern template class BlockEngine<float, 1>;
extern template class BlockEngine<float, 2>;
extern template class BlockEngine<float, 3>;
extern template class BlockEngine<float, 4>;
extern template class BlockEngine<float, 5>;
extern template class BlockEngine<float, 6>;

}  // namespace kaname::aderdg
