// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/vtu_export.hpp"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <regex>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/unit/solvers/io/small_fields.hpp"
#include "tests/unit/solvers/io/xml_facts.hpp"

namespace kaname::io::vtu_export_test {
namespace {

class VtuExport : public testing::Test {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
        h5::File file(path, h5::File::Mode::Create);
        write_surface(file, small_surface());
        write_volume(file, small_volume());
        file.close();
    }
    std::string out(const char* name) const { return (folder.path() / "vtu" / name).string(); }

    TemporaryFolder folder;
    std::string path = (folder.path() / "greens.h5").string();
};

/// An array of a file, by its description and the bytes behind the underscore.
template <class T>
std::vector<T> array_of(const std::string& path, const std::string& name) {
    const std::string text = read_file_if_any(path);
    const std::size_t raw = text.find("<AppendedData encoding=\"raw\">\n_") + 31;
    std::smatch found;
    EXPECT_TRUE(
        std::regex_search(text, found, std::regex("Name=\"" + name + "\"[^>]*offset=\"([0-9]+)")));
    const std::size_t at = raw + std::stoul(found[1]);
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    std::vector<T> values(bytes / sizeof(T));
    std::memcpy(values.data(), text.data() + at + sizeof bytes, bytes);
    return values;
}

TEST_F(VtuExport, WritesAFileForEachTimeAndTheirListForParaView) {
    const auto written = export_vtu(path, (folder.path() / "vtu").string(), std::nullopt);

    ASSERT_EQ(written, (std::vector<std::string>{out("surface_0000.vtu"), out("surface_0001.vtu"),
                                                 out("surface_0002.vtu"), out("surface.pvd"),
                                                 out("volume_0000.vtu"), out("volume_0001.vtu"),
                                                 out("volume.pvd"), out("manifest.json")}));
    const std::string list = read_file_if_any(written[6]);
    expect_well_formed(list);
    EXPECT_EQ(count(list, "timestep=\"30000000\" part=\"0\" file=\"volume_0001.vtu\""), 1U);
}

TEST_F(VtuExport, HasMeshesAndFieldsOfTheDataset) {
    const auto written = export_vtu(path, (folder.path() / "vtu").string(), std::nullopt);

    EXPECT_EQ(array_of<double>(written[4], "Points"), small_volume().xyz_m);
    EXPECT_EQ(array_of<std::int32_t>(written[4], "connectivity"), small_volume().tets);
    EXPECT_EQ(array_of<std::int32_t>(written[4], "material"), small_volume().material);
    EXPECT_EQ(array_of<double>(written[4], "lon_deg"), small_volume().lon_deg);
    EXPECT_EQ(array_of<float>(written[5], "stress_pa"),
              (std::vector<float>{100, 101, 102, 103, 104, 105, 110, 111, 112, 113, 114, 115}));
    EXPECT_EQ(array_of<float>(written[2], "displacement_m").at(25), 281.0F);
    EXPECT_EQ(array_of<std::uint8_t>(written[0], "types"), (std::vector<std::uint8_t>{22, 22}));
}

TEST_F(VtuExport, TakesOneTimeByItsYearsAndNamesTheNearestOfAnother) {
    const double years = 3e7 / 31557600.0;

    const auto written = export_vtu(path, (folder.path() / "vtu").string(), years);

    EXPECT_EQ(written.size(), 5U) << "a file and a list of each group, the manifest";
    try {
        (void)export_vtu(path, (folder.path() / "none").string(), 1.5);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_NE(std::string(error.what()).find("got 1.5; the nearest is 0.950643"),
                  std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace kaname::io::vtu_export_test
