// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <string>

#include "worker/telemetry/sampler.hpp"

// These declarations are the part of NVML's binary interface that Kaname uses, so that neither the
// CUDA toolkit nor the driver is needed to build. Names are those of the exported symbols. The
// interface is stable by promise of its vendor: new versions of a function get a new name.
namespace kaname::telemetry::nvml {

using Device = struct OpaqueDevice*;
using EventSet = struct OpaqueEventSet*;

enum Return : int {
    kSuccess = 0,
    kNotSupported = 3,
    kTimeout = 10,
};

struct Utilization {
    unsigned int gpu, memory;  ///< percent
};
struct Memory {
    unsigned long long total, free, used;  ///< bytes
};
struct EventData {
    Device device;
    unsigned long long type, data;  ///< data: the XID of a kXidCriticalError
    unsigned int gpu_instance, compute_instance;
};
static_assert(sizeof(Return) == 4);
static_assert(sizeof(Utilization) == 8);
static_assert(sizeof(Memory) == 24);
static_assert(sizeof(EventData) == 32);

inline constexpr unsigned long long kXidCriticalError = 0x8;
inline constexpr int kTemperatureGpu = 0;
inline constexpr int kErrorCorrected = 0, kErrorUncorrected = 1;
inline constexpr int kEccVolatile = 0;
inline constexpr unsigned int kTextBytes = 96;  ///< longest UUID or name

using Init = Return (*)();
using Shutdown = Return (*)();
using ErrorString = const char* (*)(Return);
using GetCount = Return (*)(unsigned int*);
using GetHandleByIndex = Return (*)(unsigned int, Device*);
using GetText = Return (*)(Device, char*, unsigned int);
using GetUtilization = Return (*)(Device, Utilization*);
using GetMemory = Return (*)(Device, Memory*);
using GetPower = Return (*)(Device, unsigned int*);             // mW
using GetTemperature = Return (*)(Device, int, unsigned int*);  // degrees C
using GetEnergy = Return (*)(Device, unsigned long long*);      // mJ
using GetEccErrors = Return (*)(Device, int, int, unsigned long long*);
using GetRemappedRows = Return (*)(Device, unsigned int*, unsigned int*, unsigned int*,
                                   unsigned int*);
using EventSetCreate = Return (*)(EventSet*);
using EventSetFree = Return (*)(EventSet);
using RegisterEvents = Return (*)(Device, unsigned long long, EventSet);
using EventSetWait = Return (*)(EventSet, EventData*, unsigned int);  // ms

}  // namespace kaname::telemetry::nvml

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
