// SPDX-License-Identifier: BSD-3-Clause
#include "worker/telemetry/nvml_telemetry.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <dlfcn.h>

namespace kaname::telemetry {

void NvmlLibrary::Close::operator()(void* library) const {
    ::dlclose(library);
}

template <class Function>
void NvmlLibrary::find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(::dlsym(library_.get(), name));
}

NvmlLibrary::NvmlLibrary(const std::string& file)
    : library_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!library_) {
        const char* why = ::dlerror();
        absent_ = why != nullptr ? why : file + " cannot be loaded";
        return;
    }
    nvml::Init init = nullptr;
    nvml::Shutdown shutdown = nullptr;
    nvml::ErrorString error_string = nullptr;
    find(init, "nvmlInit_v2");
    find(shutdown, "nvmlShutdown");
    find(error_string, "nvmlErrorString");
    find(get_count, "nvmlDeviceGetCount_v2");
    find(get_handle, "nvmlDeviceGetHandleByIndex_v2");
    find(get_uuid, "nvmlDeviceGetUUID");
    if (!init || !shutdown || !get_count || !get_handle || !get_uuid) {
        absent_ = file + ": lacks nvmlInit_v2 or what lists the GPUs";
        return;
    }
    if (const nvml::Return status = init(); status != nvml::kSuccess) {
        absent_ = file + ": nvmlInit_v2: " +
                  (error_string ? error_string(status) : "error " + std::to_string(status));
        return;
    }
    shutdown_ = shutdown;
    find(get_name, "nvmlDeviceGetName");
    find(get_utilization, "nvmlDeviceGetUtilizationRates");
    find(get_memory, "nvmlDeviceGetMemoryInfo");
    find(get_power, "nvmlDeviceGetPowerUsage");
    find(get_temperature, "nvmlDeviceGetTemperature");
    find(get_energy, "nvmlDeviceGetTotalEnergyConsumption");
    find(get_ecc_errors, "nvmlDeviceGetTotalEccErrors");
    find(get_remapped_rows, "nvmlDeviceGetRemappedRows");
    find(create_events, "nvmlEventSetCreate");
    find(free_events, "nvmlEventSetFree");
    find(register_events, "nvmlDeviceRegisterEvents");
    find(wait_events, "nvmlEventSetWait_v2");
}

NvmlLibrary::~NvmlLibrary() {
    if (shutdown_) {
        shutdown_();
    }
}

namespace {

using nvml::kSuccess;

/// A storm of events must not keep a reading from ending.
constexpr int kMostEvents = 1000;

std::string text_of(nvml::GetText get, nvml::Device device) {
    char text[nvml::kTextBytes] = "";
    return get && get(device, text, sizeof text) == kSuccess ? text : "";
}

/// scale * number, when the GPU has it.
template <class Number, class Get, class Result>
void set(std::optional<Result>& result, Get get, nvml::Device device, double scale = 1.0) {
    Number number = 0;
    if (get && get(device, &number) == kSuccess) {
        result = static_cast<Result>(scale * static_cast<double>(number));
    }
}

}  // namespace

std::string nvml_file() {
    const char* file = std::getenv("KANAME_NVML");
    return file != nullptr ? file : "libnvidia-ml.so.1";
}

NvmlTelemetry::NvmlTelemetry(const std::string& file) : nvml_(file) {
    if (!nvml_.absent().empty()) {
        return;
    }
    const bool has_events = nvml_.create_events && nvml_.free_events && nvml_.register_events &&
                            nvml_.wait_events && nvml_.create_events(&events_) == kSuccess;
    unsigned int count = 0;
    if (nvml_.get_count(&count) != kSuccess) {
        count = 0;
    }
    for (unsigned int index = 0; index < count; ++index) {
        nvml::Device device = nullptr;
        if (nvml_.get_handle(index, &device) != kSuccess) {
            continue;  // a GPU that has fallen off its bus
        }
        Gpu gpu{device, text_of(nvml_.get_uuid, device), text_of(nvml_.get_name, device)};
        gpu.watched = has_events &&
                      nvml_.register_events(device, nvml::kXidCriticalError, events_) == kSuccess;
        gpus_.push_back(std::move(gpu));
    }
}

NvmlTelemetry::~NvmlTelemetry() {
    if (events_ != nullptr) {
        nvml_.free_events(events_);
    }
}

void NvmlTelemetry::collect_xids() {
    nvml::EventData event{};
    for (int n = 0; events_ != nullptr && n < kMostEvents; ++n) {
        if (nvml_.wait_events(events_, &event, 0) != kSuccess) {
            return;  // mostly a timeout: nothing more has happened
        }
        const auto found = std::ranges::find(gpus_, event.device, &Gpu::device);
        if (event.type == nvml::kXidCriticalError && found != gpus_.end()) {
            ++found->n_xids;
            found->new_xids.push_back(static_cast<std::uint32_t>(event.data));
        }
    }
}

GpuReading NvmlTelemetry::read_one(Gpu& gpu) const {
    const nvml::Device device = gpu.device;
    GpuReading reading;
    reading.uuid = gpu.uuid;
    reading.name = gpu.name;
    nvml::Utilization utilization{};
    if (nvml_.get_utilization && nvml_.get_utilization(device, &utilization) == kSuccess) {
        reading.utilisation = utilization.gpu / 100.0;
    }
    nvml::Memory memory{};
    if (nvml_.get_memory && nvml_.get_memory(device, &memory) == kSuccess) {
        reading.memory_used_bytes = memory.used;
        reading.memory_total_bytes = memory.total;
    }
    set<unsigned int>(reading.power_w, nvml_.get_power, device, 1e-3);
    set<unsigned long long>(reading.energy_j, nvml_.get_energy, device, 1e-3);
    unsigned int temperature_c = 0;
    if (nvml_.get_temperature &&
        nvml_.get_temperature(device, nvml::kTemperatureGpu, &temperature_c) == kSuccess) {
        reading.temperature_c = temperature_c;
    }
    const auto ecc = [&](int kind) -> std::optional<std::uint64_t> {
        unsigned long long count = 0;
        const bool known =
            nvml_.get_ecc_errors &&
            nvml_.get_ecc_errors(device, kind, nvml::kEccVolatile, &count) == kSuccess;
        return known ? std::optional<std::uint64_t>(count) : std::nullopt;
    };
    reading.ecc_corrected = ecc(nvml::kErrorCorrected);
    reading.ecc_uncorrected = ecc(nvml::kErrorUncorrected);
    unsigned int corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    if (nvml_.get_remapped_rows &&
        nvml_.get_remapped_rows(device, &corrected, &uncorrected, &pending, &failed) == kSuccess) {
        reading.remapped_rows = RemappedRows{corrected, uncorrected, pending != 0, failed != 0};
    }
    if (gpu.watched) {
        reading.xid_errors = gpu.n_xids;
        reading.new_xids = std::exchange(gpu.new_xids, {});
    }
    return reading;
}

std::vector<GpuReading> NvmlTelemetry::read() {
    collect_xids();
    std::vector<GpuReading> readings;
    for (Gpu& gpu : gpus_) {
        readings.push_back(read_one(gpu));
    }
    return readings;
}

}  // namespace kaname::telemetry
