// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/h5/file.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/support/python_check.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::h5::file_test {
namespace {

class H5File : public testing::Test {
protected:
    void SetUp() override {
        if (!available()) {
            GTEST_SKIP() << "built without HDF5";
        }
    }
    [[nodiscard]] std::string path(const char* name) const { return folder_.path(name); }

    template <typename Call>
    static std::string message_of(ErrorCode code, Call call) {
        try {
            call();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code) << error.what();
            return error.what();
        }
        ADD_FAILURE() << "no error";
        return {};
    }

    support::TemporaryFolder folder_;
};

TEST_F(H5File, GivesBackWhatWasWritten) {
    const std::vector<double> numbers = {1.5, -2.0, 3.25, 0.0, 1e300, -1e-300};
    const std::vector<std::int8_t> flags = {0, 1, -2};
    const std::vector<std::string> names = {"N.A01", "", "室戸"};
    const std::string long_text(200000, 'x');

    {
        File file(path("a.h5"), File::Mode::Create);
        file.write<double>("numbers", numbers, {2, 3}, {1, 3});
        file.write<std::int8_t>("flags", flags, {3});
        file.write_strings("names", names);
        file.set_attribute("/", "text", long_text);
        file.set_attribute("numbers", "units", std::string("m"));
        file.set_attribute("numbers", "tolerance", 1e-8);
        file.set_attribute("/", "dof", std::int64_t{1} << 40);
        file.close();
    }
    const File file(path("a.h5"), File::Mode::Read);

    EXPECT_EQ(file.dims("numbers"), (Dims{2, 3}));
    EXPECT_EQ(file.read<double>("numbers", {2, h5::kAny}), numbers);
    EXPECT_EQ(file.read<std::int8_t>("flags"), flags);
    EXPECT_EQ(file.read_strings("names"), names);
    EXPECT_EQ(file.string_attribute("/", "text"), long_text);
    EXPECT_EQ(file.string_attribute("numbers", "units"), "m");
    EXPECT_EQ(file.double_attribute("numbers", "tolerance"), 1e-8);
    EXPECT_EQ(file.int_attribute("/", "dof"), std::int64_t{1} << 40);
    EXPECT_TRUE(file.has("names"));
    EXPECT_FALSE(file.has("name"));
}

TEST_F(H5File, NamesFileAndDatasetInErrors) {
    {
        File file(path("a.h5"), File::Mode::Create);
        file.write<double>("x", std::vector<double>{1, 2}, {2});
    }
    const File file(path("a.h5"), File::Mode::Read);

    const std::string missing =
        message_of(ErrorCode::InvalidArgument, [&] { (void)file.read<double>("y"); });
    const std::string shape =
        message_of(ErrorCode::InvalidArgument, [&] { (void)file.read<double>("x", {3}); });

    EXPECT_NE(missing.find("a.h5: 'y': no such dataset"), std::string::npos) << missing;
    EXPECT_NE(shape.find("'x': has shape [2], must be [3]"), std::string::npos) << shape;
}

TEST_F(H5File, TellsMissingFromForeignFromTruncated) {
    std::ofstream(path("text.h5")) << "lon_deg,lat_deg\n";
    {
        File file(path("whole.h5"), File::Mode::Create);
        file.write<double>("x", std::vector<double>(1000), {1000});
    }
    std::filesystem::copy_file(path("whole.h5"), path("half.h5"));
    std::filesystem::resize_file(path("half.h5"), 4000);
    const auto open = [this](const char* name) {
        return [this, name] { File(path(name), File::Mode::Read); };
    };

    message_of(ErrorCode::NotFound, open("none.h5"));
    const std::string foreign = message_of(ErrorCode::InvalidArgument, open("text.h5"));
    const std::string truncated = message_of(ErrorCode::InvalidArgument, open("half.h5"));

    const std::string folder =
        message_of(ErrorCode::InvalidArgument, [this] { File(path("."), File::Mode::Read); });

    EXPECT_NE(foreign.find("is not an HDF5 file"), std::string::npos);
    EXPECT_NE(folder.find("is a folder: name a file in it"), std::string::npos);
    EXPECT_NE(truncated.find("truncated or damaged"), std::string::npos);
}

TEST_F(H5File, RefusesShapeThatDisagreesWithValues) {
    File file(path("a.h5"), File::Mode::Create);

    message_of(ErrorCode::InvalidArgument, [&] {
        file.write<double>("x", std::vector<double>{1, 2, 3}, {2});
    });
}

TEST_F(H5File, NoneAreNoneWhereNoneAreExpected) {
    {
        File file(path("a.h5"), File::Mode::Create);
        file.write<double>("x", std::vector<double>{1, 2, 3}, {3});
        file.close();
    }
    const File file(path("a.h5"), File::Mode::Read);
    const std::string message =
        message_of(ErrorCode::InvalidArgument, [&] { (void)file.read<double>("x", {0}); });
    EXPECT_NE(message.find("'x': has shape [3], must be [0]"), std::string::npos) << message;
    EXPECT_EQ(file.read<double>("x", {kAny}).size(), 3U);
}

TEST_F(H5File, RefusesMoreValuesThanMemoryHolds) {
    {
        File file(path("huge.h5"), File::Mode::Create);
        const std::uint64_t many = std::uint64_t{1} << 32U;  // of two axes: 2^64 values
        file.create<double>("grid", {many, many}, {1, 1});
        file.create<double>("none", {many, many, 0}, {1, 1, 1});
        file.close();
    }
    const File file(path("huge.h5"), File::Mode::Read);
    const std::string message =
        message_of(ErrorCode::InvalidArgument, [&] { (void)file.read<double>("grid"); });
    EXPECT_NE(message.find("'grid': has shape [4294967296, 4294967296], more values than memory"),
              std::string::npos)
        << message;
    EXPECT_TRUE(file.read<double>("none").empty());
}

TEST_F(H5File, RefusesAttributesOfSeveralTexts) {
    if (test::python_check("tests/unit/solvers/h5/write_text_lists.py", {path("texts.h5")}) ==
        test::kSkipped) {
        GTEST_SKIP() << "without h5py";
    }
    const File file(path("texts.h5"), File::Mode::Read);
    EXPECT_EQ(file.string_attribute("/", "one"), "text");
    for (const char* name : {"several", "fixed", "empty"}) {
        message_of(ErrorCode::InvalidArgument, [&] { (void)file.string_attribute("/", name); });
    }
}

TEST_F(H5File, BlocksWhoseEndIsBeyond64BitsAreOutside) {
    {
        File file(path("a.h5"), File::Mode::Create);
        file.write<double>("x", std::vector<double>{1, 2, 3}, {3});
        file.close();
    }
    const File file(path("a.h5"), File::Mode::Read);
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 63U;
    message_of(ErrorCode::InvalidArgument,
               [&] { (void)file.read_block<double>("x", {1}, {3}, {kHalf}); });
    EXPECT_EQ(file.read_block<double>("x", {0}, {2}, {2}), (std::vector<double>{1, 3}));
}

TEST_F(H5File, BlocksFillADatasetThatWasCreatedEmpty) {
    {
        File file(path("a.h5"), File::Mode::Create);
        file.create<float>("x", {3, 2});
        file.write_block<float>("x", std::vector<float>{5, 6}, {2, 0}, {1, 2});
        file.write_block<float>("x", std::vector<float>{1, 3}, {0, 0}, {2, 1});
        file.write_block<float>("x", std::vector<float>{2, 4}, {0, 1}, {2, 1});
    }

    const File file(path("a.h5"), File::Mode::Read);

    EXPECT_EQ(file.read<double>("x", {3, 2}), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST_F(H5File, RefusesToWriteABlockThatDoesNotFit) {
    File file(path("a.h5"), File::Mode::Create);
    file.create<double>("x", {3, 2});
    const std::vector<double> two = {1, 2};
    const auto write = [&](const Dims& start, const Dims& count) {
        return message_of(ErrorCode::InvalidArgument,
                          [&] { file.write_block<double>("x", two, start, count); });
    };

    EXPECT_NE(write({2, 0}, {2, 1})
                  .find("'x': has shape [3, 2], which must hold the block from "
                        "[2, 0] of [2, 1]"),
              std::string::npos);
    write({0, 0}, {1, 1});
    write({0}, {2});
    write({4, 0}, {1, 2});
}

TEST_F(H5File, FailedAtomicWriteLeavesOldFileAndNoPart) {
    write_atomically(path("a.h5"),
                     [](File& file) { file.write<double>("x", std::vector<double>{1}, {1}); });

    EXPECT_THROW(write_atomically(path("a.h5"),
                                  [](File&) { throw Error(ErrorCode::Internal, "interrupted"); }),
                 Error);

    EXPECT_FALSE(std::filesystem::exists(path("a.h5.part")));
    EXPECT_EQ(File(path("a.h5"), File::Mode::Read).read<double>("x").front(), 1.0);
}

TEST_F(H5File, AtomicWriteIntoMissingFolderNamesThePath) {
    const std::string text = message_of(ErrorCode::Unavailable,
                                        [&] { write_atomically(path("none/a.h5"), [](File&) {}); });

    EXPECT_NE(text.find("none/a.h5"), std::string::npos);
}

}  // namespace
}  // namespace kaname::h5::file_test
