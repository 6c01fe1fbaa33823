// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "solvers/aderdg/cpu/condition_passes.hpp"
#include "solvers/aderdg/cpu/point_record.hpp"
#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/face_tables.hpp"
#include "solvers/aderdg/kernels/squares_body.hpp"
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

// BlockEngine: faces with friction, and those that rise under gravity.

template <class T, int N>
void BlockEngine<T, N>::keep_traces(std::int32_t block, int power, const Pack<T>* of) {
    const Layout& layout = setup_.layout;
    const std::int32_t begin = layout.first_condition[block];
    const std::int32_t end = layout.first_condition[block + 1];
    if (begin == end) {
        return;
    }
    const KeptTrace& kept = tables_.kept;
    const int n = kept.padded();
    for (int f = 0; f < 4; ++f) {
        struct Column {
            int column;
            double* to;
        } columns[kPack<T>];
        int n_columns = 0;
        for (std::int32_t k = begin; k < end; ++k) {
            const Layout::Condition& c = layout.conditions[k];
            for (int lane = 0; lane < setup_.lanes && c.face == f; ++lane) {
                columns[n_columns++] = {c.element * setup_.lanes + lane,
                                        kept_of(k, lane) + kept.first(power)};
            }
        }
        const Pack<T>* normal = terms_of(block) + Terms::kFaces + f * Terms::kFace + Terms::kNormal;
        for (std::size_t m = 0; m < kept.modes(power, f).size() && n_columns > 0; ++m) {
            const Pack<T>* q = of + kQuantities * kept.modes(power, f)[m];
            const Pack<T> trace[kTraceQuantities] = {
                q[0] * normal[0] + q[3] * normal[1] + q[5] * normal[2],
                q[3] * normal[0] + q[1] * normal[1] + q[4] * normal[2],
                q[5] * normal[0] + q[4] * normal[1] + q[2] * normal[2],
                q[6],
                q[7],
                q[8]};
            for (int c = 0; c < n_columns; ++c) {
                for (int v = 0; v < kTraceQuantities; ++v) {
                    columns[c].to[v * n + m] = trace[v][columns[c].column];
                }
            }
        }
    }
}

template <class T, int N>
void BlockEngine<T, N>::solve_conditions(int m, std::int64_t tick) {
    // Faces are sorted by their clusters.
    const auto surface = gravity_->faces();
    const auto risen = std::ranges::upper_bound(surface, m, {}, &GravityPass::Face::cluster);
    parallel_ranges(risen - surface.begin(), 16, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t k = first; k < last; ++k) {
            raise(k);
        }
    });
    if (faults_ == nullptr) {
        return;
    }
    const auto sides = faults_->sides();
    const auto end = std::ranges::upper_bound(sides, m, {}, &FaultSides::cluster);
    parallel_ranges(end - sides.begin(), 32, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t k = first; k < last; ++k) {
            rupture(k, tick);
        }
    });
}

/// Either side sees the other one with the slip rate taken off, so that what is left of the jump is
/// what waves make of it: a fault that holds is none.
template <class T, int N>
void BlockEngine<T, N>::rupture(std::int64_t face, std::int64_t tick) {
    const Layout& layout = setup_.layout;
    const FaultSides& sides = faults_->sides()[face];
    double rate[3 * kFaceModes];
    const bool slips = faults_->step(face, setup_.step_s * static_cast<double>(tick),
                                     std::ldexp(setup_.step_s, sides.cluster),
                                     kept_of(sides.minus, 0), kept_of(sides.plus, 0), rate);
    const auto see = [&](std::int32_t from, std::int32_t to, double sign) {
        const Layout::Condition& other = layout.conditions[from];
        const T* trace = record(layout.own_record(other.block, other.face, other.element));
        T* beyond = record(layout.conditions[to].record);
        std::copy_n(trace, record_numbers_, beyond);
        for (int k = 0; k < 3 * kFaceModes && slips; ++k) {
            T& velocity = beyond[3 * kFaceModes + k];
            velocity = static_cast<T>(velocity + sign * rate[k]);
        }
    };
    see(sides.plus, sides.minus, -1.0);
    see(sides.minus, sides.plus, 1.0);
}

/// The weight of what has risen: t* = -rho g eta n, of which t - 2 t* beyond makes the jump.
template <class T, int N>
void BlockEngine<T, N>::raise(std::int64_t k) {
    const GravityPass::Face& face = gravity_->faces()[k];
    const Layout::Condition& c = setup_.layout.conditions[face.condition];
    T* beyond = record(c.record);
    std::copy_n(record(setup_.layout.own_record(c.block, c.face, c.element)), record_numbers_,
                beyond);
    double mean[kFaceModes];
    for (int lane = 0; lane < setup_.lanes; ++lane) {
        gravity_->step(k, lane, kept_of(face.condition, lane), mean);
        for (int d = 0; d < 3; ++d) {
            for (int m = 0; m < kFaceModes; ++m) {
                T& traction = beyond[(d * kFaceModes + m) * setup_.lanes + lane];
                traction = static_cast<T>(traction + kernels::seen_weight(face.terms, d, mean[m]));
            }
        }
    }
}

template <class T, int N>
std::vector<double> BlockEngine<T, N>::heights(std::vector<std::int64_t>& numbers) {
    for (const GravityPass::Face& face : gravity_->faces()) {
        numbers.push_back(face.number);
    }
    return {gravity_->heights().begin(), gravity_->heights().end()};
}

template <class T, int N>
void BlockEngine<T, N>::set_heights(std::span<const double> heights) {
    gravity_->set_heights(heights);
}

// BlockEngine: what receivers and the largest velocities see of a block.

template <class T, int N>
void BlockEngine<T, N>::see(const BlockReceiver& receiver, std::size_t first_value, int modes,
                            double factor, const Pack<T>* of, double* to) const {
    const int lanes = setup_.lanes;
    if (!receiver.weights.empty()) {
        see_weighted(receiver, first_value, modes, factor, of, to);
        return;
    }
    for (int c = 0; c < 3; ++c) {
        for (int lane = 0; lane < lanes; ++lane) {
            double sum = 0.0;
            for (int k = 0; k < modes; ++k) {
                sum += receiver.values[first_value + k] *
                       of[kQuantities * k + kStresses + c][receiver.element * lanes + lane];
            }
            to[c * lanes + lane] += factor * sum;
        }
    }
}

template <class T, int N>
void BlockEngine<T, N>::see_weighted(const BlockReceiver& receiver, std::size_t first_value,
                                     int modes, double factor, const Pack<T>* of,
                                     double* to) const {
    const int lanes = setup_.lanes, width = kQuantities + kStresses * mechanisms_;
    for (int q = 0; q < width; ++q) {
        const int l = q < kQuantities ? 0 : (q - kQuantities) / kStresses;
        const int each = q < kQuantities ? kQuantities : kStresses;
        // Memory variables stand behind all modes of the other unknowns.
        const int first = q < kQuantities ? q
                                          : kModes * (kQuantities + kStresses * l) +
                                                (q - kQuantities) % kStresses;
        for (int lane = 0; lane < lanes; ++lane) {
            double value = 0.0;
            for (int k = 0; k < modes; ++k) {
                value += receiver.values[first_value + k] *
                         of[first + each * k][receiver.element * lanes + lane];
            }
            for (int c = 0; c < 3; ++c) {
                to[c * lanes + lane] += factor * receiver.weights[c * width + q] * value;
            }
        }
    }
}

template <class T, int N>
void BlockEngine<T, N>::see_all(std::int32_t block, int power, std::size_t first_value, int modes,
                                double factor, const Pack<T>* of, std::span<double> seen) const {
    const BlockPoints& points = setup_.points;
    const std::int32_t first = points.first_receiver[block];
    for (std::int32_t r = first; r < points.first_receiver[block + 1]; ++r) {
        double* to = seen.data() + (r - first) * powers_of_receiver() +
                     power * 3 * static_cast<std::size_t>(setup_.lanes);
        see(points.receivers[r], first_value, modes, factor, of, to);
    }
}

template <class T, int N>
void BlockEngine<T, N>::see_peaks(std::int32_t block) {
    const BlockPoints& points = setup_.points;
    for (std::int32_t p = points.first_peak[block]; p < points.first_peak[block + 1]; ++p) {
        std::vector<double> velocity(3 * static_cast<std::size_t>(setup_.lanes));
        see(points.peaks[p], 0, kModes, 1.0, unknowns_of(block), velocity.data());
        record_.add_peak(p, velocity);
    }
}

template <class T, int N>
std::vector<double> BlockEngine<T, N>::peaks() {
    for (std::int32_t block = 0; block < setup_.layout.n_blocks(); ++block) {
        see_peaks(block);
    }
    return record_.peaks();
}

// BlockEngine: its state, read and written for checkpoints, ranks and sums of energy.

template <class T, int N>
std::array<double, Yielded::kFields> BlockEngine<T, N>::yielded(std::int32_t block, int element) {
    return yielding_ == nullptr ? std::array<double, Yielded::kFields>{}
                                : yielding_->sums(block, element);
}

template <class T, int N>
void BlockEngine<T, N>::set_yielded(std::int32_t block, int element, std::span<const double> sums) {
    if (yielding_ != nullptr) {
        std::ranges::copy(sums, yielding_->sums(block, element).begin());
    }
}

template <class T, int N>
void BlockEngine<T, N>::read_records(std::span<const std::int32_t> records,
                                     std::span<std::byte> to) {
    for (std::size_t k = 0; k < records.size(); ++k) {
        std::memcpy(to.data() + k * record_bytes(), record(records[k]), record_bytes());
    }
}

template <class T, int N>
void BlockEngine<T, N>::write_records(std::span<const std::int32_t> records,
                                      std::span<const std::byte> from) {
    for (std::size_t k = 0; k < records.size(); ++k) {
        std::memcpy(record(records[k]), from.data() + k * record_bytes(), record_bytes());
    }
}

template <class T, int N>
std::vector<double> BlockEngine<T, N>::unknowns(std::int32_t block, int element) {
    std::vector<double> values;
    values.reserve(block_packs_ * setup_.lanes);
    for (int lane = 0; lane < setup_.lanes; ++lane) {
        for (std::size_t k = 0; k < block_packs_; ++k) {
            values.push_back(unknowns_of(block)[k][element * setup_.lanes + lane]);
        }
    }
    return values;
}

template <class T, int N>
std::vector<double> BlockEngine<T, N>::squares() {
    constexpr int kWide = kPack<T>;
    constexpr std::size_t kSize = static_cast<std::size_t>(Squares::kFields) * kWide;
    const std::vector<double> mass = mass_matrix(N);
    std::vector<double> all(kSize * setup_.layout.n_blocks());
    parallel_for(
        setup_.layout.n_blocks(),
        [&](std::int64_t block) {
            double sums[Squares::kFields][kWide] = {};
            const T* q = reinterpret_cast<const T*>(unknowns_of(static_cast<std::int32_t>(block)));
            for (int i = 0; i < kModes; ++i) {
                kernels::add_squares<kWide>(q, kWide, mass.data() + i * kModes, kModes, i, sums);
            }
            std::copy_n(&sums[0][0], kSize, all.data() + block * kSize);
        },
        16);
    return all;
}

template <class T, int N>
void BlockEngine<T, N>::set_unknowns(std::int32_t block, int element,
                                     std::span<const double> values) {
    for (int lane = 0; lane < setup_.lanes; ++lane) {
        for (std::size_t k = 0; k < block_packs_; ++k) {
            unknowns_of(block)[k].set(element * setup_.lanes + lane,
                                      static_cast<T>(values[lane * block_packs_ + k]));
        }
    }
}

}  // namespace kaname::aderdg
