// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/sketch.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "solvers/device/phases.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/linalg/sketch_body.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::linalg {

using lanes::kLanes;

namespace {

/// Finaliser of MurmurHash3: well mixed bits of a counter.
std::uint64_t mixed(std::uint64_t k) {
    k ^= k >> 33U;
    k *= 0xff51afd7ed558ccdULL;
    k ^= k >> 33U;
    k *= 0xc4ceb9fe1a85ec53ULL;
    k ^= k >> 33U;
    return k;
}

/// [numbers] +-(bucket + 1), 0 where another rank counts.
std::vector<std::int32_t> places(std::span<const std::int64_t> node_gid,
                                 std::span<const std::uint8_t> owned, int buckets) {
    std::vector<std::int32_t> place(3 * node_gid.size(), 0);
    parallel_for(std::ssize(node_gid), [&](std::int64_t node) {
        if (!owned.empty() && owned[node] == 0) {
            return;
        }
        for (int comp = 0; comp < 3; ++comp) {
            const std::uint64_t bits =
                mixed(3 * static_cast<std::uint64_t>(node_gid[node]) + comp + 1);
            const auto bucket = static_cast<std::int32_t>((bits >> 1U) % buckets) + 1;
            place[3 * node + comp] = (bits & 1U) != 0 ? bucket : -bucket;
        }
    });
    return place;
}

}  // namespace

SketchEntries entries_by_bucket(std::span<const std::int32_t> place, int buckets) {
    SketchEntries result;
    result.ptr.assign(buckets + 1, 0);
    for (const std::int32_t at : place) {
        if (at != 0) {
            ++result.ptr[std::abs(at)];
        }
    }
    for (int bucket = 0; bucket < buckets; ++bucket) {
        result.ptr[bucket + 1] += result.ptr[bucket];
    }
    result.entry.resize(result.ptr.back());
    std::vector<std::int32_t> next(result.ptr.begin(), result.ptr.end() - 1);
    for (std::size_t number = 0; number < place.size(); ++number) {
        const std::int32_t at = place[number];
        if (at != 0) {
            const auto one_based = static_cast<std::int32_t>(number) + 1;
            result.entry[next[std::abs(at) - 1]++] = at > 0 ? one_based : -one_based;
        }
    }
    return result;
}

Sketch::Sketch(std::span<const std::int64_t> node_gid, std::span<const std::uint8_t> owned,
               int buckets, comm::Comm& comm, device::Queue& queue)
    : comm_(&comm), sums_(std::size_t(buckets) * kLanes, queue), arrived_(sums_.size(), queue) {
    lists_.buckets = buckets;
    const std::vector<std::int32_t> place = places(node_gid, owned, buckets);
    if (queue.backend() == device::Backend::Cpu) {
        lists_.place = {std::span<const std::int32_t>(place), queue};
    } else {
        const SketchEntries entries = entries_by_bucket(place, buckets);
        lists_.ptr = {std::span<const std::int32_t>(entries.ptr), queue};
        lists_.entry = {std::span<const std::int32_t>(entries.entry), queue};
    }
}

void Sketch::here(device::View<const double> v, device::View<double> sums,
                  device::Queue& queue) const {
    // Each number and its place.
    const auto n = static_cast<double>(v.size());
    device::note(queue, device::Work::of<double>((8.0 + 4.0 / kLanes) * n, n));
    KANAME_DISPATCH(queue, sketch, lists_, v, sums)
}

std::span<const double> Sketch::all_ranks(device::View<const double> sums, device::Queue& queue) {
    device::download<double>(sums, arrived_.span(), queue);
    const device::InPhase waiting(queue, device::Phase::Waiting);
    comm_->sum(arrived_.span());
    return arrived_.span();
}

void Sketch::to(device::View<const double> v, device::View<double> sums, device::Queue& queue) {
    here(v, sums, queue);
    if (comm_->size() > 1) {
        device::upload<double>(all_ranks(sums, queue), sums, queue);
    }
}

std::vector<double> Sketch::of(device::View<const double> v, device::Queue& queue) {
    here(v, sums_, queue);
    const std::span<const double> by_bucket = all_ranks(sums_, queue);
    std::vector<double> result(sums_.size());
    for (int bucket = 0; bucket < lists_.buckets; ++bucket) {
        for (int lane = 0; lane < kLanes; ++lane) {
            result[std::size_t(lane) * lists_.buckets + bucket] =
                by_bucket[std::size_t(bucket) * kLanes + lane];
        }
    }
    return result;
}

using lanes::kLanes;

namespace {
constexpr int kParts = 8;  // partial sketches, added in order: independent of the threads
}

void sketch_cpu(const SketchLists& lists, device::View<const double> v, device::View<double> sums) {
    const lanes::AllLanes<kLanes> share;
    const std::size_t width = sums.size();
    std::vector<double> parts(kParts * width, 0.0);
    const auto n = static_cast<std::int64_t>(lists.place.size());
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < kParts; ++part) {
        double* mine = parts.data() + part * width;
        for (std::int64_t i = n * part / kParts; i < n * (part + 1) / kParts; ++i) {
            const std::int32_t place = lists.place[i];
            if (place != 0) {
                const std::int64_t bucket = body::index_of(place);
                share.store(
                    mine, bucket,
                    share.load(mine, bucket) + body::sign_of(place) * share.load(v.data(), i));
            }
        }
    }
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int part = 0; part < kParts; ++part) {
        for (std::size_t k = 0; k < width; ++k) {
            sums[k] += parts[part * width + k];
        }
    }
}

}  // namespace kaname::linalg
