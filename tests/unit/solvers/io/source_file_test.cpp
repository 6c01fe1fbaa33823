// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/source_file.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::io::source_file_test {
namespace {

class SourceFile : public testing::Test {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
    }

    support::TemporaryFolder folder_;
    std::string path_ = folder_.path("source.h5");
};

SourceResult finished() {
    SourceResult result;
    result.source_id = "s00d01/dip_slip";
    result.key = "0123";
    result.step_time_s = {0.0, 1e6};
    result.station_xyz_m = {10, 20, 0, -10, -20, -30};
    result.surface_m = {0.5F, 1.5F, 2.5F, 3.5F, 4.5F, 5.5F};
    result.displacement_m = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    result.iterations = {9, 4};
    result.residual = {1e-9, 2e-9};
    result.initial_residual = {1.0, 1e-3};
    return result;
}

TEST_F(SourceFile, ReadsBackFinishedSource) {
    const SourceResult result = finished();

    write_source_result(path_, result);
    const SourceResult back = read_source_result(path_);

    EXPECT_EQ(back.source_id, result.source_id);
    EXPECT_EQ(back.key, result.key);
    EXPECT_FALSE(back.failed);
    EXPECT_EQ(back.failure, "");
    EXPECT_EQ(back.step_time_s, result.step_time_s);
    EXPECT_EQ(back.displacement_m, result.displacement_m);
    EXPECT_EQ(back.station_xyz_m, result.station_xyz_m);
    EXPECT_EQ(back.surface_m, result.surface_m);
    EXPECT_EQ(back.iterations, result.iterations);
    EXPECT_EQ(back.residual, result.residual);
    EXPECT_EQ(back.initial_residual, result.initial_residual);
}

SourceResult spectrum() {
    SourceResult result = finished();
    result.step_time_s = {0.0, std::nan("")};
    result.shift_per_s = {std::nan(""), 1e-9};
    result.reduced.n_basis = 1;
    result.reduced.A_el = {2.0};
    result.reduced.A = {3.0, 4.0};
    result.reduced.b = {5.0, 6.0};
    result.reduced.n_branches = {1, 2};
    result.reduced.share = {1.0, 0.25, 0.75};
    result.reduced.rate_per_s = {1e-9, 2e-9, 0.0};
    return result;
}

TEST_F(SourceFile, ReadsBackARelaxationSpectrum) {
    const SourceResult result = spectrum();

    write_source_result(path_, result);
    const SourceResult back = read_source_result(path_);

    EXPECT_TRUE(back.by_spectrum());
    EXPECT_EQ(back.n_fields(), 2u);
    EXPECT_EQ(back.shift_per_s[1], 1e-9);
    EXPECT_EQ(back.displacement_m, result.displacement_m);
    EXPECT_EQ(back.reduced.A_el, result.reduced.A_el);
    EXPECT_EQ(back.reduced.A, result.reduced.A);
    EXPECT_EQ(back.reduced.b, result.reduced.b);
    EXPECT_EQ(back.reduced.n_branches, result.reduced.n_branches);
    EXPECT_EQ(back.reduced.share, result.reduced.share);
    EXPECT_EQ(back.reduced.rate_per_s, result.reduced.rate_per_s);
}

TEST_F(SourceFile, RefusesAReducedModelThatDoesNotFitItsFields) {
    SourceResult result = spectrum();
    result.reduced.b.pop_back();
    EXPECT_THROW(write_source_result(path_, result), Error);

    result = spectrum();
    result.displacement_m.resize(6);
    EXPECT_THROW(write_source_result(path_, result), Error);
}

TEST_F(SourceFile, ReadsBackSnapshotsOfTheVolumeWithoutLoss) {
    SourceResult result = finished();
    write_source_result(path_, result);
    EXPECT_TRUE(read_source_result(path_).volume.empty());
    result.volume.n_snapshots = 2;
    for (int k = 0; k < 2 * 5 * 3; ++k) {
        result.volume.displacement_m.push_back(k / 3.0);
    }
    for (int k = 0; k < 2 * 2 * 6; ++k) {
        result.volume.strain.push_back(1e-6 * k / 7.0);
        result.volume.stress_pa.push_back(1e4 * k / 11.0);
    }

    write_source_result(path_, result);
    const SourceResult back = read_source_result(path_);

    EXPECT_EQ(back.volume.n_snapshots, 2u);
    EXPECT_EQ(back.volume.displacement_m, result.volume.displacement_m);
    EXPECT_EQ(back.volume.strain, result.volume.strain);
    EXPECT_EQ(back.volume.stress_pa, result.volume.stress_pa);

    result.volume.stress_pa.pop_back();
    EXPECT_THROW(write_source_result(path_, result), Error);
}

TEST_F(SourceFile, ReadsBackFailedSourceWithItsHistory) {
    SourceResult result;
    result.source_id = "s00d00/strike_slip";
    result.failed = true;
    result.failure = "500 iterations, residual 1e-3";
    result.iterations = {500};
    result.residual = {1e-3};

    write_source_result(path_, result);
    const SourceResult back = read_source_result(path_);

    EXPECT_TRUE(back.failed);
    EXPECT_EQ(back.failure, result.failure);
    EXPECT_EQ(back.iterations, result.iterations);
    EXPECT_TRUE(back.displacement_m.empty());
}

TEST_F(SourceFile, RefusesFinishedSourceWithMissingSteps) {
    SourceResult result = finished();
    result.iterations.pop_back();

    EXPECT_THROW(write_source_result(path_, result), Error);
}

}  // namespace
}  // namespace kaname::io::source_file_test
