// SPDX-License-Identifier: BSD-3-Clause
#include "server/space/disk_space.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::space::disk_space_test {
namespace {

class RoomTest : public testing::Test {
protected:
    DiskSpaceOptions options() {
        return {.watermark = {false, 0, 100},
                .measure =
                    [this](const std::filesystem::path& folder) {
                        ++n_measured_;
                        if (gone_) {
                            throw Error(ErrorCode::Unavailable, folder.string() + ": gone");
                        }
                        return Measure{folder == "/db" ? database_ : artifacts_, 1000};
                    },
                .log = [this](const std::string& line) { lines_.push_back(line); },
                .fresh = fresh_};
    }
    DiskSpace room() { return {{{kArtifacts, "/data"}, {"database", "/db"}}, options()}; }

    std::uint64_t artifacts_ = 500, database_ = 500;
    bool gone_ = false;
    int n_measured_ = 0;
    std::chrono::milliseconds fresh_{0};
    std::vector<std::string> lines_;
};

std::string refusal(DiskSpace& room, std::uint64_t needed) {
    try {
        room.check(needed);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Exhausted);
        return error.what();
    }
    return "";
}

TEST_F(RoomTest, PausesBelowTheWatermarkAndGoesOnWellAboveIt) {
    DiskSpace space = room();
    EXPECT_EQ(space.shortage(), "");
    artifacts_ = 99;
    EXPECT_NE(space.shortage().find("/data"), std::string::npos);
    EXPECT_NE(space.shortage().find("99 bytes free"), std::string::npos);
    artifacts_ = 110;
    EXPECT_NE(space.shortage(), "") << "not yet well above";
    artifacts_ = 125;
    EXPECT_EQ(space.shortage(), "");
    ASSERT_EQ(lines_.size(), 2U) << "one line when it begins, one when it ends";
    EXPECT_NE(lines_[0].find("/data"), std::string::npos);
}

TEST_F(RoomTest, TheDatabasesFolderCountsToo) {
    DiskSpace space = room();
    database_ = 10;
    EXPECT_NE(space.shortage().find("/db"), std::string::npos);
    const auto folders = space.folders();
    EXPECT_FALSE(folders[0].paused);
    EXPECT_TRUE(folders[1].paused);
}

TEST_F(RoomTest, WhatIsAskedForMustLeaveTheWatermarkFree) {
    DiskSpace space = room();
    EXPECT_EQ(refusal(space, 400), "");
    const std::string text = refusal(space, 401);
    for (const char* part : {"/data", "500 bytes free", "401 needed", "100 must stay free"}) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
    }
    artifacts_ = 50;
    const std::string paused = refusal(space, 7);
    for (const char* part : {"/data", "50 bytes free", "7 bytes"}) {
        EXPECT_NE(paused.find(part), std::string::npos) << paused;
    }
}

TEST_F(RoomTest, AFolderThatCannotBeMeasuredTakesNothing) {
    DiskSpace space = room();
    gone_ = true;
    EXPECT_EQ(space.shortage(), "/data: gone");
    gone_ = false;
    EXPECT_EQ(space.shortage(), "");
}

TEST_F(RoomTest, AMeasurementIsGoodForAWhile) {
    fresh_ = std::chrono::hours(1);
    DiskSpace space = room();
    for (int k = 0; k < 5; ++k) {
        (void)space.shortage();
    }
    EXPECT_EQ(n_measured_, 2) << "each folder once";
}

TEST(Measure, TellsWhatTheFileSystemHas) {
    const TemporaryFolder folder;
    const Measure found = measure(folder.path());
    EXPECT_GT(found.total, 0U);
    EXPECT_LE(found.free, found.total);
    EXPECT_THROW((void)measure(folder.path() / "none"), Error);
}

}  // namespace
}  // namespace kaname::space::disk_space_test
