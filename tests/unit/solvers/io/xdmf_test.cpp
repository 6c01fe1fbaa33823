// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/xdmf.hpp"

#include <regex>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
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

std::uint64_t product(const h5::Dims& dims) {
    std::uint64_t result = 1;
    for (const std::uint64_t extent : dims) {
        result *= extent;
    }
    return result;
}

/// Arrays in the file have the dimensions that the text states; hyperslabs lie within them and
/// fill what they say. Returns how many there are.
int expect_arrays(const std::string& xml, const std::string& data_file, const h5::File& file) {
    int n = 0;
    const std::regex array(
        "<DataItem Dimensions=\"([0-9 ]+)\" NumberType=\"(Int|Float)\" Precision=\"[48]\" "
        "Format=\"HDF\">([^<]*):/([^<]*)</DataItem>");
    for (std::sregex_iterator at(xml.begin(), xml.end(), array), end; at != end; ++at, ++n) {
        EXPECT_EQ((*at)[3], data_file);
        EXPECT_EQ(file.dims((*at)[4]), numbers((*at)[1])) << (*at)[4];
    }
    EXPECT_EQ(std::size_t(n), count(xml, "Format=\"HDF\""));
    const std::regex slab(
        "<DataItem ItemType=\"HyperSlab\" Dimensions=\"([0-9 ]+)\"><DataItem Dimensions=\"3 "
        "([0-9]+)\" NumberType=\"Int\" Format=\"XML\">([0-9 ]+)</DataItem><DataItem "
        "Dimensions=\"([0-9 ]+)\"");
    for (std::sregex_iterator at(xml.begin(), xml.end(), slab), end; at != end; ++at) {
        const h5::Dims block = numbers((*at)[3]);
        const h5::Dims whole = numbers((*at)[4]);
        EXPECT_EQ(std::to_string(whole.size()), (*at)[2]);
        EXPECT_EQ(block.size(), 3 * whole.size());
        std::uint64_t values = 1;
        for (std::size_t axis = 0; axis < whole.size(); ++axis) {
            const std::uint64_t extent = block[2 * whole.size() + axis];
            EXPECT_EQ(block[whole.size() + axis], 1u);
            EXPECT_LE(block[axis] + extent, whole[axis]);
            values *= extent;
        }
        EXPECT_EQ(values, product(numbers((*at)[1])));
    }
    return n;
}

TEST_F(Xdmf, NamesArraysOfTheFileWithTheirDimensions) {
    write(true, true);

    const auto written = write_xdmf(path);

    ASSERT_EQ(written.size(), 2u);
    EXPECT_EQ(written[0], (folder.path() / "two & one_surface.xdmf").string());
    EXPECT_EQ(written[1], (folder.path() / "two & one_volume.xdmf").string());
    const h5::File file(path, h5::File::Mode::Read);
    const std::string surface = read_file_if_any(written[0]);
    const std::string volume = read_file_if_any(written[1]);
    expect_well_formed(surface);
    expect_well_formed(volume);
    // Per epoch: mesh and places, displacement; and material, strain, stress, three of a receiver.
    EXPECT_EQ(expect_arrays(surface, "two &amp; one.h5", file), 3 * 3);
    EXPECT_EQ(expect_arrays(volume, "two &amp; one.h5", file), 2 * (2 + 1 + 3 + 3));
}

TEST_F(Xdmf, HasOneGridPerEpochWithItsTimeAndItsBlock) {
    write(true, true);
    const h5::File file(path, h5::File::Mode::Read);

    const std::string volume = volume_xdmf(file, "x.h5");

    EXPECT_EQ(count(volume, "CollectionType=\"Temporal\""), 1u);
    EXPECT_EQ(count(volume, "GridType=\"Uniform\""), 2u);
    EXPECT_EQ(count(volume, "<Time Value=\"0\"/>"), 1u);
    EXPECT_EQ(count(volume, "<Time Value=\"30000000\"/>"), 1u);
    EXPECT_EQ(count(volume, ">1 0 0 1 1 1 1 2 6</DataItem>"), 2u) << "strain, stress, second epoch";
    EXPECT_EQ(count(volume, "AttributeType=\"Matrix\" Center=\"Cell\""), 4u);
    EXPECT_EQ(count(volume, "Name=\"coulomb_pa_strike_slip\""), 2u);
    EXPECT_EQ(count(volume, "dam"), 0u) << "a receiver at a place is no field";
    EXPECT_EQ(
        count(surface_xdmf(file, "x.h5"), "TopologyType=\"Triangle_6\" NumberOfElements=\"2\""),
        3u);
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

    ASSERT_EQ(written.size(), 1u);
    EXPECT_EQ(written[0], (folder.path() / "two & one_snapshots.xdmf").string());
    const h5::File file(path, h5::File::Mode::Read);
    const std::string xml = read_file_if_any(written[0]);
    expect_well_formed(xml);
    EXPECT_EQ(expect_arrays(xml, "two &amp; one.h5", file), 2 * 2) << "sources times snapshots";
    EXPECT_EQ(count(xml, "CollectionType=\"Temporal\""), 2u);
    EXPECT_EQ(count(xml, "Name=\"a\""), 0u) << "has no snapshots";
    EXPECT_EQ(count(xml, "Name=\"c&amp;d\""), 3u);
    EXPECT_EQ(count(xml, "TopologyType=\"3DCoRectMesh\" Dimensions=\"2 2 3\""), 4u);
    EXPECT_EQ(count(xml, ">-3 2 -1</DataItem>"), 4u) << "origin z, y, x";
    EXPECT_EQ(count(xml, ">1 1 1</DataItem>"), 4u) << "two voxels";
    EXPECT_EQ(count(xml, "<DataItem ItemType=\"HyperSlab\" Dimensions=\"2 2 3 3\">"), 4u);
    EXPECT_EQ(count(xml, ">2 1 0 0 0 0 1 1 1 1 1 1 1 1 2 2 3 3</DataItem>"), 1u)
        << "the last source's second snapshot";
}

TEST_F(Xdmf, IsWrittenOfTheGroupsThatAreThereAndRefusedWithoutAny) {
    write(true, false);
    EXPECT_EQ(write_xdmf(path).size(), 1u);

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
