// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/face_tables.hpp"
#include "solvers/aderdg/kernels/gpu_elements.hpp"
#include "solvers/aderdg/kernels/gpu_faults.hpp"
#include "solvers/aderdg/plasticity.hpp"
#include "solvers/device/buffer.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::aderdg {

/// Unknowns in a GPU's memory, [blocks][numbers][kColumns]. The host sees elements one by one; it
/// has a few blocks at a time, until it gives them back.
template <class T>
class GpuUnknowns {
public:
    /// `numbers` of each column of a block.
    GpuUnknowns(int numbers, int lanes, std::int32_t n_blocks, device::Queue& queue)
        : numbers_(numbers),
          lanes_(lanes),
          n_blocks_(n_blocks),
          at_a_time_(std::max<std::int32_t>(
              1, static_cast<std::int32_t>(kBytesOnHost / (block_size() * sizeof(T))))),
          queue_(queue),
          on_gpu_(block_size() * n_blocks, queue) {}

    [[nodiscard]] T* on_gpu() { return on_gpu_.data(); }

    /// [lanes][numbers] of an element.
    [[nodiscard]] std::vector<double> get(std::int32_t block, int element) {
        const T* from = take(block);
        std::vector<double> values;
        values.reserve(static_cast<std::size_t>(numbers_) * lanes_);
        for (int lane = 0; lane < lanes_; ++lane) {
            for (int k = 0; k < numbers_; ++k) {
                values.push_back(from[k * kColumns<T> + element * lanes_ + lane]);
            }
        }
        return values;
    }
    void set(std::int32_t block, int element, std::span<const double> values) {
        T* to = take(block);
        changed_ = true;
        for (int lane = 0; lane < lanes_; ++lane) {
            for (int k = 0; k < numbers_; ++k) {
                to[k * kColumns<T> + element * lanes_ + lane] =
                    static_cast<T>(values[lane * numbers_ + k]);
            }
        }
    }
    /// Copies values that were set to the GPU, which may change all of them from then on.
    void give_back() {
        if (changed_) {
            device::copy_to_device(on_gpu_.data() + first_ * block_size(), host_.data(),
                                   host_.size() * sizeof(T), queue_);
        }
        changed_ = false;
        host_.clear();
    }

private:
    static constexpr std::size_t kBytesOnHost = std::size_t{4} << 20;

    [[nodiscard]] std::size_t block_size() const {
        return static_cast<std::size_t>(numbers_) * kColumns<T>;
    }
    [[nodiscard]] T* take(std::int32_t block) {
        const auto n = static_cast<std::int32_t>(host_.size() / block_size());
        if (block < first_ || block >= first_ + n) {
            give_back();
            first_ = block;
            host_.resize(std::min(at_a_time_, n_blocks_ - block) * block_size());
            device::copy_to_host(host_.data(), on_gpu_.data() + first_ * block_size(),
                                 host_.size() * sizeof(T), queue_);
        }
        return host_.data() + (block - first_) * block_size();
    }

    int numbers_, lanes_;
    std::int32_t n_blocks_, at_a_time_;
    device::Queue& queue_;
    device::Buffer<T> on_gpu_;
    std::vector<T> host_;  ///< blocks from first_ on
    std::int32_t first_ = 0;
    bool changed_ = false;
};

/// Records of traces in a GPU's memory, and their way to and from the host: gathered there first.
template <class T>
class GpuRecords {
public:
    /// `numbers` of each record.
    GpuRecords(int numbers, std::int32_t n_records, device::Queue& queue)
        : queue_(queue),
          numbers_(numbers),
          records_(static_cast<std::size_t>(numbers) * n_records, queue) {}

    [[nodiscard]] T* on_gpu() { return records_.data(); }
    [[nodiscard]] std::size_t record_bytes() const {
        return static_cast<std::size_t>(numbers_) * sizeof(T);
    }
    void read(std::span<const std::int32_t> records, std::span<std::byte> to) {
        if (!records.empty()) {
            gather_records_cuda<T>(records_.data(), list_of(records), std::ssize(records), numbers_,
                                   staged_for(records.size()), queue_);
            device::copy_to_host(to.data(), staged_.data(), records.size() * record_bytes(),
                                 queue_);
        }
    }
    void write(std::span<const std::int32_t> records, std::span<const std::byte> from) {
        if (!records.empty()) {
            device::copy_to_device(staged_for(records.size()), from.data(),
                                   records.size() * record_bytes(), queue_);
            scatter_records_cuda<T>(staged_.data(), list_of(records), std::ssize(records), numbers_,
                                    records_.data(), queue_);
        }
    }

private:
    /// Lists that have been asked for stay.
    struct List {
        std::vector<std::int32_t> numbers;
        device::Buffer<std::int32_t> on_gpu;
    };
    [[nodiscard]] const std::int32_t* list_of(std::span<const std::int32_t> records) {
        for (const List& list : lists_) {
            if (std::ranges::equal(list.numbers, records)) {
                return list.on_gpu.data();
            }
        }
        lists_.push_back(
            {{records.begin(), records.end()}, device::Buffer<std::int32_t>(records, queue_)});
        return lists_.back().on_gpu.data();
    }
    [[nodiscard]] T* staged_for(std::size_t records) {
        if (staged_.size() < records * numbers_) {
            staged_ = device::Buffer<T>(records * numbers_, queue_);
        }
        return staged_.data();
    }

    device::Queue& queue_;
    int numbers_;
    device::Buffer<T> records_, staged_;
    std::list<List> lists_;
};

/// Plasticity of a rank whose elements are on a GPU.
template <class T>
class GpuYieldSet {
public:
    GpuYieldSet(const EngineSetup& setup, device::Queue& queue);

    /// Queues the relaxation at the end of the steps of `ranges`.
    void relax(const GpuElements<T>& elements, const GpuRanges& ranges) {
        yield_cuda(kernels_, elements, ranges, queue_);
    }
    using Sums = std::array<double, Yielded::kFields>;
    [[nodiscard]] Sums sums(std::int32_t block, int element) {
        Sums of{};
        for (int k = 0; k < Yielded::kFields; ++k) {
            of[k] = here()[place(block, element, k)];
        }
        return of;
    }
    void set_sums(std::int32_t block, int element, std::span<const double> sums) {
        for (int k = 0; k < Yielded::kFields; ++k) {
            here()[place(block, element, k)] = sums[k];
        }
        changed_ = true;
    }
    /// Copies values that were set to the GPU, which may change all of them from then on.
    void give_back() {
        if (changed_) {
            device::upload<double>(host_, sums_, queue_);
        }
        changed_ = false;
        host_.clear();
    }

private:
    struct Rows {
        device::Buffer<std::int32_t> first;
        device::Buffer<std::uint8_t> column;
        device::Buffer<T> value;
    };
    [[nodiscard]] static std::size_t place(std::int32_t block, int element, int field) {
        return (static_cast<std::size_t>(block) * Yielded::kFields + field) * kColumns<T> + element;
    }
    [[nodiscard]] std::vector<double>& here() {
        if (host_.empty()) {
            host_.resize(sums_.size());
            device::download<double>(sums_, host_, queue_);
        }
        return host_;
    }
    [[nodiscard]] device::Buffer<T> rounded(const std::vector<double>& values) {
        return device::copied(std::vector<T>(values.begin(), values.end()), queue_);
    }
    void copy(const SparseRows<double>& from, Rows& to, GpuRows<T>& of_kernels) {
        to = {device::copied(from.first, queue_), device::copied(from.column, queue_),
              rounded(from.value)};
        of_kernels = {to.first.data(), to.column.data(), to.value.data()};
    }
    [[nodiscard]] std::vector<T> block_terms(const EngineSetup& setup) const;

    device::Queue& queue_;
    GpuYield<T> kernels_;
    Rows to_nodes_, to_modes_;
    device::Buffer<T> vertex_share_, nodes_, times_modes_, times_vertices_, mean_, relaxes_, given_;
    device::Buffer<double> sums_;
    std::vector<double> host_;  ///< empty: not here
    bool changed_ = false;
};

template <class T>
GpuYieldSet<T>::GpuYieldSet(const EngineSetup& setup, device::Queue& queue) : queue_(queue) {
    const Layout& layout = setup.layout;
    const YieldTables tables(setup.params.order - 1);
    std::vector<double> nodes, relaxes;
    for (const auto& lambda : tables.nodes) {
        nodes.insert(nodes.end(), lambda.begin(), lambda.end());
    }
    for (int c = 0; c < layout.n_clusters; ++c) {
        relaxes.push_back(relaxing_part(setup.model, std::ldexp(setup.step_s, c)));
    }
    copy(tables.to_nodes, to_nodes_, kernels_.to_nodes);
    copy(tables.to_modes, to_modes_, kernels_.to_modes);
    vertex_share_ = rounded(tables.vertex_share);
    nodes_ = rounded(nodes);
    times_modes_ = rounded(tables.times_modes);
    times_vertices_ = rounded(tables.times_vertices);
    mean_ = rounded(tables.mean);
    relaxes_ = rounded(relaxes);
    given_ = device::copied(block_terms(setup), queue);
    sums_ = device::Buffer<double>(
        static_cast<std::size_t>(layout.n_blocks()) * Yielded::kFields * kColumns<T>, queue);
    kernels_.modes = static_cast<int>(tables.nodes.size());
    kernels_.vertex_share = vertex_share_.data();
    kernels_.nodes = nodes_.data();
    kernels_.times_modes = times_modes_.data();
    kernels_.times_vertices = times_vertices_.data();
    kernels_.mean = mean_.data();
    kernels_.relaxes = relaxes_.data();
    kernels_.given = given_.data();
    kernels_.sums = sums_.data();
}

template <class T>
std::vector<T> GpuYieldSet<T>::block_terms(const EngineSetup& setup) const {
    constexpr std::size_t kSize = YieldTerms::kSize, kWide = kColumns<T>;
    const Layout& layout = setup.layout;
    std::vector<T> terms(kSize * kWide * layout.n_blocks());
    parallel_for(
        std::ssize(layout.tets),
        [&](std::int64_t slot) {
            if (layout.tets[slot] < 0) {
                return;
            }
            const std::vector<double> of =
                yield_terms(setup.model, setup.topology, layout.tets[slot]);
            T* to = terms.data() + slot / layout.per_block * kSize * kWide;
            for (std::size_t k = 0; k < kSize; ++k) {
                to[k * kWide + slot % layout.per_block] = static_cast<T>(of[k]);
            }
        },
        64);
    return terms;
}

/// Outflow of a rank whose elements are on a GPU.
class GpuOutflow {
public:
    GpuOutflow(const EngineSetup& setup, device::Queue& queue)
        : queue_(queue),
          modes_(face_modes(setup.params.order - 1)),
          lanes_(setup.lanes),
          host_(setup),
          outlets_(std::span<const Outlet>(host_.outlets()), queue),
          mass_(device::copied(host_.mass(), queue)) {}

    /// Queues a step of blocks whose traces are written; ranges that follow one another are one
    /// launch.
    template <class T>
    void add(std::span<const BlockRange> ranges, const T* records) {
        std::int64_t from = 0, to = 0;
        const auto launch = [&] {
            outflow_cuda(outlets_.data(), from, to, mass_.data(), modes_, lanes_, records, queue_);
        };
        for (const BlockRange& range : ranges) {
            if (host_.first()[range.begin] != to) {
                launch();
                from = host_.first()[range.begin];
            }
            to = host_.first()[range.end];
        }
        launch();
    }
    /// As Outflow.
    [[nodiscard]] std::vector<double> energies(std::vector<std::int64_t>& numbers) {
        device::download<Outlet>(outlets_, host_.outlets(), queue_);
        return host_.energies(numbers);
    }
    void set_energies(std::span<const double> energy_j) {
        host_.set_energies(energy_j);
        device::upload<Outlet>(host_.outlets(), outlets_, queue_);
    }

private:
    device::Queue& queue_;
    int modes_, lanes_;
    Outflow host_;
    device::Buffer<Outlet> outlets_;
    device::Buffer<double> mass_;
};

}  // namespace kaname::aderdg
