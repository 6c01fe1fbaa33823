// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/rupture/fault_faces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/unit/solvers/rupture/one_face.hpp"

namespace kaname::rupture::test::fault_faces_test {
namespace {

FaultSetup good(FrictionLaw law) {
    FaultSetup setup;
    setup.laws = {law};
    setup.at = [](const FaultPlace&) {
        FaultPoint point;
        point.traction_pa = traction(-120e6, 70e6, 3e6);
        point.static_friction = 0.677;
        point.dynamic_friction = 0.525;
        point.weakening_slip_m = 0.4;
        point.a = 0.008;
        point.b = 0.012;
        point.state_slip_m = 0.02;
        point.weakened_friction = 0.2;
        point.weakening_rate_m_per_s = 0.1;
        point.initial_rate_m_per_s = 1e-12;
        return point;
    };
    return setup;
}

std::vector<Violation> violations_of(const FaultSetup& setup, FaultFaceShape face = face_of(4e6)) {
    try {
        FaultFaces faces(setup, rule_of(5, 2), {face});
    } catch (const ValidationError& error) {
        return error.violations();
    }
    return {};
}

/// Returns the violations of a setup with one thing changed at all points.
std::vector<Violation> violations_with(FrictionLaw law,
                                       const std::function<void(FaultPoint&)>& change) {
    FaultSetup setup = good(law);
    setup.at = [at = setup.at, change](const FaultPlace& place) {
        FaultPoint point = at(place);
        change(point);
        return point;
    };
    return violations_of(setup);
}

TEST(FaultFaces, PointsAreAskedWhereTheyAreAndTractionsAreTurned) {
    FaultSetup setup = good(FrictionLaw::LinearSlipWeakening);
    setup.at = [at = setup.at](const FaultPlace& place) {
        FaultPoint point = at(place);
        EXPECT_EQ(place.fault, 0);
        EXPECT_EQ(place.normal, (Vec3{0.0, 1.0, 0.0}));
        point.static_friction = 1.0 + place.at_m.x + 1000.0 * place.at_m.z;
        return point;
    };

    const FaultFaces faces(setup, rule_of(5, 2), {face_of(4e6), face_of(5e6)});

    const int padded = faces.rule().padded();
    ASSERT_EQ(padded, 8);
    for (int face = 0; face < 2; ++face) {
        for (int k = 0; k < padded; ++k) {
            const auto given = [&](int field) { return faces.given(face)[field * padded + k]; };
            const auto& lambda = faces.rule().points[std::min(k, 4)];
            EXPECT_NEAR(given(Given::kStatic), 1.0 + 100.0 * lambda[1] + 1e5 * lambda[2], 1e-9);
            EXPECT_EQ(given(Given::kNormal), -120e6);
            EXPECT_EQ(given(Given::kStrike), 70e6);
            EXPECT_EQ(given(Given::kDip), 3e6);
        }
    }
}

TEST(FaultFaces, GoodOnesAreTaken) {
    for (const FrictionLaw law : {FrictionLaw::LinearSlipWeakening, FrictionLaw::Ageing,
                                  FrictionLaw::Slip, FrictionLaw::FastVelocityWeakening}) {
        EXPECT_TRUE(violations_of(good(law)).empty());
    }
}

TEST(FaultFaces, EachBadNumberIsNamed) {
    struct Case {
        FrictionLaw law;
        const char* field;
        double FaultPoint::*number;
        double value;
        const char* rule;
    };
    using enum FrictionLaw;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Case cases[] = {
        {LinearSlipWeakening, "static_friction", &FaultPoint::static_friction, -0.1, ">= 0"},
        {LinearSlipWeakening, "dynamic_friction", &FaultPoint::dynamic_friction, -0.1, ">= 0"},
        {LinearSlipWeakening, "weakening_slip_m", &FaultPoint::weakening_slip_m, -0.4, ">= 0"},
        {LinearSlipWeakening, "cohesion_pa", &FaultPoint::cohesion_pa, -1.0, ">= 0"},
        {LinearSlipWeakening, "forced_rupture_s", &FaultPoint::forced_rupture_s, nan, "finite"},
        {Ageing, "a", &FaultPoint::a, 0.0, "> 0"},
        {Ageing, "b", &FaultPoint::b, 0.0, "> 0"},
        {Slip, "b", &FaultPoint::b, -0.01, ">= 0"},
        {Slip, "state_slip_m", &FaultPoint::state_slip_m, 0.0, "> 0"},
        {Slip, "reference_friction", &FaultPoint::reference_friction, nan, ">= 0"},
        {Slip, "reference_rate_m_per_s", &FaultPoint::reference_rate_m_per_s, 0.0, "> 0"},
        {Slip, "initial_rate_m_per_s", &FaultPoint::initial_rate_m_per_s, 0.0, "> 0"},
        {FastVelocityWeakening, "weakened_friction", &FaultPoint::weakened_friction, -0.2, ">= 0"},
        {FastVelocityWeakening, "weakening_rate_m_per_s", &FaultPoint::weakening_rate_m_per_s, 0.0,
         "> 0"}};
    for (const Case& c : cases) {
        const auto violations =
            violations_with(c.law, [&](FaultPoint& point) { point.*c.number = c.value; });
        ASSERT_EQ(violations.size(), 1u) << c.field;
        EXPECT_EQ(violations[0].field, std::string("fault.") + c.field);
        EXPECT_NE(violations[0].message.find(std::string("must be ") + c.rule), std::string::npos)
            << violations[0].message;
    }
}

TEST(FaultFaces, OneMessageHasValueRulePlaceAndCount) {
    const auto violations = violations_with(
        FrictionLaw::LinearSlipWeakening, [](FaultPoint& point) { point.static_friction = -0.1; });
    ASSERT_EQ(violations.size(), 1u);
    EXPECT_EQ(violations[0].message,
              "must be >= 0, got -0.1 at (5.000, 0.000, 5.000) m and at 4 more points");
}

TEST(FaultFaces, AllThatIsWrongIsToldAtOnce) {
    const auto violations = violations_with(FrictionLaw::Ageing, [](FaultPoint& point) {
        point.a = -1.0;
        point.state_slip_m = 0.0;
        point.traction_pa.y = 1e6;
    });
    ASSERT_EQ(violations.size(), 3u);
    EXPECT_EQ(violations[0].field, "fault.a");
    EXPECT_EQ(violations[1].field, "fault.state_slip_m");
    EXPECT_EQ(violations[2].field, "fault.traction_pa.normal");
}

TEST(FaultFaces, RateAndStateNeedsShearAndTractionsMustBeNumbers) {
    const auto none = violations_with(
        FrictionLaw::Slip, [](FaultPoint& point) { point.traction_pa = traction(-1e6, 0.0, 0.0); });
    ASSERT_EQ(none.size(), 1u);
    EXPECT_EQ(none[0].field, "fault.traction_pa.shear");
    const auto infinite = violations_with(FrictionLaw::LinearSlipWeakening, [](FaultPoint& point) {
        point.traction_pa.z = std::numeric_limits<double>::infinity();
    });
    ASSERT_EQ(infinite.size(), 1u);
    EXPECT_EQ(infinite[0].field, "fault.traction_pa");
}

TEST(FaultFaces, SetupsAndFacesAreChecked) {
    FaultSetup setup = good(FrictionLaw::Ageing);
    setup.nucleation_s = -1.0;
    setup.forced_growth_s = -1.0;
    setup.rupture_rate_m_per_s = 0.0;
    setup.laws.clear();
    const auto violations = violations_of(setup);
    ASSERT_EQ(violations.size(), 4u);
    EXPECT_EQ(violations[3].field, "fault.laws");
    EXPECT_EQ(violations_of(good(FrictionLaw::Ageing), face_of(0.0)).at(0).field,
              "fault.shear_impedance");

    FaultRule rule = rule_of(3, 2);
    std::swap(rule.times[0], rule.times[1]);
    EXPECT_THROW(FaultFaces(good(FrictionLaw::Ageing), rule, {}), Error);
}

}  // namespace
}  // namespace kaname::rupture::test::fault_faces_test
