// SPDX-License-Identifier: BSD-3-Clause
// A reader kept for any number of calls gives the values of the dataset that package writes.
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/greens_slice.hpp"
#include "tests/support/built_job.hpp"
#include "tests/support/solve_all.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"

namespace kaname::jobs::source_reader_test {
namespace {

const std::string kFirst = "s00d00/strike_slip", kSecond = "s00d00/dip_slip";

class SourceReaderTest : public testing::Test {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
        job = plane_job();
        job.stations.push_back({"S2", 134.9, 34.2, std::nullopt, "stations[1]"});
        for (const mesh::Side side : {mesh::Side::West, mesh::Side::East, mesh::Side::South,
                                      mesh::Side::North, mesh::Side::Bottom}) {
            job.boundaries.kind[static_cast<int>(side)] = BoundaryKind::Fixed;
        }
        job.mesh.size_at_fault_m = 10e3;
        job.mesh.size_far_m = 60e3;
        job.mesh.growth = 0.8;
        job.time.step_s = 0.5e8;
        job.time.end_s = 1e8;
        job.time.epochs_s = {0.0, 0.3e8, 1e8};
        job.region.size_east_m = job.region.size_north_m = 120e3;
        job.region.depth_m = 60e3;
        job.placement.device = DeviceChoice::Cpu;
        job = test::built(job);
        stages.mesh(job, path("mesh.h5"), [](double, const std::string&) {});
        comm::SerialComm comm;
        (void)test::solve_all(stages, job, path("mesh.h5"), folder.path().string(), comm);
        files = stages.find_results(job, folder.path().string());
        ASSERT_EQ(files.size(), 2U);
    }
    [[nodiscard]] std::string path(const char* name) const {
        return (folder.path() / name).string();
    }
    /// Returns the contents of a dataset of these sources alone, as its file is read.
    io::GreensSlice packed(const SourceFiles& only) {
        stages.package(job, path("mesh.h5"), only, true, path("block.h5"));
        return io::read_greens_slice(path("block.h5"), {}, {}, {});
    }
    /// Bit for bit, a NaN where there is one.
    static void expect_same(const SourceBlock& block, const io::GreensSlice& slice) {
        EXPECT_EQ(block.ids, slice.sources);
        ASSERT_EQ(block.values.size(), slice.greens.size());
        for (std::size_t k = 0; k < block.values.size(); ++k) {
            EXPECT_TRUE(block.values[k] == slice.greens[k] ||
                        (std::isnan(block.values[k]) && std::isnan(slice.greens[k])))
                << k << ": " << block.values[k] << " and " << slice.greens[k];
        }
    }

    TemporaryFolder folder;
    GreensJob job;
    const ViscoelasticStages stages{};
    SourceFiles files;
};

TEST_F(SourceReaderTest, ValuesAreThoseOfADatasetInAnyOrderOfCalls) {
    const auto reader = stages.reader(job, path("mesh.h5"));
    const SourceFiles first = {{kFirst, files.at(kFirst)}}, second = {{kSecond, files.at(kSecond)}};
    // A file of another source is no result of this one: it is missing.
    const SourceFiles wrong = {{kFirst, files.at(kSecond)}};

    for (const SourceFiles& some : {second, first, wrong, files, second}) {
        expect_same(reader->read(some), packed(some));
    }
    const io::GreensSlice all = packed(files);
    EXPECT_EQ(reader->epochs_s(), all.epochs_s);
    EXPECT_EQ(reader->station_ids(), all.stations);
    EXPECT_EQ(reader->components(), all.components);
    EXPECT_FALSE(std::isnan(all.greens.front()));
}

TEST_F(SourceReaderTest, AFileThatCannotBeReadLeavesTheReaderAsItWas) {
    const auto reader = stages.reader(job, path("mesh.h5"));
    write_file(path("torn"), "half a file");

    EXPECT_THROW((void)reader->read({{kFirst, files.at(kFirst)}, {kSecond, path("torn")}}), Error);

    expect_same(reader->read(files), packed(files));
}

}  // namespace
}  // namespace kaname::jobs::source_reader_test
