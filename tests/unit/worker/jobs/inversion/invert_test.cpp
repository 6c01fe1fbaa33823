// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/invert.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"
#include "tests/unit/worker/jobs/inversion/invert_case.hpp"

namespace kaname::jobs::invert_test {
namespace {

using test::expect_near;
using test::greens_at;
using test::motion_of;
using test::small_greens;
using test::small_job;
using test::some_slip;

class Invert : public test::InvertCase {};

TEST_F(Invert, FindsTheSlipThatMadeTheData) {
    const io::GreensDataset greens = small_greens();
    const InversionSummary summary = run(small_job(motion_of(greens, some_slip(), 1)), greens);

    expect_near(read("slip"), some_slip(), 1e-9);
    EXPECT_NEAR(summary.sets[0].variance_reduction, 1.0, 1e-9);
    EXPECT_EQ(summary.observations, 90);
    EXPECT_EQ(summary.unknowns, 24);
    // Moment: rigidity times potency times the length of the patch's slip vector.
    double moment = 0.0;
    for (std::size_t p = 0; p < 12; ++p) {
        moment += 3e10 * 4e8 * (1 + p % 3) * std::hypot(some_slip()[2 * p], some_slip()[2 * p + 1]);
    }
    EXPECT_NEAR(summary.windows[0].moment_n_m / moment, 1.0, 1e-9);
    EXPECT_NEAR(summary.windows[0].moment_magnitude, (std::log10(moment) - 9.1) / 1.5, 1e-9);
    expect_near(read("resolution_diagonal"), std::vector<double>(24, 1.0), 1e-8);
}

TEST_F(Invert, WarnsOfAWindowWithoutSlip) {
    const io::GreensDataset greens = small_greens();
    std::vector<double> against = some_slip();
    for (double& amount : against) {
        amount = -amount;
    }
    InversionJob job = small_job(motion_of(greens, against, 1));
    EXPECT_TRUE(run(job, greens).warnings.empty());
    job.slip.min_m = 0.0;
    job.slip.max_m = 0.0;

    const InversionSummary summary = run(job, greens);

    ASSERT_EQ(summary.warnings.size(), 1u);
    EXPECT_TRUE(summary.warnings[0].starts_with("window 'coseismic' has no slip at all"));
}

TEST_F(Invert, SlipOfMillimetresReadAsMetresIsWarnedOf) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 1));
    for (Datum& datum : job.sets[0].data) {
        datum.value *= 1000.0;
    }

    const InversionSummary summary = run(job, greens);

    ASSERT_EQ(summary.warnings.size(), 1u);
    EXPECT_NE(summary.warnings[0].find("more than any fault's; are the data in the unit"),
              std::string::npos)
        << summary.warnings[0];
}

TEST_F(Invert, LineOfSightIsTheMotionAlongIt) {
    const io::GreensDataset greens = small_greens();
    ObservationSet insar = motion_of(greens, some_slip(), 0, "insar");
    insar.kind = ObservationKind::Insar;
    const double look[] = {0.6, -0.1, std::sqrt(1.0 - 0.37)};
    std::vector<Datum> data;
    for (std::size_t n = 0; n < greens.stations.size(); ++n) {
        Datum datum = insar.data[3 * n];
        datum.component = "los";
        datum.value = look[0] * insar.data[3 * n].value + look[1] * insar.data[3 * n + 1].value +
                      look[2] * insar.data[3 * n + 2].value;
        datum.east = look[0];
        datum.north = look[1];
        datum.up = look[2];
        data.push_back(datum);
    }
    insar.data = data;
    (void)run(small_job(insar), greens);

    expect_near(read("slip"), some_slip(), 1e-6);  // 30 data, 24 unknowns
}

TEST_F(Invert, WindowsConvolveAndDifferencesSubtract) {
    // Coseismic slip a, afterslip b at a steady pace through the first year; motion between epochs.
    const io::GreensDataset greens = small_greens();
    std::vector<double> a = some_slip(), b(24, 0.0);
    for (std::size_t s = 0; s < 24; s += 2) {
        b[s] = 0.2 + 0.05 * static_cast<double>(s);
    }
    InversionJob job = small_job(motion_of(greens, a, 0, "coseismic"));
    job.slip.windows.push_back({"afterslip", SlipWindow::Kind::Ramp, 0.0, kJulianYear_s});
    ObservationSet later = motion_of(greens, a, 1, "later");
    for (std::size_t n = 0; n < greens.stations.size(); ++n) {
        for (std::size_t c = 0; c < 3; ++c) {
            Datum& datum = later.data[3 * n + c];
            datum.since_s = 0.0;
            for (std::size_t s = 0; s < 24; ++s) {
                // Mean of motion that is linear in between; and without what was there at 0.
                datum.value +=
                    b[s] * 0.5 * (greens_at(greens, s, 0, n, c) + greens_at(greens, s, 1, n, c));
                datum.value -= a[s] * greens_at(greens, s, 0, n, c);
            }
        }
    }
    job.sets.push_back(later);
    const InversionSummary summary = run(job, greens);

    std::vector<double> both = a;
    both.insert(both.end(), b.begin(), b.end());
    expect_near(read("slip"), both, 1e-8);
    EXPECT_EQ(summary.windows[1].name, "afterslip");
}

TEST_F(Invert, CouplingIsSlipThatIsLacking) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.sets[0].velocity = true;
    for (Datum& datum : job.sets[0].data) {
        datum.value = -datum.value;
    }
    job.slip.windows = {{"locked", SlipWindow::Kind::Coupling, 0.0, 0.0}};
    (void)run(job, greens);

    expect_near(read("slip"), some_slip(), 1e-9);
}

TEST_F(Invert, RakesBetweenLimitsAreKept) {
    // Slip of rake 135 with limits 60 to 120: the amounts along 60 vanish.
    const io::GreensDataset greens = small_greens();
    std::vector<double> slip(24);
    for (std::size_t p = 0; p < 12; ++p) {
        slip[2 * p] = -1.0;
        slip[2 * p + 1] = 1.0;
    }
    InversionJob job = small_job(motion_of(greens, slip, 0));
    job.slip.min_m = 0.0;
    job.slip.rake_from_deg = 60.0;
    job.slip.rake_to_deg = 120.0;
    (void)run(job, greens);

    for (const double rake : read("patch_rake")) {
        EXPECT_GE(rake, 60.0 - 1e-9);
        EXPECT_LE(rake, 120.0 + 1e-9);
    }
    job.slip.rake_to_deg = 150.0;
    (void)run(job, greens);
    expect_near(read("slip"), slip, 1e-9);
}

TEST_F(Invert, OneAzimuthGivesItsRake) {
    const io::GreensDataset greens = small_greens();
    // Strike 240, dip 20: towards 125 degrees.
    const double turn = (125.0 - 240.0) * kDegree, dip = 20.0 * kDegree;
    const double rake = std::atan2(-std::sin(turn) / std::cos(dip), std::cos(turn));
    std::vector<double> slip(24);
    for (std::size_t p = 0; p < 12; ++p) {
        slip[2 * p] = (1.0 + 0.1 * static_cast<double>(p)) * std::cos(rake);
        slip[2 * p + 1] = (1.0 + 0.1 * static_cast<double>(p)) * std::sin(rake);
    }
    // The horizontal motion of the hanging wall is towards the azimuth.
    const double along = std::cos(rake), updip = std::sin(rake) * std::cos(dip);
    const double azimuth = 240.0 + std::atan2(-updip, along) / kDegree;
    EXPECT_NEAR(std::remainder(azimuth - 125.0, 360.0), 0.0, 1e-9);
    InversionJob job = small_job(motion_of(greens, slip, 0));
    job.slip.azimuth_deg = 125.0;
    const InversionSummary summary = run(job, greens);

    EXPECT_EQ(summary.unknowns, 12);
    expect_near(read("slip"), slip, 1e-9);
}

TEST_F(Invert, NuisanceIsTakenOutOfTheData) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.sets[0].offset = job.sets[0].rotation = true;
    for (Datum& datum : job.sets[0].data) {
        datum.value += datum.component == "east" ? 0.02 : datum.component == "north" ? -0.03 : 0.5;
        // omega = (0, 0, 1e-8): velocity omega R cos(lat) to the east.
        const double east = 1e-8 * 6371e3 * std::cos(datum.lat_deg * kDegree);
        datum.value += datum.component == "east" ? east : 0.0;
    }
    const InversionSummary summary = run(job, greens);

    expect_near(read("slip"), some_slip(), 1e-6);
    EXPECT_EQ(summary.sets[0].nuisance_names.front(), "offset_east_m");
    EXPECT_NEAR(summary.sets[0].variance_reduction, 1.0, 1e-9);
    ASSERT_EQ(summary.sets[0].nuisance.size(), 6U);
    EXPECT_NEAR(summary.sets[0].nuisance[2], 0.5, 1e-6);
}

TEST_F(Invert, RotationIsAboutTheEarthsCentre) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.sets[0].rotation = true;
    for (Datum& datum : job.sets[0].data) {
        // omega = (0, 0, 1e-8): velocity omega R cos(lat) to the east.
        const double east = 1e-8 * 6371e3 * std::cos(datum.lat_deg * kDegree);
        datum.value += datum.component == "east" ? east : 0.0;
    }
    const InversionSummary summary = run(job, greens);

    EXPECT_EQ(summary.sets[0].nuisance_names.back(), "rotation_z_microrad");
    EXPECT_NEAR(summary.sets[0].nuisance[0], 0.0, 1e-6);
    EXPECT_NEAR(summary.sets[0].nuisance[1], 0.0, 1e-6);
    EXPECT_NEAR(summary.sets[0].nuisance[2], 0.01, 1e-6);
}

TEST_F(Invert, MomentIsHeldWhereItIsAskedFor) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.slip.components = {"dip_slip"};
    job.slip.min_m = 0.0;
    job.slip.moment = {MomentRule::Relation::Equal, 1e20};
    const InversionSummary summary = run(job, greens);

    EXPECT_NEAR(summary.windows[0].moment_n_m, 1e20, 1e11);
    EXPECT_EQ(summary.unknowns, 12);
}

TEST_F(Invert, SourcesThatAreNotDoneAreNamedAndLeftOut) {
    io::GreensDataset greens = small_greens();
    std::vector<double> slip = some_slip();
    slip[5] = 0.0;
    const InversionJob job = small_job(motion_of(greens, slip, 0));
    greens.sources[5].status = 0;
    for (std::size_t k = 0; k < 270; ++k) {
        greens.greens[5 * 270 + k] = std::nan("");
    }
    const InversionSummary summary = run(job, greens);

    EXPECT_EQ(summary.missing, std::vector<std::string>{greens.sources[5].id});
    expect_near(read("slip"), slip, 1e-9);
}

TEST_F(Invert, SyntheticSlipIsRecoveredAndCompared) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.synthetic.emplace();
    job.synthetic->checkerboard = SyntheticSlip::Checkerboard{1, 2, 3.0};
    const InversionSummary board = run(job, greens);

    ASSERT_TRUE(board.reference.has_value());
    EXPECT_NEAR(board.reference->correlation, 1.0, 1e-9);
    EXPECT_NEAR(board.reference->moment_magnitude, board.windows[0].moment_magnitude, 1e-9);
    const std::vector<double> slip = read("slip");
    EXPECT_NEAR(slip[1], 3.0, 1e-9);   // row 0, column 0, dip slip
    EXPECT_NEAR(slip[5], 0.0, 1e-9);   // column 2
    EXPECT_NEAR(slip[9], 0.0, 1e-9);   // row 1, column 0
    EXPECT_NEAR(slip[13], 3.0, 1e-9);  // row 1, column 2

    job.synthetic->checkerboard.reset();
    job.synthetic->rupture = {.lon_deg = 135.2,
                              .lat_deg = 33.2,
                              .length_m = 50e3,
                              .width_m = 50e3,
                              .strike_deg = 240.0,
                              .slip_m = 2.0,
                              .rake_deg = 90.0,
                              .slip_azimuth_deg = std::nullopt};
    (void)run(job, greens);
    EXPECT_NEAR(read("slip")[2 * 5 + 1], 2.0, 1e-9);  // the patch at its centre
    EXPECT_NEAR(read("slip")[2 * 5], 0.0, 1e-9);
    EXPECT_NEAR(read("slip")[2 * 11 + 1], 0.0, 1e-9);

    job.synthetic->rupture.reset();
    job.synthetic->amounts = {{"s09d00/dip_slip", 1.0}};
    EXPECT_NE(message_of(job, greens).find("no source 's09d00/dip_slip'"), std::string::npos);
}

TEST_F(Invert, StationsWithoutGreensFunctionsAreNamedWithTheNearest) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    for (int k = 0; k < 3; ++k) {
        job.sets[0].data[k].station = "ABCD";
        job.sets[0].data[k].lon_deg += 0.03;
    }
    EXPECT_NE(message_of(job, greens)
                  .find("gnss.csv:2: station 'ABCD' has no Green's functions; "
                        "the nearest that has is 'G100', 2.80 km away"),
              std::string::npos);
    job.sets[0].match_distance_m = 3000.0;
    EXPECT_EQ(run(job, greens).warnings.size(), 1U);
    job.sets[0].data[6].lat_deg += 1.0;
    EXPECT_NE(message_of(job, greens).find("must lie where the dataset has it, is 111 km away"),
              std::string::npos);
}

TEST_F(Invert, EpochsOutsideTheDatasetAreNamed) {
    const io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.sets[0].data[7].epoch_s = 4.0 * kJulianYear_s;
    const std::string message = message_of(job, greens);
    EXPECT_NE(message.find("gnss.csv:4"), std::string::npos) << message;
    EXPECT_NE(message.find("4.000000 years after slip"), std::string::npos) << message;
}

TEST_F(Invert, DatasetsOfOtherSlipAreRefused) {
    io::GreensDataset greens = small_greens();
    InversionJob job = small_job(motion_of(greens, some_slip(), 0));
    job.slip.components = {"opening"};
    EXPECT_NE(message_of(job, greens)
                  .find("slip.components[0]: must be one of the dataset's "
                        "(dip_slip, strike_slip), got 'opening'"),
              std::string::npos);
    job.slip.components = {"dip_slip"};
    job.slip.azimuth_deg = 125.0;
    EXPECT_NE(message_of(job, greens).find("needs two components of slip on each patch"),
              std::string::npos);
    greens.unit_slip = false;
    EXPECT_NE(message_of(job, greens).find("must be a dataset of unit slip"), std::string::npos);
}

}  // namespace
}  // namespace kaname::jobs::invert_test
