// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/face_tables.hpp"
#include "solvers/aderdg/gpu/gpu_window.hpp"
#include "solvers/aderdg/kernels/gpu_faults.hpp"
#include "solvers/device/buffer.hpp"

namespace kaname::aderdg {

/// Friction of a rank whose elements are on a GPU. What receivers see comes to the host by windows.
class GpuFaultSet final : public EngineFaults {
public:
    /// Refers to its arguments, which outlive it; `traces` are GpuConditions::kept.
    GpuFaultSet(const EngineSetup& setup, const FaceTables& tables, const double* traces,
                const GpuWindow& window, device::Queue& queue);
    /// Bytes of a window's macro step, at most.
    [[nodiscard]] static std::int64_t bytes_per_macro(const EngineSetup& setup);

    /// Queues friction in the steps of clusters 0..m that begin at `tick` of a macro step.
    template <class T>
    void solve(int m, std::int64_t tick, T* records) {
        for (const auto& [law, batches] : batches_) {
            if (const std::int64_t n = batches.until[m]; n > 0) {
                friction_cuda(law, kernels_, batches.on_gpu.data(), n, tick, records, queue_);
            }
        }
    }
    /// Fetches the receivers' numbers before a window ends.
    void leave_window() {
        bring();
        brought_ = 0;
    }
    /// Copies values that were set to the GPU, which may change all of them from then on.
    void give_back();

    [[nodiscard]] std::span<const rupture::FaultFaceShape> faces() const override { return faces_; }
    [[nodiscard]] std::vector<double> kept(std::int64_t face) override;
    void set_kept(std::int64_t face, std::span<const double> values) override;
    [[nodiscard]] FaultRecord& record() override {
        bring();
        return record_;
    }

private:
    /// Holds the batches of one friction law, cluster after cluster.
    struct Batches {
        device::Buffer<GpuFaultBatch> on_gpu;
        std::vector<std::int64_t> until;  ///< [clusters] batches of clusters 0..m
    };
    void upload_tables();
    void upload_points();
    void upload_faces();
    void upload_batches();
    void bring();
    /// All faces' points on the host.
    [[nodiscard]] std::span<double> points();
    [[nodiscard]] std::size_t face_numbers() const {
        return static_cast<std::size_t>(rupture::Kept::kFields) * tables_.rule.padded();
    }

    const EngineSetup& setup_;
    const GpuWindow& window_;
    device::Queue& queue_;
    const FaceTables& tables_;
    std::vector<FaultSides> sides_;
    std::vector<rupture::FaultFaceShape> faces_;
    FaultRecord record_;
    GpuSlots slots_;
    std::int64_t brought_ = 0;  ///< macro steps of the window
    GpuFaults kernels_;
    std::map<rupture::FrictionLaw, Batches> batches_;
    device::Buffer<std::int32_t> receiver_points_;
    device::Buffer<double> values_, time_factors_, projection_, given_, kept_, seen_;
    device::Buffer<GpuFaultFace> gpu_faces_;
    device::Buffer<GpuFaultCluster> clusters_;
    std::vector<double> host_;  ///< of all faces; empty: not here
    bool changed_ = false;
};

}  // namespace kaname::aderdg
