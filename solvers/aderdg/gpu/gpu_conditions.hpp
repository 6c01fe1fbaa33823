// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/aderdg/cpu/condition_passes.hpp"
#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/face_tables.hpp"
#include "solvers/aderdg/kernels/gpu_elements.hpp"
#include "solvers/aderdg/kernels/gpu_faults.hpp"
#include "solvers/device/buffer.hpp"

namespace kaname::aderdg {

/// Traces of faces with conditions in a GPU's memory, as functions of time.
class GpuConditionSet {
public:
    GpuConditionSet(const EngineSetup& setup, device::Queue& queue);

    [[nodiscard]] const FaceTables& tables() const { return tables_; }
    /// Returns the faces whose traces the predictors keep.
    [[nodiscard]] const GpuConditions& of_kernels() const { return kernels_; }

private:
    FaceTables tables_;
    device::Buffer<std::int32_t> first_;
    device::Buffer<Layout::Condition> faces_;
    device::Buffer<std::uint8_t> modes_;
    device::Buffer<double> traces_;
    GpuConditions kernels_;
};

/// Surfaces with gravity of a rank whose elements are on a GPU.
class GpuSurface {
public:
    GpuSurface(const EngineSetup& setup, const GpuConditionSet& conditions, device::Queue& queue);

    /// Queues the steps of clusters 0..m.
    template <class T>
    void rise(int m, T* records) {
        if (until_[m] > 0) {
            gravity_cuda(kernels_, until_[m], records, queue_);
        }
    }
    /// As Engine.
    [[nodiscard]] std::vector<double> heights(std::vector<std::int64_t>& numbers);
    void set_heights(std::span<const double> all);

private:
    device::Queue& queue_;
    GravityPass pass_;
    std::vector<std::int64_t> until_;  ///< [clusters] faces of clusters 0..m
    GpuGravity kernels_;
    device::Buffer<GpuGravityFace> faces_;
    device::Buffer<double> responses_, heights_;
};

}  // namespace kaname::aderdg
