// SPDX-License-Identifier: BSD-3-Clause
// BlockEngine: its state, read and written for checkpoints, ranks and sums of energy.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "solvers/aderdg/cpu/block_engine.hpp"
#include "solvers/aderdg/kernels/squares_body.hpp"

namespace kaname::aderdg {

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
