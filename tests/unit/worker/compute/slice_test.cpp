// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/slice.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "solvers/base/files.hpp"
#include "tests/unit/solvers/io/small_greens.hpp"

namespace kaname::compute::slice_test {
namespace {

struct Block {
    v1::SliceReport report;
    std::vector<double> values;
};

class SliceTest : public testing::Test {
protected:
    Block read(const v1::ReadSliceRequest& wanted) {
        std::ostringstream said;
        Reporter reporter(said);
        const std::string out = folder_.path() / "values";
        slice(file_, wanted, out, reporter);
        const auto event = run::parse_line(said.str().substr(0, said.str().find('\n')));
        const auto& result = std::get<run::Result>(event);
        Block block{report::parse<v1::SliceReport>(result.json, "slice"), {}};
        const std::string bytes = read_file_if_any(out);
        block.values.resize(bytes.size() / sizeof(double));
        std::memcpy(block.values.data(), bytes.data(), bytes.size());
        return block;
    }
    /// Fields of the violations and their messages.
    std::string refused(const v1::ReadSliceRequest& wanted) {
        try {
            (void)read(wanted);
        } catch (const ValidationError& error) {
            return error.what();
        }
        return "";
    }
    /// As many sources and stations as take several blocks.
    void write(std::size_t n_patches, std::size_t n_stations) {
        const io::GreensDataset::Source source = data_.sources.front();
        const io::GreensDataset::Station station = data_.stations.front();
        data_.sources.clear();
        data_.stations.clear();
        data_.greens.clear();
        for (std::size_t k = 0; k < 2 * n_patches; ++k) {
            data_.sources.push_back(source);
            data_.sources.back().patch_id = "p" + std::to_string(k / 2);
            data_.sources.back().id = "p" + std::to_string(k / 2) + (k % 2 == 0 ? "/s" : "/d");
        }
        for (std::size_t k = 0; k < n_stations; ++k) {
            data_.stations.push_back(station);
            data_.stations.back().id = "S" + std::to_string(k);
        }
        data_.greens.resize(data_.sources.size() * data_.epochs_s.size() * n_stations * 3);
        std::iota(data_.greens.begin(), data_.greens.end(), 0.0);
        data_.iterations.assign(data_.sources.size(), 9);
        data_.residual.assign(data_.sources.size(), 1e-9);
        data_.initial_residual.assign(data_.sources.size(), 1.0);
        io::write_greens_dataset(file_, data_);
    }

    TemporaryFolder folder_;
    const std::string file_ = folder_.path() / "greens.h5";
    io::GreensDataset data_ = io::small_greens();
};

TEST_F(SliceTest, AnyNamesGiveWhatTheirIndicesHaveInTheWhole) {
    write(100, 150);
    const std::vector<double> whole = read({}).values;
    std::mt19937 random(20261124);
    const std::size_t n_t = data_.epochs_s.size(), n_n = data_.stations.size();
    const auto some = [&](std::size_t extent) {
        std::vector<std::size_t> all(extent);
        std::iota(all.begin(), all.end(), 0);
        std::ranges::shuffle(all, random);
        all.resize(1 + random() % std::min<std::size_t>(extent, 40));
        return all;
    };
    for (int turn = 0; turn < 20; ++turn) {
        v1::ReadSliceRequest wanted;
        std::vector<std::size_t> sources, epochs;
        const auto stations = some(n_n);
        const bool patches = turn % 2 == 0;
        for (const std::size_t k : some(patches ? 100 : data_.sources.size())) {
            if (patches) {
                wanted.add_patch_ids("p" + std::to_string(k));
                sources.insert(sources.end(), {2 * k, 2 * k + 1});
            } else {
                wanted.add_source_ids(data_.sources[k].id);
                sources.push_back(k);
            }
        }
        for (const std::size_t k : stations) {
            wanted.add_station_ids("S" + std::to_string(k));
        }
        const std::size_t first = random() % n_t, last = first + random() % (n_t - first);
        wanted.set_from_s(data_.epochs_s[first]);
        wanted.set_to_s(data_.epochs_s[last]);
        for (std::size_t t = first; t <= last; ++t) {
            epochs.push_back(t);
        }

        const Block block = read(wanted);

        std::vector<double> expected;
        for (const std::size_t s : sources) {
            for (const std::size_t t : epochs) {
                for (const std::size_t n : stations) {
                    for (std::size_t c = 0; c < 3; ++c) {
                        expected.push_back(whole[((s * n_t + t) * n_n + n) * 3 + c]);
                    }
                }
            }
        }
        ASSERT_EQ(block.values, expected) << "turn " << turn;
        ASSERT_EQ(block.report.source_ids_size(), std::ssize(sources));
        EXPECT_EQ(block.report.source_ids(0), data_.sources[sources.front()].id);
        EXPECT_EQ(block.report.station_ids(0), data_.stations[stations.front()].id);
        EXPECT_EQ(block.report.epochs_s_size(), std::ssize(epochs));
    }
}

TEST_F(SliceTest, NamesAndIndicesOfDifferentAxesGoTogether) {
    io::write_greens_dataset(file_, data_);
    v1::ReadSliceRequest wanted;
    wanted.add_station_ids("D, \"4\"");
    wanted.mutable_sources()->set_start(1);
    wanted.mutable_sources()->set_stride(5);
    wanted.mutable_epochs()->set_count(2);

    const Block block = read(wanted);

    EXPECT_EQ(block.report.source_ids_size(), 3);
    EXPECT_EQ(block.report.epochs_s_size(), 2);
    EXPECT_EQ(block.values.at(0), io::small_value(1, 0, 3, 0));
    EXPECT_EQ(block.values.at(17), io::small_value(11, 1, 3, 2));
}

TEST_F(SliceTest, YearsMeetTheirEpochsWhateverTheRounding) {
    io::write_greens_dataset(file_, data_);
    v1::ReadSliceRequest wanted;
    wanted.set_from_s(std::nextafter(kJulianYear_s, 1e9));
    wanted.set_to_s(std::nextafter(3.5 * kJulianYear_s, 0.0));

    EXPECT_EQ(read(wanted).report.epochs_s_size(), 2);
}

TEST_F(SliceTest, YearsBeyondTheLastEpochAreRefusedWithWhatIsThere) {
    io::write_greens_dataset(file_, data_);
    v1::ReadSliceRequest wanted;
    wanted.set_from_s(kJulianYear_s);
    wanted.set_to_s(20.0 * kJulianYear_s);

    const std::string said = refused(wanted);

    EXPECT_NE(said.find("to_s: must be at most the last of the dataset's "), std::string::npos)
        << said;
    EXPECT_NE(said.find("(20 years); left out it is the last"), std::string::npos) << said;
    wanted.clear_to_s();
    EXPECT_GT(read(wanted).report.epochs_s_size(), 1);
}

TEST_F(SliceTest, WhatTheDatasetLacksIsNamedWithWhatIsNear) {
    io::write_greens_dataset(file_, data_);
    v1::ReadSliceRequest wanted;
    wanted.add_station_ids("M.C");
    wanted.add_station_ids("A");
    for (int k = 0; k < 7; ++k) {
        wanted.add_source_ids("nowhere near " + std::to_string(k));
    }
    wanted.set_from_s(1.5 * kJulianYear_s);
    wanted.set_to_s(2.5 * kJulianYear_s);

    const std::string said = refused(wanted);

    EXPECT_NE(said.find("station_ids: must be ids of the dataset, which lacks 'M.C' (did you mean "
                        "M.B?)"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("'nowhere near 4' and 2 more"), std::string::npos) << said;
    EXPECT_NE(said.find("from_s: must leave an epoch of the dataset's, which lie within "),
              std::string::npos)
        << said;
    EXPECT_NE(said.find(" s (0..3.5 years); these are 0, 1, 3.5 years"), std::string::npos) << said;
}

TEST_F(SliceTest, ContradictionsAreRefusedBeforeAnythingIsRead) {
    v1::ReadSliceRequest wanted;  // of a file that is not there
    wanted.add_station_ids("A");
    wanted.add_station_ids("A");
    wanted.mutable_stations()->set_count(1);
    wanted.add_source_ids("a");
    wanted.add_patch_ids("b");
    wanted.mutable_epochs()->set_stride(2);
    wanted.set_from_s(2);
    wanted.set_to_s(1);
    wanted.mutable_sources()->set_start(-1);

    const std::string said = refused(wanted);

    for (const char* rule :
         {"sources: start, count and stride must be >= 0, got -1, 0, 0",
          "source_ids: must be left out beside sources",
          "patch_ids: must be left out beside source_ids",
          "station_ids: must be left out beside stations", "station_ids: must name each id once",
          "from_s: must be left out beside epochs", "to_s: must be >= from_s = 2, got 1"}) {
        EXPECT_NE(said.find(rule), std::string::npos) << rule << "\n" << said;
    }
}

TEST_F(SliceTest, IndicesThatLeaveTheDatasetAreOutOfRange) {
    io::write_greens_dataset(file_, data_);
    v1::ReadSliceRequest wanted;
    wanted.add_station_ids("A");
    wanted.mutable_sources()->set_start(11);
    wanted.mutable_sources()->set_count(2);
    wanted.mutable_sources()->set_stride(std::numeric_limits<std::int64_t>::max());

    try {
        (void)read(wanted);
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::OutOfRange);
    }
}

TEST_F(SliceTest, OptionsSayWhatAFileSays) {
    SliceOptions options;
    options.sources = "1:2:3";
    options.station_ids = {"A", "B"};
    options.to_s = "1.5e7";

    const v1::ReadSliceRequest wanted = slice_of(options);

    EXPECT_EQ(wanted.sources().stride(), 3);
    EXPECT_EQ(wanted.station_ids(1), "B");
    EXPECT_FALSE(wanted.has_from_s());
    EXPECT_EQ(wanted.to_s(), 1.5e7);
    const std::string file = folder_.path() / "wanted.json";
    write_file(file, report::to_json(wanted));
    SliceOptions by_file;
    by_file.wanted = file;
    EXPECT_EQ(report::to_json(slice_of(by_file)), report::to_json(wanted));
    for (const char* broken : {"1:2", "1:2:3:4", "a:1:1", "", "1::1"}) {
        options.sources = broken;
        if (*broken != '\0') {
            EXPECT_THROW((void)slice_of(options), Error) << broken;
        }
    }
}

}  // namespace
}  // namespace kaname::compute::slice_test
