// SPDX-License-Identifier: BSD-3-Clause
// A libnvidia-ml.so.1 of two GPUs that a test sets through the three functions at the end. The
// second one is old: it knows its memory and power, and nothing else.
#include <cstring>
#include <deque>
#include <mutex>

#include "worker/telemetry/nvml_telemetry.hpp"

namespace nvml = kaname::telemetry::nvml;

struct kaname::telemetry::nvml::OpaqueDevice {
    const char* uuid;
    const char* name;
    bool is_old;
};

namespace {

nvml::OpaqueDevice devices[] = {
    {"GPU-aaaaaaaa-0000-0000-0000-000000000000", "Fake H200", false},
    {"GPU-bbbbbbbb-0000-0000-0000-000000000000", "Fake K80", true},
};
std::mutex mutex;
std::deque<nvml::EventData> events;
bool is_broken = false;
int n_inits = 0;

template <class T>
nvml::Return answer(nvml::Device device, T* result, T value) {
    if (device->is_old) {
        return nvml::kNotSupported;
    }
    *result = value;
    return nvml::kSuccess;
}

nvml::Return copy(const char* from, char* to, unsigned int size) {
    std::strncpy(to, from, size - 1);
    return nvml::kSuccess;
}

}  // namespace

extern "C" {

nvml::Return nvmlInit_v2() {
    n_inits += is_broken ? 0 : 1;
    return is_broken ? static_cast<nvml::Return>(9) : nvml::kSuccess;
}
nvml::Return nvmlShutdown() {
    --n_inits;
    return nvml::kSuccess;
}
const char* nvmlErrorString(nvml::Return) {
    return "Driver Not Loaded";
}
nvml::Return nvmlDeviceGetCount_v2(unsigned int* count) {
    *count = 2;
    return nvml::kSuccess;
}
nvml::Return nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvml::Device* device) {
    *device = &devices[index];
    return nvml::kSuccess;
}
nvml::Return nvmlDeviceGetUUID(nvml::Device device, char* text, unsigned int size) {
    return copy(device->uuid, text, size);
}
nvml::Return nvmlDeviceGetName(nvml::Device device, char* text, unsigned int size) {
    return copy(device->name, text, size);
}
nvml::Return nvmlDeviceGetUtilizationRates(nvml::Device device, nvml::Utilization* rates) {
    return answer(device, rates, {73, 20});
}
nvml::Return nvmlDeviceGetMemoryInfo(nvml::Device, nvml::Memory* memory) {
    *memory = {150000000000ULL, 140000000000ULL, 10000000000ULL};
    return nvml::kSuccess;
}
nvml::Return nvmlDeviceGetPowerUsage(nvml::Device, unsigned int* power_mw) {
    *power_mw = 412500;
    return nvml::kSuccess;
}
nvml::Return nvmlDeviceGetTemperature(nvml::Device device, int sensor, unsigned int* celsius) {
    return answer(device, celsius, sensor == nvml::kTemperatureGpu ? 64U : 0U);
}
nvml::Return nvmlDeviceGetTotalEnergyConsumption(nvml::Device device, unsigned long long* mj) {
    return answer(device, mj, 123456789ULL);
}
nvml::Return nvmlDeviceGetTotalEccErrors(nvml::Device device, int kind, int counter,
                                         unsigned long long* count) {
    const bool corrected = kind == nvml::kErrorCorrected;
    return answer(device, count, counter != nvml::kEccVolatile ? 999ULL : corrected ? 5ULL : 1ULL);
}
nvml::Return nvmlDeviceGetRemappedRows(nvml::Device device, unsigned int* corrected,
                                       unsigned int* uncorrected, unsigned int* pending,
                                       unsigned int* failed) {
    *uncorrected = 2;
    *pending = 1;
    *failed = 0;
    return answer(device, corrected, 3U);
}
nvml::Return nvmlEventSetCreate(nvml::EventSet* set) {
    *set = reinterpret_cast<nvml::EventSet>(&events);
    return nvml::kSuccess;
}
nvml::Return nvmlEventSetFree(nvml::EventSet) {
    return nvml::kSuccess;
}
nvml::Return nvmlDeviceRegisterEvents(nvml::Device device, unsigned long long types,
                                      nvml::EventSet) {
    return !device->is_old && types == nvml::kXidCriticalError ? nvml::kSuccess
                                                               : nvml::kNotSupported;
}
nvml::Return nvmlEventSetWait_v2(nvml::EventSet, nvml::EventData* event, unsigned int) {
    const std::lock_guard lock(mutex);
    if (events.empty()) {
        return nvml::kTimeout;
    }
    *event = events.front();
    events.pop_front();
    return nvml::kSuccess;
}

void fake_nvml_add_xid(int index, unsigned int xid) {
    const std::lock_guard lock(mutex);
    events.push_back({&devices[index], nvml::kXidCriticalError, xid, 0, 0});
}
void fake_nvml_break(bool broken) {
    is_broken = broken;
}
/// Initialised and not shut down.
int fake_nvml_inits() {
    return n_inits;
}
}
