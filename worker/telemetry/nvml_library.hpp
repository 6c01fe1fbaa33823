// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "worker/telemetry/nvml_abi.hpp"

namespace kaname::telemetry {

/// NVML, found at run time. Functions that the library lacks are null.
class NvmlLibrary {
public:
    /// Loads and initialises the library of this file name; absent() says why that failed.
    explicit NvmlLibrary(const std::string& file);
    ~NvmlLibrary();
    NvmlLibrary(const NvmlLibrary&) = delete;
    NvmlLibrary& operator=(const NvmlLibrary&) = delete;

    /// Why there are no readings; empty when there are.
    [[nodiscard]] const std::string& absent() const { return absent_; }

    nvml::GetCount get_count = nullptr;
    nvml::GetHandleByIndex get_handle = nullptr;
    nvml::GetText get_uuid = nullptr, get_name = nullptr;
    nvml::GetUtilization get_utilization = nullptr;
    nvml::GetMemory get_memory = nullptr;
    nvml::GetPower get_power = nullptr;
    nvml::GetTemperature get_temperature = nullptr;
    nvml::GetEnergy get_energy = nullptr;
    nvml::GetEccErrors get_ecc_errors = nullptr;
    nvml::GetRemappedRows get_remapped_rows = nullptr;
    nvml::EventSetCreate create_events = nullptr;
    nvml::EventSetFree free_events = nullptr;
    nvml::RegisterEvents register_events = nullptr;
    nvml::EventSetWait wait_events = nullptr;

private:
    struct Close {
        void operator()(void* library) const;
    };
    template <class Function>
    void find(Function& function, const char* name) const;

    std::unique_ptr<void, Close> library_;
    nvml::Shutdown shutdown_ = nullptr;  ///< null until initialised
    std::string absent_;
};

}  // namespace kaname::telemetry
