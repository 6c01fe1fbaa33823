// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/aderdg/kernels/gpu_elements.hpp"
#include "solvers/aderdg/kernels/yield_body.hpp"
#include "solvers/device/queue.hpp"

namespace kaname::aderdg {

/// Rows of a sparse matrix (SparseRows).
template <class T>
struct GpuRows {
    const std::int32_t* first = nullptr;
    const std::uint8_t* column = nullptr;
    const T* value = nullptr;
};

/// Plasticity in a GPU's memory; one lane. Tables as YieldTables.
template <class T>
struct GpuYield {
    int modes = 0;
    GpuRows<T> to_nodes, to_modes;
    const T* vertex_share = nullptr;  ///< [modes][4] of a linear function's coefficients
    const T* nodes = nullptr;         ///< [nodes][4]
    const T* times_modes = nullptr;
    const T* times_vertices = nullptr;
    const T* mean = nullptr;
    const T* relaxes = nullptr;  ///< [clusters] 1 - exp(-dt/T_v)
    const T* given = nullptr;    ///< [blocks][YieldTerms::kSize][kColumns]
    double* sums = nullptr;      ///< [blocks][Yielded::kFields][kColumns]
};

/// Relaxes stresses at the end of steps, one thread block per block; those that do not yield leave
/// after a look at their coefficients.
template <class T>
void yield_cuda(const GpuYield<T>& yield, const GpuElements<T>& elements, const GpuRanges& ranges,
                device::Queue& queue);

}  // namespace kaname::aderdg
