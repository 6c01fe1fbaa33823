// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
