// SPDX-License-Identifier: BSD-3-Clause
// BlockEngine: what receivers and the largest velocities see of a block.
#pragma once

#include <span>
#include <vector>

#include "solvers/aderdg/cpu/block_engine.hpp"

namespace kaname::aderdg {

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

}  // namespace kaname::aderdg
