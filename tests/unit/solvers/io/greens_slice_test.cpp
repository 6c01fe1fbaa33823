// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/greens_slice.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "solvers/h5/file.hpp"

namespace kaname::io::greens_slice_test {
namespace {

std::vector<std::string> names(std::size_t n) {
    std::vector<std::string> names(n);
    for (std::size_t k = 0; k < n; ++k) {
        names[k] = std::to_string(k);
    }
    return names;
}

class GreensSliceTest : public testing::Test {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
    }
    /// A dataset of this shape; its values count on from 0, or are whatever HDF5 fills in.
    void write(const h5::Dims& dims, bool counted) {
        h5::File file(path_, h5::File::Mode::Create);
        file.write_strings("source", names(dims[0]));
        const std::vector<double> epochs(dims[1]);
        file.write<double>("epoch", epochs, {dims[1]});
        file.write_strings("station", names(dims[2]));
        file.write_strings("component", names(3));
        const h5::Dims chunk = {std::min<std::uint64_t>(dims[0], 64),
                                std::min<std::uint64_t>(dims[1], 32),
                                std::min<std::uint64_t>(dims[2], 21), 3};
        if (counted) {
            std::vector<double> values(dims[0] * dims[1] * dims[2] * 3);
            std::iota(values.begin(), values.end(), 0.0);
            file.write<double>("greens", values, dims, chunk);
        } else {
            file.create<double>("greens", dims, chunk);
        }
        file.close();
    }
    static std::vector<double> joined(GreensSliceReader&& reader, std::size_t most) {
        std::vector<double> values;
        for (std::vector<double> piece; !(piece = reader.next()).empty();) {
            EXPECT_LE(piece.size(), std::max<std::size_t>(3, most));
            values.insert(values.end(), piece.begin(), piece.end());
        }
        return values;
    }

    const TemporaryFolder folder_;
    const std::string path_ = folder_.path() / "greens.h5";
};

TEST_F(GreensSliceTest, PiecesOfAnySizeAreTheBlock) {
    constexpr std::size_t kEpochs = 5, kStations = 90;
    write({70, kEpochs, kStations, 3}, true);
    const GreensIndices scattered = {{69, 3, 3, 4, 50}, {4, 0, 1}, {80, 2, 1, 3, 40, 7, 89}};
    std::vector<double> expected, stepped;
    const auto add = [&](std::vector<double>& to, std::int64_t s, std::int64_t t, std::int64_t n) {
        for (std::size_t c = 0; c < 3; ++c) {
            to.push_back(static_cast<double>(
                ((static_cast<std::size_t>(s) * kEpochs + static_cast<std::size_t>(t)) * kStations +
                 static_cast<std::size_t>(n)) *
                    3 +
                c));
        }
    };
    for (const std::int64_t s : scattered.sources) {
        for (const std::int64_t t : scattered.epochs) {
            for (const std::int64_t n : scattered.stations) {
                add(expected, s, t, n);
            }
        }
    }
    for (const std::int64_t s : {10, 17, 24}) {
        for (const std::int64_t t : {0, 2, 4}) {
            for (std::int64_t n = 1; n < 90; n += 3) {
                add(stepped, s, t, n);
            }
        }
    }

    for (const std::size_t most : {1, 3, 10, 21, 62, 90, 100, 270, 1000, 100000}) {
        SCOPED_TRACE(most);
        EXPECT_EQ(joined({path_, scattered, most}, most), expected);
        EXPECT_EQ(joined({path_, {10, 3, 7}, {0, 0, 2}, {1, 30, 3}, most}, most), stepped);
    }
    EXPECT_EQ(read_greens_slice(path_, scattered).greens, expected);
    EXPECT_TRUE(joined({path_, GreensIndices{{1}, {}, {1}}}, 1).empty());
}

TEST_F(GreensSliceTest, OfTwoHundredMegabytesAPieceIsAFew) {
    write({50, 100, 1700, 3}, false);
    GreensSliceReader reader(path_, IndexRange{}, IndexRange{}, IndexRange{});
    std::size_t n = 0, largest = 0;

    for (std::vector<double> piece; !(piece = reader.next()).empty();) {
        n += piece.size();
        largest = std::max(largest, piece.size());
    }

    EXPECT_EQ(n, std::size_t{50} * 100 * 1700 * 3);
    EXPECT_LE(largest * sizeof(double), std::size_t{4} << 20U);
    EXPECT_EQ(reader.axes().stations.size(), 1700U);
}

}  // namespace
}  // namespace kaname::io::greens_slice_test
