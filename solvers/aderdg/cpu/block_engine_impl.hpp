// SPDX-License-Identifier: BSD-3-Clause
// BlockEngine: a step of a block. Its other members stand in the files that are included.
#pragma once

#include <algorithm>
#include <cmath>

#include "solvers/aderdg/cpu/block_engine.hpp"
#include "solvers/parallel/flush_denormals.hpp"

namespace kaname::aderdg {

template <class T, int N>
BlockEngine<T, N>::BlockEngine(EngineSetup setup)
    : setup_(std::move(setup)),
      mechanisms_(static_cast<int>(setup_.model.solids.front().mechanisms.size())),
      block_packs_(static_cast<std::size_t>(kModes) * (kQuantities + kStresses * mechanisms_)),
      term_packs_(Terms::size(mechanisms_)),
      record_numbers_(kernels::record_size<T>(kTraceItems, setup_.lanes)),
      unknowns_(block_packs_ * setup_.layout.n_blocks()),
      terms_(term_packs_ * setup_.layout.n_blocks()),
      records_(record_numbers_ * setup_.layout.n_records),
      record_(setup_.params, setup_.lanes, setup_.points.receivers.size(),
              setup_.points.peaks.size()),
      tables_(N, mechanisms_),
      kept_(setup_.layout.conditions.size() * setup_.lanes * tables_.kept.size()) {
    if (!setup_.model.fault.laws.empty()) {
        faults_ = std::make_unique<FaultPass>(setup_, tables_);
    }
    if (setup_.model.balances_energy()) {
        outflow_ = std::make_unique<Outflow>(setup_);
    }
    if (setup_.model.plasticity.at) {
        yielding_ = std::make_unique<YieldPass<T, N>>(setup_);
    }
    gravity_ = std::make_unique<GravityPass>(setup_, tables_);
    const TaylorWeights weights(N + 1);
    mean_.assign(weights.mean.begin(), weights.mean.end());
    first_half_.assign(weights.first_half.begin(), weights.first_half.end());
    end_.assign(weights.end.begin(), weights.end.end());
    const Layout& layout = setup_.layout;
    for (int c = 0; c < layout.n_clusters; ++c) {
        parallel_for(
            layout.first[c + 1] - layout.first[c],
            [&](std::int64_t k) {
                const auto block = static_cast<std::int32_t>(layout.first[c] + k);
                for (int e = 0; e < layout.per_block; ++e) {
                    const std::int64_t tet = layout.tets[std::size_t(block) * layout.per_block + e];
                    if (tet < 0) {
                        continue;
                    }
                    const std::vector<double> terms = element_terms(setup_, tet, c);
                    for (std::size_t q = 0; q < terms.size(); ++q) {
                        for (int lane = 0; lane < setup_.lanes; ++lane) {
                            terms_[block * term_packs_ + q].set(e * setup_.lanes + lane,
                                                                static_cast<T>(terms[q]));
                        }
                    }
                }
            },
            64);
    }
}

template <class T, int N>
template <class Body>
void BlockEngine<T, N>::for_blocks(std::span<const BlockRange> ranges, const Body& body) {
    std::int64_t n = 0;
    for (const BlockRange& range : ranges) {
        n += range.end - range.begin;
    }
    const std::int64_t share = std::clamp<std::int64_t>(n / (8 * parallel_threads()), 1, 64);
    parallel_ranges(n, share, [&](std::int64_t begin, std::int64_t end) {
        const FlushDenormals flush;
        std::int64_t before = 0;
        for (const BlockRange& range : ranges) {
            const std::int64_t size = range.end - range.begin;
            const std::int64_t from = std::max(begin - before, std::int64_t{0});
            const std::int64_t to = std::min(end - before, size);
            for (std::int64_t k = from; k < to; ++k) {
                body(static_cast<std::int32_t>(range.begin + k), range.cluster);
            }
            before += size;
        }
    });
}

template <class T, int N>
void BlockEngine<T, N>::predict(std::span<const BlockRange> ranges, std::int64_t tick) {
    for_blocks(ranges,
               [&](std::int32_t block, int cluster) { predict_block(block, cluster, tick); });
}

template <class T, int N>
void BlockEngine<T, N>::correct(std::span<const BlockRange> ranges, std::int64_t tick) {
    for_blocks(ranges,
               [&](std::int32_t block, int cluster) { correct_block(block, cluster, tick); });
}

template <class T, int N>
void BlockEngine<T, N>::predict_block(std::int32_t block, int cluster, std::int64_t tick) {
    Own& own = Own::of_thread();
    const Layout& layout = setup_.layout;
    bool with_half = false;
    for (std::int32_t k = layout.first_other[block]; k < layout.first_other[block + 1]; ++k) {
        with_half = with_half || layout.other_steps[k].halves;
    }
    see_peaks(block);
    const BlockPoints& points = setup_.points;
    const std::size_t receivers = points.first_receiver[block + 1] - points.first_receiver[block];
    std::vector<double> seen(receivers * powers_of_receiver());
    if (mechanisms_ > 0) {
        predict_full(block, cluster, tick, with_half, own, seen);
    } else {
        predict_elastic(block, with_half, own, seen);
        if (has_sources(block)) {
            predict_full(block, cluster, tick, with_half, own, seen);
        }
    }
    for (std::size_t r = 0; r < receivers; ++r) {
        record_.add_step(points.first_receiver[block] + r,
                         setup_.step_s * static_cast<double>(tick),
                         std::ldexp(setup_.step_s, cluster),
                         std::span(seen).subspan(r * powers_of_receiver(), powers_of_receiver()));
    }
    write_traces(block, cluster, tick, own);
    if (outflow_ != nullptr) {
        for (Outlet& outlet : outflow_->outlets(block)) {
            outflow_->add(outlet, record(outlet.record));
        }
    }
}

template <class T, int N>
void BlockEngine<T, N>::predict_elastic(std::int32_t block, bool with_half, Own& own,
                                        std::span<double> seen) {
    Pack<T>* q = unknowns_of(block);
    kernels::all_derivatives<T, N>(q, terms_of(block), own.derivatives.data());
    kernels::sum_derivatives<T, N>(q, own.derivatives.data(), mean_.data(), own.buffer.data(),
                                   own.other.data(), own.mean.data());
    if (with_half) {
        kernels::sum_derivatives<T, N>(q, own.derivatives.data(), first_half_.data(),
                                       own.buffer.data(), own.other.data(), own.half.data());
    }
    std::size_t value = 0;
    for (int i = 0; i <= N; ++i) {
        const Pack<T>* of = i == 0 ? q : own.derivatives.data() + kernels::derivative_place(N, i);
        see_all(block, i, value, tet_modes(N - i), kernels::taylor_factor(N, i), of, seen);
        keep_traces(block, i, of);
        value += tet_modes(N - i);
    }
    kernels::sum_derivatives<T, N>(q, own.derivatives.data(), end_.data(), own.buffer.data(),
                                   own.other.data(), q);
}

template <class T, int N>
void BlockEngine<T, N>::predict_full(std::int32_t block, int cluster, std::int64_t tick,
                                     bool with_half, Own& own, std::span<double> seen) {
    const int lanes = setup_.lanes;
    const double step_s = std::ldexp(setup_.step_s, cluster);
    const double t_s = setup_.step_s * static_cast<double>(tick);
    const BlockPoints& points = setup_.points;
    std::vector<std::vector<double>> rates;
    std::vector<std::int32_t> acting;
    for (std::int32_t s = points.first_source[block]; s < points.first_source[block + 1]; ++s) {
        std::vector<double> c(N + 1);
        if (points.sources[s].in_step(t_s, step_s, N, c)) {
            rates.push_back(std::move(c));
            acting.push_back(s);
        }
    }
    Pack<T>* q = unknowns_of(block);
    own.next.resize(block_packs_);
    if (mechanisms_ > 0) {
        own.now.assign(q, q + block_packs_);
        std::copy_n(q, Own::kBlock, own.mean.begin());
        std::copy_n(q, Own::kBlock, own.half.begin());
        see_all(block, 0, 0, kModes, 1.0, q, seen);
        keep_traces(block, 0, q);
    } else if (acting.empty()) {
        return;
    } else {
        own.now.assign(block_packs_, Pack<T>{});
    }
    for (int i = 0; i <= N; ++i) {
        kernels::next_coefficient<T, N>(own.now.data(), terms_of(block), mechanisms_, i,
                                        own.buffer.data(), own.other.data(), own.zeros.data(),
                                        own.next.data());
        for (std::size_t a = 0; a < acting.size(); ++a) {
            const BlockSource& source = points.sources[acting[a]];
            const double share = step_s * rates[a][i] / (i + 1);
            const int lane = source.element * lanes + source.lane;
            for (int k = 0; k < kModes; ++k) {
                for (int c = 0; c < kQuantities; ++c) {
                    Pack<T>& to = own.next[kQuantities * k + c];
                    to.set(lane,
                           static_cast<T>(to[lane] + share * source.amount[c] * source.shape[k]));
                }
            }
        }
        std::swap(own.now, own.next);
        const T mean = static_cast<T>(1.0 / (i + 2));
        const T half = static_cast<T>(std::ldexp(1.0 / (i + 2), -i - 1));
        for (int k = 0; k < Own::kBlock; ++k) {
            own.mean[k] += mean * own.now[k];
            if (with_half) {
                own.half[k] += half * own.now[k];
            }
        }
        for (std::size_t k = 0; k < block_packs_; ++k) {
            q[k] += own.now[k];
        }
        see_all(block, i + 1, 0, kModes, 1.0, own.now.data(), seen);
        if (mechanisms_ > 0) {
            keep_traces(block, i + 1, own.now.data());
        }
    }
}

template <class T, int N>
template <int lanes>
void BlockEngine<T, N>::write_face(std::int32_t block, int f, const Pack<T>* of, Own& own, T* to) {
    kernels::take_trace<T, N>(of, f, terms_of(block), own.trace.data());
    kernels::write_records<T, lanes>(own.trace.data(), kTraceItems, to,
                                     static_cast<int>(record_numbers_));
}

template <class T, int N>
void BlockEngine<T, N>::write_face(std::int32_t block, int f, const Pack<T>* of, Own& own, T* to) {
    switch (setup_.lanes) {
        case 1:
            write_face<1>(block, f, of, own, to);
            break;
        case 2:
            write_face<2>(block, f, of, own, to);
            break;
        default:
            write_face<4>(block, f, of, own, to);
            break;
    }
}

template <class T, int N>
void BlockEngine<T, N>::write_traces(std::int32_t block, int cluster, std::int64_t tick, Own& own) {
    const Layout& layout = setup_.layout;
    for (int f = 0; f < 4; ++f) {
        write_face(block, f, own.mean.data(), own, record(layout.own_record(block, f, 0)));
    }
    const std::int32_t end = layout.first_other[block + 1];
    for (std::int32_t k = layout.first_other[block]; k < end; ++k) {
        const Layout::OtherStep& o = layout.other_steps[k];
        const T* mean = record(layout.own_record(block, o.face, o.element));
        T* to = record(o.record);
        if (o.halves) {
            write_face(block, o.face, own.half.data(), own, own.records.data());
            const T* first = own.records.data() + o.element * record_numbers_;
            std::copy_n(first, record_numbers_, to);
            for (std::size_t q = 0; q < record_numbers_; ++q) {
                to[record_numbers_ + q] = 2 * mean[q] - first[q];
            }
        } else {
            const bool first = (tick >> cluster) % 2 == 0;
            for (std::size_t q = 0; q < record_numbers_; ++q) {
                to[q] = (first ? T(0) : to[q]) + T(0.5) * mean[q];
            }
        }
    }
}

template <class T, int N>
template <int lanes>
void BlockEngine<T, N>::read_faces(std::int32_t block, int f, int parity, Own& own) {
    constexpr int kElements = kPack<T> / lanes;
    const Layout& layout = setup_.layout;
    const std::int32_t first = layout.own_record(block, f, 0);
    const T* here[kElements];
    const T* there[kElements];
    for (int e = 0; e < kElements; ++e) {
        here[e] = record(first + e);
        there[e] = record(layout.beyond[parity][first + e]);
    }
    kernels::read_records<T, lanes>(here, kTraceItems, own.trace.data());
    kernels::read_records<T, lanes>(there, kTraceItems, own.beyond.data());
}

template <class T, int N>
void BlockEngine<T, N>::correct_block(std::int32_t block, int cluster, std::int64_t tick) {
    Own& own = Own::of_thread();
    const int parity = static_cast<int>((tick >> cluster) + 1) % 2;
    std::fill(own.mean.begin(), own.mean.end(), Pack<T>{});
    for (int f = 0; f < 4; ++f) {
        switch (setup_.lanes) {
            case 1:
                read_faces<1>(block, f, parity, own);
                break;
            case 2:
                read_faces<2>(block, f, parity, own);
                break;
            default:
                read_faces<4>(block, f, parity, own);
                break;
        }
        kernels::jump<T, N>(own.trace.data(), own.beyond.data(), f, terms_of(block),
                            own.jump.data());
        kernels::lift<T, N>(own.jump.data(), f, terms_of(block), own.mean.data());
    }
    kernels::add_lifted<T, N>(own.mean.data(), terms_of(block), mechanisms_, unknowns_of(block));
    if (yielding_ != nullptr) {
        yielding_->relax(block, cluster, unknowns_of(block));
    }
}

}  // namespace kaname::aderdg
