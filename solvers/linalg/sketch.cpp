// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/sketch.hpp"

#include "solvers/kernels/lanes.hpp"

namespace kaname::linalg {

using kernels::kLanes;
using kernels::load_lanes;
using kernels::store_lanes;

namespace {

constexpr int kParts = 8;  // partial sketches, added in order: independent of the threads

/// Finaliser of MurmurHash3: well mixed bits of a counter.
std::uint64_t mixed(std::uint64_t k) {
    k ^= k >> 33U;
    k *= 0xff51afd7ed558ccdULL;
    k ^= k >> 33U;
    k *= 0xc4ceb9fe1a85ec53ULL;
    k ^= k >> 33U;
    return k;
}

}  // namespace

Sketch::Sketch(std::span<const std::int64_t> node_gid, std::span<const std::uint8_t> owned,
               int buckets, comm::Comm& comm)
    : comm_(&comm), buckets_(buckets), place_(3 * node_gid.size(), 0) {
    for (std::size_t node = 0; node < node_gid.size(); ++node) {
        if (!owned.empty() && owned[node] == 0) {
            continue;
        }
        for (int comp = 0; comp < 3; ++comp) {
            const std::uint64_t bits =
                mixed(3 * static_cast<std::uint64_t>(node_gid[node]) + comp + 1);
            const auto bucket = static_cast<std::int32_t>((bits >> 1U) % buckets) + 1;
            place_[3 * node + comp] = (bits & 1U) != 0 ? bucket : -bucket;
        }
    }
}

std::vector<double> Sketch::of(device::View<const double> v) const {
    const std::size_t width = std::size_t(buckets_) * kLanes;
    std::vector<double> parts(kParts * width, 0.0);
    const auto n = static_cast<std::int64_t>(place_.size());
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < kParts; ++part) {
        double* sums = parts.data() + part * width;
        for (std::int64_t i = n * part / kParts; i < n * (part + 1) / kParts; ++i) {
            const std::int32_t place = place_[i];
            if (place > 0) {
                double* sum = sums + std::size_t(place - 1) * kLanes;
                store_lanes(sum, load_lanes(sum) + load_lanes(v.data() + i * kLanes));
            } else if (place < 0) {
                double* sum = sums + std::size_t(-place - 1) * kLanes;
                store_lanes(sum, load_lanes(sum) - load_lanes(v.data() + i * kLanes));
            }
        }
    }
    std::vector<double> result(width, 0.0);
    for (int part = 0; part < kParts; ++part) {
        for (int bucket = 0; bucket < buckets_; ++bucket) {
            for (int lane = 0; lane < kLanes; ++lane) {
                result[std::size_t(lane) * buckets_ + bucket] +=
                    parts[part * width + bucket * kLanes + lane];
            }
        }
    }
    comm_->sum(std::span<double>(result));
    return result;
}

}  // namespace kaname::linalg
