// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "proto/request/form/rules.hpp"

namespace kaname::request::units_test {
namespace {

std::string listed(std::string_view field) {
    std::string text;
    for (const QuantityName& name : quantity_names(field)) {
        text += name.name + " " + std::to_string(name.factor) + "; ";
    }
    return text;
}

TEST(Units, EachQuantityHasItsEquivalentNames) {
    EXPECT_EQ(listed("depth_m"),
              "depth_m 1.000000; depth_km 1000.000000; depth_cm 0.010000; depth_mm 0.001000; ");
    EXPECT_EQ(listed("end_s"),
              "end_s 1.000000; end_ms 0.001000; end_us 0.000001; end_minutes 60.000000; "
              "end_hours 3600.000000; "
              "end_days 86400.000000; end_years 31557600.000000; ");
    EXPECT_EQ(listed("from_hz"),
              "from_hz 1.000000; from_khz 1000.000000; from_mhz 1000000.000000; ");
    EXPECT_EQ(listed("mu_pa"), "mu_pa 1.000000; mu_mpa 1000000.000000; mu_gpa 1000000000.000000; ");
    EXPECT_EQ(listed("vp_m_per_s"), "vp_m_per_s 1.000000; vp_km_per_s 1000.000000; ");
    EXPECT_EQ(listed("density_kg_per_m3"),
              "density_kg_per_m3 1.000000; density_g_per_cm3 1000.000000; ");
}

TEST(Units, ViscosityAnglesAndNumbersHaveTheirOwnNameOnly) {
    EXPECT_EQ(listed("viscosity_pa_s"), "viscosity_pa_s 1.000000; ");
    EXPECT_EQ(listed("dip_deg"), "dip_deg 1.000000; ");
    EXPECT_EQ(listed("n_strike"), "n_strike 1.000000; ");
}

TEST(Units, TheLongestUnitIsTakenOff) {
    EXPECT_EQ(without_unit("vp_m_per_s"), "vp");
    EXPECT_EQ(without_unit("viscosity_pa_s"), "viscosity");
    EXPECT_EQ(without_unit("spacing_dip_m"), "spacing_dip");
    EXPECT_EQ(without_unit("components"), "components");
}

}  // namespace
}  // namespace kaname::request::units_test
