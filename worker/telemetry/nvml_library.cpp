// SPDX-License-Identifier: BSD-3-Clause
#include "worker/telemetry/nvml_library.hpp"

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

}  // namespace kaname::telemetry
