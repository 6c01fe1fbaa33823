// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include "solvers/jobs/greens/viscoelastic_stages.hpp"
#include "tests/support/built_job.hpp"
#include "tests/unit/solvers/jobs/plane_job.hpp"

namespace kaname::jobs::spectrum_preflight_test {
namespace {

/// Returns true if preflight doubts the spectrum's tolerance for a job whose lid has `lid_pa_s`; 0:
/// elastic.
bool doubted(double lid_pa_s, double end_s) {
    GreensJob job = plane_job();  // the mantle's Maxwell time is 1e8 s
    if (lid_pa_s > 0.0) {
        job.structure.materials[0].viscosity_pa_s = lid_pa_s;
    }
    job.time.end_s = end_s;
    job.stations[0].lon_deg = 160.0;  // a violation, so that nothing is solved to measure time
    const Preflight found = ViscoelasticStages().preflight(test::built(job));
    EXPECT_EQ(found.method, "spectrum");
    return std::ranges::any_of(found.warnings, [](const std::string& text) {
        return text.starts_with("time.spectrum_tolerance: ");
    });
}

TEST(PreflightOfASpectrum, DoubtsItWhereAllRockRelaxesAtTimesFarApart) {
    EXPECT_TRUE(doubted(3e10 * 1e11, 3e12));
    EXPECT_FALSE(doubted(0.0, 3e12));
    EXPECT_FALSE(doubted(3e10 * 1e11, 5e10));
    EXPECT_FALSE(doubted(3e10 * 1e10, 3e12));
}

}  // namespace
}  // namespace kaname::jobs::spectrum_preflight_test
