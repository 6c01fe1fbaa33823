// SPDX-License-Identifier: BSD-3-Clause
// NVML's binary interface against a shared library that a test can set.
#include "worker/telemetry/nvml_telemetry.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace kaname::telemetry::nvml_telemetry_test {
namespace {

/// The library of tests/support/fake_nvml, held open so that its settings stay.
class NvmlTelemetryTest : public testing::Test {
protected:
    template <class Function, class... Arguments>
    auto call(const char* name, Arguments... arguments) {
        return reinterpret_cast<Function*>(::dlsym(library_, name))(arguments...);
    }
    NvmlTelemetryTest() : library_(::dlopen(KANAME_FAKE_NVML, RTLD_NOW)) {
        EXPECT_NE(library_, nullptr) << ::dlerror();
    }
    ~NvmlTelemetryTest() override {
        call<void(bool)>("fake_nvml_break", false);
        ::dlclose(library_);
    }

    void* library_;
};

TEST_F(NvmlTelemetryTest, ReadingsAreInBaseUnits) {
    NvmlTelemetry telemetry(KANAME_FAKE_NVML);
    EXPECT_EQ(telemetry.absent(), "");

    const std::vector<GpuReading> readings = telemetry.read();

    ASSERT_EQ(readings.size(), 2U);
    const GpuReading& gpu = readings[0];
    EXPECT_EQ(gpu.uuid, "GPU-aaaaaaaa-0000-0000-0000-000000000000");
    EXPECT_EQ(gpu.name, "Fake H200");
    EXPECT_EQ(gpu.utilisation, 0.73);
    EXPECT_EQ(gpu.memory_used_bytes, 10000000000U);
    EXPECT_EQ(gpu.memory_total_bytes, 150000000000U);
    EXPECT_DOUBLE_EQ(gpu.power_w.value(), 412.5);
    EXPECT_EQ(gpu.temperature_c, 64.0);
    EXPECT_DOUBLE_EQ(gpu.energy_j.value(), 123456.789);
    EXPECT_EQ(gpu.ecc_corrected, 5U);
    EXPECT_EQ(gpu.ecc_uncorrected, 1U);
    ASSERT_TRUE(gpu.remapped_rows);
    EXPECT_EQ(gpu.remapped_rows->corrected, 3U);
    EXPECT_EQ(gpu.remapped_rows->uncorrected, 2U);
    EXPECT_TRUE(gpu.remapped_rows->pending);
    EXPECT_FALSE(gpu.remapped_rows->failed);
    EXPECT_EQ(gpu.xid_errors, 0U);
}

TEST_F(NvmlTelemetryTest, WhatAGpuDoesNotSupportIsAbsent) {
    NvmlTelemetry telemetry(KANAME_FAKE_NVML);

    const GpuReading gpu = telemetry.read().at(1);

    EXPECT_EQ(gpu.name, "Fake K80");
    EXPECT_EQ(gpu.power_w, 412.5);
    EXPECT_TRUE(gpu.memory_used_bytes);
    EXPECT_FALSE(gpu.utilisation);
    EXPECT_FALSE(gpu.temperature_c);
    EXPECT_FALSE(gpu.energy_j);
    EXPECT_FALSE(gpu.ecc_corrected);
    EXPECT_FALSE(gpu.ecc_uncorrected);
    EXPECT_FALSE(gpu.remapped_rows);
    EXPECT_FALSE(gpu.xid_errors);
}

TEST_F(NvmlTelemetryTest, XidsAreCountedAndToldOnce) {
    NvmlTelemetry telemetry(KANAME_FAKE_NVML);
    call<void(int, unsigned)>("fake_nvml_add_xid", 0, 79U);
    call<void(int, unsigned)>("fake_nvml_add_xid", 0, 31U);

    EXPECT_EQ(telemetry.read().at(0).new_xids, (std::vector<std::uint32_t>{79, 31}));
    const GpuReading later = telemetry.read().at(0);

    EXPECT_TRUE(later.new_xids.empty());
    EXPECT_EQ(later.xid_errors, 2U);
}

TEST_F(NvmlTelemetryTest, AMachineWithoutADriverHasNoReadings) {
    NvmlTelemetry telemetry("libno-such-nvml.so.1");

    EXPECT_TRUE(telemetry.read().empty());
    EXPECT_NE(telemetry.absent().find("libno-such-nvml.so.1"), std::string::npos);
}

TEST_F(NvmlTelemetryTest, ALibraryWithoutTheSymbolsIsRefused) {
    NvmlTelemetry telemetry("libm.so.6");

    EXPECT_TRUE(telemetry.read().empty());
    EXPECT_NE(telemetry.absent().find("nvmlInit_v2"), std::string::npos);
}

TEST_F(NvmlTelemetryTest, ADriverThatIsNotLoadedIsNamed) {
    call<void(bool)>("fake_nvml_break", true);

    NvmlTelemetry telemetry(KANAME_FAKE_NVML);

    EXPECT_TRUE(telemetry.read().empty());
    EXPECT_NE(telemetry.absent().find("Driver Not Loaded"), std::string::npos);
}

TEST_F(NvmlTelemetryTest, TheLibraryIsShutDown) {
    {
        NvmlTelemetry telemetry(KANAME_FAKE_NVML);
        EXPECT_EQ(call<int()>("fake_nvml_inits"), 1);
    }

    EXPECT_EQ(call<int()>("fake_nvml_inits"), 0);
}

TEST_F(NvmlTelemetryTest, TheFileCanBeNamed) {
    EXPECT_EQ(nvml_file(), "libnvidia-ml.so.1");
    ::setenv("KANAME_NVML", "/opt/nvml.so", 1);
    EXPECT_EQ(nvml_file(), "/opt/nvml.so");
    ::unsetenv("KANAME_NVML");
}

}  // namespace
}  // namespace kaname::telemetry::nvml_telemetry_test
