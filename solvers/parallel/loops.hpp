// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

/// Loops over arrays with OpenMP's threads, for what is set up once. Ranges of indices are fixed:
/// what a body computes, and which exception leaves the loop, does not depend on the number of
/// threads. Without OpenMP there is one.
namespace kaname {

/// Indices of a range unless told otherwise: enough work to fetch it, little enough to share out.
inline constexpr std::int64_t kRange = 1024;

[[nodiscard]] inline int parallel_threads() {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

namespace parallel_detail {

/// No exception may leave a parallel region. The one of the first range is thrown after it.
class FirstError {
public:
    void keep(std::int64_t range) noexcept {
        const std::lock_guard lock(mutex_);
        if (!error_ || range < range_) {
            range_ = range;
            error_ = std::current_exception();
        }
    }
    void rethrow() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

private:
    std::mutex mutex_;
    std::int64_t range_ = 0;
    std::exception_ptr error_;
};

}  // namespace parallel_detail

/// body(begin, end, state) for the ranges of [0, n); each thread has its own make_state().
template <class MakeState, class Body>
void parallel_ranges(std::int64_t n, std::int64_t range, const MakeState& make_state,
                     const Body& body) {
    const std::int64_t ranges = (n + range - 1) / range;
    parallel_detail::FirstError error;
#pragma omp parallel if (ranges > 1)
    {
        decltype(make_state()) state;
        bool ready = false;
#pragma omp for schedule(dynamic)
        for (std::int64_t r = 0; r < ranges; ++r) {
            try {
                if (!ready) {
                    state = make_state();
                    ready = true;
                }
                body(r * range, std::min(n, (r + 1) * range), state);
            } catch (...) {
                error.keep(r);
            }
        }
    }
    error.rethrow();
}

/// body(begin, end) for the ranges of [0, n).
template <class Body>
void parallel_ranges(std::int64_t n, std::int64_t range, const Body& body) {
    parallel_ranges(
        n, range, [] { return 0; },
        [&](std::int64_t begin, std::int64_t end, int) { body(begin, end); });
}

/// body(i) for i in [0, n).
template <class Body>
void parallel_for(std::int64_t n, const Body& body, std::int64_t range = kRange) {
    parallel_ranges(n, range, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            body(i);
        }
    });
}

/// Counts become places: values[i] = sum of the values before it. Returns the sum of all.
template <class T>
T exclusive_sum(std::span<T> values) {
    constexpr std::int64_t kLong = 1 << 15;
    const std::int64_t n = std::ssize(values);
    std::vector<T> before((n + kLong - 1) / kLong);
    parallel_ranges(n, kLong, [&](std::int64_t begin, std::int64_t end) {
        T sum{};
        for (std::int64_t i = begin; i < end; ++i) {
            sum += values[i];
        }
        before[begin / kLong] = sum;
    });
    T total{};
    for (T& sum : before) {
        sum = std::exchange(total, total + sum);
    }
    parallel_ranges(n, kLong, [&](std::int64_t begin, std::int64_t end) {
        T sum = before[begin / kLong];
        for (std::int64_t i = begin; i < end; ++i) {
            sum += std::exchange(values[i], sum);
        }
    });
    return total;
}

}  // namespace kaname
