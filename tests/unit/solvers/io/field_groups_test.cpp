// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/io/dataset/fields.hpp"
#include "tests/support/python_check.hpp"
#include "tests/unit/solvers/io/small_fields.hpp"

namespace kaname::io::field_groups_test {
namespace {

class FieldGroups : public testing::Test {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
    }
    void write(const SurfaceFields* surface, const VolumeDataset* volume) const {
        h5::File file(path, h5::File::Mode::Create);
        if (surface != nullptr) {
            write_surface(file, *surface);
        }
        if (volume != nullptr) {
            write_volume(file, *volume);
        }
        file.close();
    }

    TemporaryFolder folder;
    std::string path = (folder.path() / "fields.h5").string();
};

TEST_F(FieldGroups, ReadBackEveryFieldOfTheSurface) {
    const SurfaceFields surface = small_surface();

    write(&surface, nullptr);
    const h5::File file(path, h5::File::Mode::Read);
    const auto back = read_surface(file);

    ASSERT_TRUE(back);
    EXPECT_EQ(back->epochs_s, surface.epochs_s);
    EXPECT_EQ(back->xyz_m, surface.xyz_m);
    EXPECT_EQ(back->lon_deg, surface.lon_deg);
    EXPECT_EQ(back->lat_deg, surface.lat_deg);
    EXPECT_EQ(back->faces, surface.faces);
    EXPECT_EQ(back->displacement_m, surface.displacement_m);
    EXPECT_FALSE(read_volume(file));
}

TEST_F(FieldGroups, ReadBackEveryFieldOfTheVolume) {
    const VolumeDataset volume = small_volume();

    write(nullptr, &volume);
    const h5::File file(path, h5::File::Mode::Read);
    const auto back = read_volume(file);

    ASSERT_TRUE(back);
    EXPECT_EQ(back->epochs_s, volume.epochs_s);
    EXPECT_EQ(back->xyz_m, volume.xyz_m);
    EXPECT_EQ(back->lon_deg, volume.lon_deg);
    EXPECT_EQ(back->lat_deg, volume.lat_deg);
    EXPECT_EQ(back->tets, volume.tets);
    EXPECT_EQ(back->material, volume.material);
    EXPECT_EQ(back->materials, volume.materials);
    EXPECT_EQ(back->displacement_m, volume.displacement_m);
    EXPECT_EQ(back->strain, volume.strain);
    EXPECT_EQ(back->stress_pa, volume.stress_pa);
    ASSERT_EQ(back->receivers.size(), 2u);
    for (std::size_t k = 0; k < 2; ++k) {
        const auto& found = back->receivers[k];
        const auto& expected = volume.receivers[k];
        EXPECT_EQ(found.name, expected.name);
        EXPECT_EQ(found.strike_deg, expected.strike_deg);
        EXPECT_EQ(found.dip_deg, expected.dip_deg);
        EXPECT_EQ(found.rake_deg, expected.rake_deg);
        EXPECT_EQ(found.friction, expected.friction);
        EXPECT_EQ(found.skempton, expected.skempton);
        EXPECT_EQ(found.shear_pa, expected.shear_pa);
        EXPECT_EQ(found.normal_pa, expected.normal_pa);
        EXPECT_EQ(found.coulomb_pa, expected.coulomb_pa);
        EXPECT_EQ(found.shear_error_pa, expected.shear_error_pa);
        EXPECT_EQ(found.normal_error_pa, expected.normal_error_pa);
        EXPECT_EQ(found.coulomb_error_pa, expected.coulomb_error_pa);
        EXPECT_EQ(found.at.has_value(), expected.at.has_value());
    }
    EXPECT_EQ(back->receivers[1].at->lon_deg, 135.002);
    EXPECT_EQ(back->receivers[1].at->lat_deg, 34.003);
    EXPECT_EQ(back->receivers[1].at->depth_m, 500.0);
    EXPECT_EQ(back->receivers[1].at->tet, 1);
    EXPECT_FALSE(read_surface(file));
}

TEST_F(FieldGroups, DoWithoutLongitudesAndReceivers) {
    VolumeDataset volume = small_volume();
    volume.lon_deg.clear();
    volume.lat_deg.clear();
    volume.receivers.clear();

    write(nullptr, &volume);
    const auto back = read_volume(h5::File(path, h5::File::Mode::Read));

    ASSERT_TRUE(back);
    EXPECT_TRUE(back->lon_deg.empty());
    EXPECT_TRUE(back->receivers.empty());
}

TEST_F(FieldGroups, RefuseShapesThatDisagreeByName) {
    const auto message_of = [&](const SurfaceFields* surface, const VolumeDataset* volume) {
        try {
            write(surface, volume);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    SurfaceFields surface = small_surface();
    surface.displacement_m.pop_back();
    EXPECT_NE(message_of(&surface, nullptr).find("surface.displacement_m has 80 values"),
              std::string::npos);
    VolumeDataset volume = small_volume();
    volume.stress_pa.pop_back();
    EXPECT_NE(message_of(nullptr, &volume).find("volume.stress_pa has 23 values, must have 24"),
              std::string::npos);
    volume = small_volume();
    volume.receivers[0].normal_pa.pop_back();
    EXPECT_NE(message_of(nullptr, &volume).find("receiver/strike_slip/normal has 3 values"),
              std::string::npos);
}

TEST_F(FieldGroups, OpenInXarrayWithNamedAxesAndUnits) {
    const SurfaceFields surface = small_surface();
    const VolumeDataset volume = small_volume();
    write(&surface, &volume);

    const int code = test::python_check("tests/unit/solvers/io/check_fields_xarray.py", {path});

    if (code == test::kSkipped) {
        GTEST_SKIP() << "python3-xarray or python3-netcdf4 is not installed";
    }
    EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace kaname::io::field_groups_test
