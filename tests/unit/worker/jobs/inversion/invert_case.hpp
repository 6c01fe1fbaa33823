// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/h5/file.hpp"
#include "tests/unit/worker/jobs/inversion/small_greens.hpp"
#include "worker/jobs/inversion/invert.hpp"

namespace kaname::test {

/// A folder with a dataset and the inversion of it.
class InvertCase : public ::testing::Test {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
    }

    jobs::InversionSummary run(const jobs::InversionJob& job, const io::GreensDataset& greens) {
        io::write_greens_dataset(greens_path(), greens);
        std::filesystem::remove(out());
        return jobs::invert(job, greens_path(), out(), [](const jobs::InversionProgress&) {});
    }
    std::string message_of(const jobs::InversionJob& job, const io::GreensDataset& greens) {
        try {
            (void)run(job, greens);
        } catch (const Error& error) {
            EXPECT_FALSE(std::filesystem::exists(out()));
            return error.what();
        }
        ADD_FAILURE() << "no error";
        return "";
    }
    [[nodiscard]] std::vector<double> read(const std::string& name) const {
        return h5::File(out(), h5::File::Mode::Read).read<double>(name);
    }
    [[nodiscard]] std::string greens_path() const {
        return (folder_.path() / "greens.h5").string();
    }
    [[nodiscard]] std::string out() const { return (folder_.path() / "inversion.h5").string(); }

    TemporaryFolder folder_;
};

inline std::vector<double> some_slip() {
    std::vector<double> slip(24);
    for (std::size_t s = 0; s < slip.size(); ++s) {
        slip[s] = 0.3 + 0.1 * static_cast<double>(s % 7);
    }
    return slip;
}

inline void expect_near(const std::vector<double>& found, const std::vector<double>& wanted,
                        double tolerance) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_NEAR(found[i], wanted[i], tolerance) << i;
    }
}

}  // namespace kaname::test
