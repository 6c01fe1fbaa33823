// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/worker/jobs/thrust_job.hpp"
#include "worker/jobs/greens/method_choice.hpp"

namespace kaname::jobs::element_choice_test {
namespace {

using viscoelastic::Element;

/// A thrust of 60 km that dips 20 degrees: 20.5 km deep, in a crust of 60 km over a viscous mantle.
GreensJob thrust(double top_m) {
    return thrust_job(top_m, 20.0, 12e3);
}

Element chosen(const GreensJob& job) {
    Survey survey;
    JobGeometry(job).survey(survey);
    return element_of(job, survey.slips_in_viscous_rock);
}

TEST(ElementChoice, PlainWhereAllSlipLiesInElasticRock) {
    EXPECT_EQ(chosen(thrust(8e3)), Element::P2);
}

TEST(ElementChoice, NodalDilatationWhereAPartOfThePatchRelaxes) {
    EXPECT_EQ(chosen(thrust(45e3)), Element::NodalDilatation);
    EXPECT_EQ(chosen(thrust(80e3)), Element::NodalDilatation);
}

TEST(ElementChoice, PlainBeforeFourRelaxationTimes) {
    GreensJob job = thrust(80e3);  // the mantle's relaxation time is 1e8 s
    job.time.end_s = 3.9e8;
    EXPECT_EQ(chosen(job), Element::P2);
    job.time.end_s = 4.1e8;
    EXPECT_EQ(chosen(job), Element::NodalDilatation);
}

TEST(ElementChoice, WhatASpecificationNamesIsTaken) {
    GreensJob job = thrust(80e3);
    job.solver.element = ElementChoice::P2;
    EXPECT_EQ(chosen(job), Element::P2);
    job = thrust(8e3);
    job.solver.element = ElementChoice::NodalDilatation;
    EXPECT_EQ(chosen(job), Element::NodalDilatation);
    EXPECT_EQ(effort_of(job, Element::NodalDilatation), 1.0);
}

TEST(ElementChoice, TheMultistepMethodHasPlainElementsOnly) {
    GreensJob job = thrust(80e3);
    job.solver.method = SolverMethod::Multistep2018;
    EXPECT_EQ(chosen(job), Element::P2);
}

TEST(ElementChoice, AutoIsCalibratedWithPlainElements) {
    const GreensJob job = thrust(80e3);
    EXPECT_EQ(effort_of(job, Element::P2), 1.0);
    EXPECT_GT(effort_of(job, Element::NodalDilatation), 1.0);
}

}  // namespace
}  // namespace kaname::jobs::element_choice_test
