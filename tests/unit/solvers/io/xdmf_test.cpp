// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/xdmf.hpp"

#include <cmath>
#include <filesystem>
#include <regex>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "tests/support/virtual_hdf5.hpp"
#include "tests/unit/solvers/io/small_fields.hpp"
#include "tests/unit/solvers/io/xml_facts.hpp"

namespace kaname::io::xdmf_test {
namespace {

class Xdmf : public testing::Test {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
    }
    void write(bool surface, bool volume) const {
        h5::File file(path, h5::File::Mode::Create);
        if (surface) {
            write_surface(file, small_surface());
        }
        if (volume) {
            write_volume(file, small_volume());
        }
        file.close();
    }

    TemporaryFolder folder;
    std::string path = (folder.path() / "two & one.h5").string();
};

h5::Dims numbers(const std::string& text) {
    std::istringstream in(text);
    h5::Dims values;
    for (std::uint64_t value = 0; in >> value;) {
        values.push_back(value);
    }
    return values;
}

/// Arrays in the files have the dimensions that the text states. Returns how many there are.
int expect_arrays(const std::string& xml, const std::filesystem::path& folder) {
    int n = 0;
    const std::regex array(
        "<DataItem Dimensions=\"([0-9 ]+)\" NumberType=\"(Int|Float)\" Precision=\"[48]\" "
        "Format=\"HDF\">([^<]*):/([^<]*)</DataItem>");
    for (std::sregex_iterator at(xml.begin(), xml.end(), array), end; at != end; ++at, ++n) {
        const std::string name = std::regex_replace((*at)[3].str(), std::regex("&amp;"), "&");
        EXPECT_EQ(test::dims_in_hdf5(folder / name, (*at)[4]), numbers((*at)[1])) << (*at)[4];
    }
    EXPECT_EQ(std::size_t(n), count(xml, "Format=\"HDF\""));
    EXPECT_EQ(count(xml, "HyperSlab"), 0U) << "which meshio and Xdmf3 do not take";
    return n;
}

TEST_F(Xdmf, NamesWholeArraysOfTheFileAndOfItsViews) {
    write(true, true);

    const auto written = write_xdmf(path);

    ASSERT_EQ(written.size(), 3u);
    EXPECT_EQ(written[0], (folder.path() / "two & one_surface.xdmf").string());
    EXPECT_EQ(written[1], (folder.path() / "two & one_volume.xdmf").string());
    EXPECT_EQ(written[2], (folder.path() / "two & one_xdmf.h5").string());
    const std::string surface = read_file_if_any(written[0]);
    const std::string volume = read_file_if_any(written[1]);
    expect_well_formed(surface);
    expect_well_formed(volume);
    // Per epoch: mesh and points, longitude and latitude, displacement; and material, strain,
    // stress, three of a receiver.
    EXPECT_EQ(expect_arrays(surface, folder.path()), 3 * (2 + 2 + 1));
    EXPECT_EQ(expect_arrays(volume, folder.path()), 2 * (2 + 2 + 1 + 1 + 2 + 3));
}

TEST_F(Xdmf, HasOneGridPerEpochWithItsTimeAndItsValues) {
    write(true, true);

    const auto written = write_xdmf(path);

    const std::string volume = read_file_if_any(written[1]);
    EXPECT_EQ(count(volume, "CollectionType=\"Temporal\""), 1u);
    EXPECT_EQ(count(volume, "GridType=\"Uniform\""), 2u);
    EXPECT_EQ(count(volume, "<Time Value=\"0\"/>"), 1u);
    EXPECT_EQ(count(volume, "<Time Value=\"30000000\"/>"), 1u);
    EXPECT_EQ(count(volume, "two &amp; one_xdmf.h5:/volume/stress/1</DataItem>"), 1u);
    EXPECT_EQ(count(volume, "AttributeType=\"Matrix\" Center=\"Cell\""), 4u);
    EXPECT_EQ(count(volume, "Name=\"coulomb_pa_strike_slip\""), 2u);
    EXPECT_EQ(count(volume, "dam"), 0u) << "a receiver at a place is no field";
    EXPECT_EQ(
        count(read_file_if_any(written[0]), "TopologyType=\"Triangle_6\" NumberOfElements=\"2\""),
        3u);
    EXPECT_EQ(test::values_in_hdf5(written[2], "volume/stress/1"),
              (std::vector<float>{100, 101, 102, 103, 104, 105, 110, 111, 112, 113, 114, 115}));
    EXPECT_EQ(test::values_in_hdf5(written[2], "surface/displacement/2").at(25), 281.0F)
        << "200 + 10 point + component";
}

TEST_F(Xdmf, ViewsOfAMissingDatasetAreNaN) {
    write(true, false);
    const auto written = write_xdmf(path);
    std::filesystem::remove(path);

    EXPECT_TRUE(std::isnan(test::values_in_hdf5(written.back(), "surface/displacement/0").at(0)));
}

/// Sources b and c of three are done; 4 x 2 x 3 voxels of 0.5 m, every other node.
SeismogramDataset small_waves() {
    SeismogramDataset d;
    d.name = "small";
    d.interval_s = d.step_s = 0.1;
    d.n_samples = 2;
    d.spacing_m = 0.5;
    d.voxels = {4, 2, 3};
    d.origin_m = {-1.0, 2.0, -3.0};
    d.snapshots_s = {0.1, 0.2};
    d.snapshot_stride = 2;
    for (const char* id : {"a", "b", "c&d"}) {
        SeismogramDataset::Source source;
        source.id = id;
        source.function = {0.0, 1.0};
        source.status = source.id == "a" ? 0 : 1;
        d.sources.push_back(source);
    }
    d.receivers.push_back({"r", {}});
    return d;
}

TEST_F(Xdmf, HasSnapshotsOfWavesOnARegularGridBySource) {
    write_seismograms(path, small_waves(), [](std::size_t k) {
        WaveResult result;
        result.seismograms.assign(3 * 2, static_cast<float>(k));
        result.snapshots.displacement_m.assign(2 * 2 * 2 * 3 * 3, static_cast<float>(k));
        return result;
    });

    const auto written = write_xdmf(path);

    ASSERT_EQ(written.size(), 2u);
    EXPECT_EQ(written[0], (folder.path() / "two & one_snapshots.xdmf").string());
    const std::string xml = read_file_if_any(written[0]);
    expect_well_formed(xml);
    EXPECT_EQ(expect_arrays(xml, folder.path()), 2 * 2) << "sources times snapshots";
    EXPECT_EQ(count(xml, "CollectionType=\"Temporal\""), 2u);
    EXPECT_EQ(count(xml, "Name=\"a\""), 0u) << "has no snapshots";
    EXPECT_EQ(count(xml, "Name=\"c&amp;d\""), 3u);
    EXPECT_EQ(count(xml, "TopologyType=\"3DCoRectMesh\" Dimensions=\"2 2 3\""), 4u);
    EXPECT_EQ(count(xml, ">-3 2 -1</DataItem>"), 4u) << "origin z, y, x";
    EXPECT_EQ(count(xml, ">1 1 1</DataItem>"), 4u) << "two voxels";
    EXPECT_EQ(test::values_in_hdf5(written[1], "snapshots/displacement/2_1"),
              std::vector<float>(2 * 2 * 3 * 3, 2.0F))
        << "the last source's second snapshot";
}

TEST_F(Xdmf, IsWrittenOfTheGroupsThatAreThereAndRefusedWithoutAny) {
    write(true, false);
    EXPECT_EQ(write_xdmf(path).size(), 2u);

    write(false, false);
    try {
        (void)write_xdmf(path);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::NotFound);
        EXPECT_NE(std::string(error.what()).find("two & one.h5"), std::string::npos);
    }
}

}  // namespace
}  // namespace kaname::io::xdmf_test
