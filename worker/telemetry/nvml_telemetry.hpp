// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/telemetry/gpu_telemetry.hpp"
#include "worker/telemetry/nvml_library.hpp"

namespace kaname::telemetry {

/// KANAME_NVML, else the driver's library.
[[nodiscard]] std::string nvml_file();

/// Readings of NVML. A machine without the library, or with a broken driver, has none.
class NvmlTelemetry final : public GpuTelemetry {
public:
    explicit NvmlTelemetry(const std::string& file = nvml_file());
    ~NvmlTelemetry() override;
    NvmlTelemetry(const NvmlTelemetry&) = delete;
    NvmlTelemetry& operator=(const NvmlTelemetry&) = delete;

    [[nodiscard]] std::vector<GpuReading> read() override;
    [[nodiscard]] const std::string& absent() const { return nvml_.absent(); }

private:
    struct Gpu {
        nvml::Device device = nullptr;
        std::string uuid, name;
        bool watched = false;  ///< the driver reports its XIDs here
        std::uint64_t n_xids = 0;
        std::vector<std::uint32_t> new_xids = {};
    };
    void collect_xids();
    [[nodiscard]] GpuReading read_one(Gpu& gpu) const;

    NvmlLibrary nvml_;
    nvml::EventSet events_ = nullptr;
    std::vector<Gpu> gpus_;
};

}  // namespace kaname::telemetry
