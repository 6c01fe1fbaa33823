// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/checkpoint_archive.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"

namespace kaname::jobs::checkpoint_archive_test {
namespace {

using lanes::kLanes;

constexpr int kWidth = 2;
constexpr std::int64_t kItems = 100;
constexpr std::int64_t kPerPiece = 7 * kWidth * kLanes;  // seven items; the last piece has two
constexpr std::array<int, kLanes> kSamePlaces = {0, 1, 2, 3};

/// Returns the number that stands for an item, component and source.
double number(std::int64_t id, int comp, int lane) {
    return 1000.0 * static_cast<double>(id) + 10.0 * comp + lane;
}

/// Every third id and those next to another rank's, so that ranks share some.
std::vector<std::int64_t> ids_of(const comm::Comm& comm, bool sparse) {
    std::vector<std::int64_t> ids;
    for (std::int64_t id = kItems - 1; id >= 0; --id) {  // in no helpful order
        const bool mine = id % comm.size() == comm.rank() || id % 10 == 0;
        if (mine && (!sparse || id % 3 != 1)) {
            ids.push_back(id);
        }
    }
    return ids;
}

device::Buffer<double> values_of(const std::vector<std::int64_t>& ids) {
    device::Buffer<double> values(ids.size() * kWidth * kLanes);
    std::size_t at = 0;
    for (const std::int64_t id : ids) {
        for (int comp = 0; comp < kWidth; ++comp) {
            for (int lane = 0; lane < kLanes; ++lane) {
                values[at++] = number(id, comp, lane);
            }
        }
    }
    return values;
}

class CheckpointArchive : public testing::Test {
protected:
    void write(int ranks, bool sparse, bool full = false) {
        comm::run_as_threads(ranks, [&](comm::Comm& comm) {
            std::unique_ptr<h5::File> file;
            if (comm.rank() == 0) {
                file = std::make_unique<h5::File>(path, h5::File::Mode::Create);
            }
            CheckpointWriter writer(file.get(), full, comm, kPerPiece);
            device::Queue queue;
            const auto ids = ids_of(comm, sparse);
            auto values = values_of(ids);
            std::int64_t step = 12;
            std::array<std::int64_t, kLanes> lanes = {5, 6, 7, 8};
            predictors::StateBytes own;
            int rank = comm.rank();
            own.number(rank);
            writer.number("step", step);
            writer.lanes("failed", lanes);
            writer.items("values", ids, kWidth, values, queue);
            EXPECT_EQ(writer.own("predictor", own), full);
            EXPECT_FALSE(writer.error());
        });
    }
    /// Every number read is the one that was written, source by source.
    void expect_read(int ranks, bool sparse, std::array<int, kLanes> place) {
        comm::run_as_threads(ranks, [&](comm::Comm& comm) {
            std::unique_ptr<h5::File> file;
            if (comm.rank() == 0) {
                file = std::make_unique<h5::File>(path, h5::File::Mode::Read);
            }
            CheckpointReader reader(file.get(), place, false, comm);
            device::Queue queue;
            const auto ids = ids_of(comm, sparse);
            device::Buffer<double> values(ids.size() * kWidth * kLanes);
            std::int64_t step = 0;
            std::array<std::int64_t, kLanes> lanes{};
            reader.number("step", step);
            reader.lanes("failed", lanes);
            reader.items("values", ids, kWidth, values, queue);
            EXPECT_EQ(step, 12);
            for (int lane = 0; lane < kLanes; ++lane) {
                EXPECT_EQ(lanes[lane], place[lane] < 0 ? 0 : 5 + place[lane]);
            }
            std::size_t at = 0;
            for (const std::int64_t id : ids) {
                for (int comp = 0; comp < kWidth; ++comp) {
                    for (const int from : place) {
                        ASSERT_EQ(values[at++], from < 0 ? 0.0 : number(id, comp, from));
                    }
                }
            }
        });
    }

    support::TemporaryFolder folder;
    std::string path = folder.path("archive.h5");
};

TEST_F(CheckpointArchive, IsReadOnOtherRanksPieceByPiece) {
    write(3, false);

    expect_read(3, false, kSamePlaces);
    expect_read(1, false, kSamePlaces);
    expect_read(4, false, kSamePlaces);
}

TEST_F(CheckpointArchive, HoldsItemsThatNotEveryIdHas) {
    write(2, true);

    expect_read(3, true, kSamePlaces);
}

TEST_F(CheckpointArchive, GivesEachSourceItsOwnNumbers) {
    write(2, false);

    expect_read(2, false, {2, -1, 0, -1});
}

TEST_F(CheckpointArchive, ItemsThatAreMissingAreRefusedOnEveryRank) {
    write(2, true);

    try {
        expect_read(2, false, kSamePlaces);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_NE(std::string(error.what()).find("values lacks"), std::string::npos)
            << error.what();
    }
}

TEST_F(CheckpointArchive, EveryRankGetsItsOwnBytes) {
    write(3, false, true);

    comm::run_as_threads(3, [&](comm::Comm& comm) {
        std::unique_ptr<h5::File> file;
        if (comm.rank() == 0) {
            file = std::make_unique<h5::File>(path, h5::File::Mode::Read);
        }
        CheckpointReader reader(file.get(), kSamePlaces, true, comm);
        predictors::StateBytes own;
        ASSERT_TRUE(reader.own("predictor", own));
        int rank = -1;
        own.number(rank);
        EXPECT_EQ(rank, comm.rank());
    });
}

}  // namespace
}  // namespace kaname::jobs::checkpoint_archive_test
