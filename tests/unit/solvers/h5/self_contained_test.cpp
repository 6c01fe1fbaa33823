// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/h5/file.hpp"
#include "tests/support/indirect_hdf5.hpp"

namespace kaname::h5::self_contained_test {
namespace {

constexpr const char* kCanary = "canary-5f1b8d02";

class SelfContained : public testing::Test {
protected:
    void SetUp() override {
        if (!available()) {
            GTEST_SKIP() << "built without HDF5";
        }
        write_file(path("secret"), kCanary);
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_.path() / name).string();
    }
    /// A file with a dataset of its own beside what a test adds.
    std::string file_with_values(const std::string& name) {
        File file(path(name), File::Mode::Create);
        file.write<double>("group/own", std::vector<double>{1, 2}, {2});
        file.close();
        return path(name);
    }
    /// The error of opening the file, or of reading this dataset of it; empty: it is read.
    static std::string refusal(const std::string& file, const std::string& dataset) {
        try {
            (void)File(file, File::Mode::Read).read<std::uint8_t>(dataset);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
            return error.what();
        }
        return "";
    }

    TemporaryFolder folder_;
};

TEST_F(SelfContained, WhatLeadsOutOfAFileIsRefusedBeforeAnyValueIsRead) {
    for (const auto& [name, kind] : test::kIndirections) {
        for (const char* place : {"here", "group/deeper/here"}) {
            const std::string file = file_with_values("indirect.h5");
            ASSERT_TRUE(test::add_indirection(file, place, kind, path("secret"), {4})) << name;

            for (const std::string& dataset : {std::string(place), std::string("group/own")}) {
                const std::string text = refusal(file, dataset);

                EXPECT_NE(text.find("'/" + std::string(place) + "': "), std::string::npos)
                    << name << ": " << text;
                EXPECT_NE(text.find("must"), std::string::npos) << name << ": " << text;
                EXPECT_EQ(text.find(kCanary), std::string::npos) << name;
                EXPECT_EQ(text.find("99, 97"), std::string::npos) << name;  // "ca" as numbers
            }
        }
    }
}

TEST_F(SelfContained, AVirtualDatasetOfThisLibraryIsReadByNoFileOfIt) {
    const std::string part = file_with_values("part.h5");
    const std::vector<VirtualPart> parts = {{"part.h5", "group/own", {0, 0}}};
    File file(path("index.h5"), File::Mode::Create);
    file.write_virtual("all", {1, 2}, {2}, parts);
    file.close();

    EXPECT_NE(refusal(path("index.h5"), "all").find("virtual dataset"), std::string::npos);
}

TEST_F(SelfContained, AFileOfManyOwnDatasetsIsRead) {
    File file(path("many.h5"), File::Mode::Create);
    for (int k = 0; k < 300; ++k) {
        file.write<std::uint8_t>("group" + std::to_string(k % 7) + "/" + std::to_string(k),
                                 std::vector<std::uint8_t>{7}, {1}, {1});
    }
    file.close();

    EXPECT_EQ(refusal(path("many.h5"), "group1/1"), "");
}

TEST_F(SelfContained, GroupsThatAreTooDeepAreRefused) {
    File file(path("deep.h5"), File::Mode::Create);
    std::string name = "g";
    for (int k = 0; k < 40; ++k) {
        name += "/g";
    }
    file.write<std::uint8_t>(name, std::vector<std::uint8_t>{7}, {1});
    file.close();

    EXPECT_NE(refusal(path("deep.h5"), name).find("at most 32 groups"), std::string::npos);
}

TEST_F(SelfContained, ValuesThatAFilePromisesAndDoesNotStoreGetNoMemory) {
    File file(path("bomb.h5"), File::Mode::Create);
    file.create<std::uint8_t>("axis", {200'000'000}, {1 << 20});
    file.create<std::uint8_t>("chunk", {30'000, 30'000}, {30'000, 30'000});
    file.create<std::uint8_t>("small", {1 << 20}, {1 << 10});
    file.close();

    EXPECT_NE(refusal(path("bomb.h5"), "axis")
                  .find("'axis': needs 200000000 bytes of memory, of which the file must store at "
                        "least one in 1100, got 0"),
              std::string::npos);
    EXPECT_EQ(refusal(path("bomb.h5"), "small"), "");
    const File bomb(path("bomb.h5"), File::Mode::Read);
    EXPECT_THROW((void)bomb.read_block<double>("axis", {0}, {100'000'000}, {1}), Error);
    // One value of a chunk that is unpacked as a whole.
    EXPECT_THROW((void)bomb.read_block<std::uint8_t>("chunk", {0, 0}, {1, 1}, {1, 1}), Error);
}

TEST_F(SelfContained, TextsThatAreRepeatedGetNoMoreMemoryThanTheFileStores) {
    const std::string file = file_with_values("texts.h5");
    ASSERT_TRUE(test::add_repeated_text(file, "few", 3, 1 << 20));
    ASSERT_TRUE(test::add_repeated_text(file, "many", 4096, 1 << 20));  // 4 GiB
    const File texts(file, File::Mode::Read);

    EXPECT_EQ(texts.read_strings("few").back().size(), 1U << 20U);
    try {
        (void)texts.read_strings("many");
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("its texts are more than it stores"),
                  std::string::npos)
            << error.what();
    }
}

TEST_F(SelfContained, LargeValuesThatAreStoredAreRead) {
    constexpr std::uint64_t kMany = 65U << 20U;  // bytes, above what needs no store
    File file(path("large.h5"), File::Mode::Create);
    file.write<std::uint8_t>("x", std::vector<std::uint8_t>(kMany, 7), {kMany}, {1U << 20U});
    file.close();

    EXPECT_EQ(refusal(path("large.h5"), "x"), "");
}

}  // namespace
}  // namespace kaname::h5::self_contained_test
