// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/built_job.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"

namespace kaname::jobs::spectrum_preflight_test {
namespace {

/// Returns the preflight of a job whose lid has `lid_pa_s`; 0: elastic.
Preflight preflight_of(double lid_pa_s, double end_s, TimeMethod method = TimeMethod::Auto) {
    GreensJob job = plane_job();  // the mantle's Maxwell time is 1e8 s
    job.time.method = method;
    if (lid_pa_s > 0.0) {
        job.structure.materials[0].viscosity_pa_s = lid_pa_s;
    }
    job.time.end_s = end_s;
    job.stations[0].lon_deg = 160.0;  // a violation, so that nothing is solved to measure time
    Preflight found = ViscoelasticStages().preflight(test::built(job));
    EXPECT_EQ(found.method, "spectrum");
    return found;
}

std::string starting_with(const std::string& start, const std::vector<std::string>& texts) {
    const auto at = std::ranges::find_if(
        texts, [&](const std::string& text) { return text.starts_with(start); });
    return at == texts.end() ? std::string() : *at;
}

/// Returns true if preflight doubts the spectrum's tolerance for such a job.
bool doubted(double lid_pa_s, double end_s) {
    return !starting_with("time.spectrum_tolerance: ", preflight_of(lid_pa_s, end_s).warnings)
                .empty();
}

TEST(PreflightOfASpectrum, DoubtsItWhereAllRockRelaxesAtTimesFarApart) {
    EXPECT_TRUE(doubted(3e10 * 1e11, 3e12));
    EXPECT_FALSE(doubted(0.0, 3e12));
    EXPECT_FALSE(doubted(3e10 * 1e11, 5e10));
    EXPECT_FALSE(doubted(3e10 * 1e10, 3e12));
}

TEST(PreflightOfASpectrum, SaysWhatIsTakenWhereItsToleranceIsMissed) {
    const Preflight by_auto = preflight_of(3e10 * 1e11, 3e12);
    const Preflight asked_for = preflight_of(3e10 * 1e11, 3e12, TimeMethod::Spectrum);

    const std::string note = starting_with("time: ", by_auto.notes);
    EXPECT_NE(note.find("by relaxation spectrum"), std::string::npos) << note;
    EXPECT_NE(note.find("time steps in its place"), std::string::npos) << note;
    const std::string doubt = starting_with("time.spectrum_tolerance: ", by_auto.warnings);
    EXPECT_NE(doubt.find("that miss it are solved by"), std::string::npos) << doubt;
    EXPECT_EQ(starting_with("time: ", asked_for.notes), "");
    const std::string fails = starting_with("time.spectrum_tolerance: ", asked_for.warnings);
    EXPECT_NE(fails.find("that miss it fail"), std::string::npos) << fails;
}

}  // namespace
}  // namespace kaname::jobs::spectrum_preflight_test
