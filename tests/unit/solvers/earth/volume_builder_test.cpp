// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "solvers/base/units.hpp"
#include "solvers/earth/columns.hpp"
#include "solvers/earth/volume_layout.hpp"
#include "tests/unit/solvers/earth/model_files.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::earth::volume_builder_test {
namespace {

using VolumeBuilder = ModelFiles;

TEST_F(VolumeBuilder, FlatLayersHaveTheirThicknessTimesTheArea) {
    const BuiltVolumeModel built = build(model(
        {flat("conrad", 15.0 * kKm), flat("moho", 35.0 * kKm)},
        {volume("upper", "", "conrad"), volume("lower", "", "moho"), volume("mantle", "", "", 1)}));

    const std::vector<double> volumes = volumes_m3(*built.model);

    const double area = 4e10;
    ASSERT_EQ(volumes.size(), 3U);
    EXPECT_NEAR(volumes[0], 15e3 * area, 1e-9 * 15e3 * area);
    EXPECT_NEAR(volumes[1], 20e3 * area, 1e-9 * 20e3 * area);
    EXPECT_NEAR(volumes[2], 65e3 * area, 1e-9 * 65e3 * area);
    EXPECT_EQ(built.model->volumes[2].material->material_at(0.0, 0.0, -90e3), 1);
    EXPECT_EQ(built.model->surfaces[0].height.z(1.0, 2.0), 0.0);
    EXPECT_TRUE(built.notes.empty());
}

TEST_F(VolumeBuilder, DataOfATurnedBoxLieWhereTheProjectionPutsThem) {
    const std::string path = write_grid("dip.csv", [](double lon, double lat) {
        return 20.0 + 6.0 * (lat - 34.0) + 3.0 * (lon - 135.0);
    });
    VolumeLayout layout =
        model({gridded("slab", path)}, {volume("above", "", "slab"), volume("below", "", "")});
    layout.azimuth_rad = 30.0 * kDegree;
    layout.size_u_m = 120.0 * kKm;

    const BuiltVolumeModel built = build(layout);

    const HeightField& height = built.model->surfaces[1].height;
    for (const double u : {-60e3, -13e3, 42e3}) {
        for (const double v : {-99e3, 7e3, 88e3}) {
            // v to N30E, u to the right of it (E30S).
            const LonLat place =
                projection_.inverse({v * std::sin(30.0 * kDegree) + u * std::cos(30.0 * kDegree),
                                     v * std::cos(30.0 * kDegree) - u * std::sin(30.0 * kDegree)});
            const double depth =
                1e3 * (20.0 + 6.0 * (place.lat_deg - 34.0) + 3.0 * (place.lon_deg - 135.0));
            EXPECT_NEAR(-height.z(u, v), depth, 1.0) << u << " " << v;
        }
    }
    EXPECT_EQ(built.model->surfaces[1].extended_fraction, 0.0);
}

TEST_F(VolumeBuilder, ALayerPinchesOutWhereItsSurfacesCross) {
    // The Moho rises northward and crosses the flat Conrad at 34 N: lower crust in the south only.
    const std::string path =
        write_grid("moho.csv", [](double, double lat) { return 20.0 - 10.0 * (lat - 34.0); });
    const BuiltVolumeModel built =
        build(model({flat("conrad", 20.0 * kKm), gridded("moho", path)},
                    {volume("upper", "", "conrad"), volume("lower", "conrad", "moho"),
                     volume("mantle", "", "")}));

    const std::vector<double> volumes = volumes_m3(*built.model);

    const double degree = 110.92e3;  // length of a degree of latitude at 34 N [m]
    const double wedge = 0.5 * 100e3 * (10e3 * 100e3 / degree) * 200e3;
    EXPECT_NEAR(volumes[0], 20e3 * 4e10, 1e-9 * 8e14);
    EXPECT_NEAR(volumes[1], wedge, 0.01 * wedge);
    EXPECT_NEAR(volumes[0] + volumes[1] + volumes[2], 100e3 * 4e10, 1e-9 * 4e15);
    EXPECT_EQ(built.model->volume_at(0.0, 60e3, -19e3), 0);
    EXPECT_EQ(built.model->volume_at(0.0, 60e3, -21e3), 2);
    EXPECT_EQ(built.model->volume_at(0.0, -60e3, -21e3), 1);
}

TEST_F(VolumeBuilder, AVolumeNamedEarlierCutsThroughThoseAfterIt) {
    const std::string path =
        write_grid("slab.csv", [](double, double lat) { return 25.0 + 20.0 * (lat - 34.0); });
    const BuiltVolumeModel built =
        build(model({gridded("slab top", path), below("slab bottom", "slab top", 10.0 * kKm),
                     flat("moho", 30.0 * kKm)},
                    {volume("slab", "slab top", "slab bottom"), volume("crust", "", "moho"),
                     volume("mantle", "", "")}));

    EXPECT_EQ(built.model->volume_at(0.0, 0.0, -24e3), 1);
    EXPECT_EQ(built.model->volume_at(0.0, 0.0, -26e3), 0);  // above the Moho, but in the slab
    EXPECT_EQ(built.model->volume_at(0.0, 0.0, -34e3), 0);
    EXPECT_EQ(built.model->volume_at(0.0, 0.0, -36.5e3), 2);
}

TEST_F(VolumeBuilder, ASlabKeepsItsThicknessUpToTheSidesOfTheBox) {
    // 45 degrees: the balls reach 21 km beyond the side.
    const std::string path =
        write_grid("steep.csv", [](double, double lat) { return 230.0 + 110.92 * (lat - 34.0); });
    VolumeLayout layout = model({gridded("top", path), below("bottom", "top", 30.0 * kKm)},
                                {volume("slab", "top", "bottom"), volume("rest", "", "")});
    layout.depth_m = 400.0 * kKm;

    const BuiltVolumeModel built = build(layout);

    for (const double v : {-100e3, 0.0, 100e3}) {
        const double thickness =
            built.model->surfaces[1].height.z(0.0, v) - built.model->surfaces[2].height.z(0.0, v);
        EXPECT_NEAR(thickness, 30e3 * std::sqrt(2.0), 50.0) << v;
    }
}

TEST_F(VolumeBuilder, ASlabEndsOutsideOfItsOutline) {
    const std::string path =
        write_grid("slab.csv", [](double, double lat) { return 25.0 + 5.0 * (lat - 34.0); });
    SurfaceDefinition bottom = below("bottom", "top", 20.0 * kKm);
    bottom.outline_path = write("outline.csv", "lon_deg,lat_deg\n134,33\n135,33\n135,35\n134,35\n");
    bottom.end_length_m = 40e3;
    const VolumeLayout layout = model({gridded("top", path), bottom},
                                      {volume("slab", "top", "bottom"), volume("rest", "", "", 1)});

    const BuiltVolumeModel built = build(layout);

    const auto thickness = [&](double u) {
        return built.model->surfaces[1].height.z(u, 0.0) -
               built.model->surfaces[2].height.z(u, 0.0);
    };
    const double whole = 20e3 * std::hypot(1.0, 5.0 / 110.92);
    EXPECT_NEAR(thickness(-50e3), whole, 20.0);
    EXPECT_NEAR(thickness(-1e3), whole, 20.0) << "up to the meridian of 135 degrees";
    EXPECT_NEAR(thickness(20e3), 0.5 * whole, 0.01 * whole) << "half on the way";
    EXPECT_NEAR(thickness(45e3), 0.0, 20.0);
    EXPECT_EQ(built.model->volume_at(-30e3, 0.0, -35e3), 0);
    EXPECT_EQ(built.model->volume_at(60e3, 0.0, -35e3), 1);
    bottom.outline_path = write("line.csv", "lon_deg,lat_deg\n134,33\n135,33\n");
    expect_text(refusal(model({gridded("top", path), bottom},
                              {volume("slab", "top", "bottom"), volume("rest", "", "", 1)})),
                {"structure.surfaces[1].outline_path", "corners: 2, must be at least 3"});
}

TEST_F(VolumeBuilder, AHillsideAtTheEdgeOfTheDataIsNoMountainBeyond) {
    const std::string path = write_grid("hill.csv", [](double, double lat) {
        return lat < 34.05 ? -1.0 - 10.0 * std::max(0.0, lat - 33.9) : std::nan("");
    });
    VolumeLayout layout = model({gridded("land", path)}, {volume("all", "", "")});
    layout.free_surface = "land";

    const HeightField height = build(layout).model->surfaces[0].height;

    EXPECT_LT(height.highest(), 2.01e3);
    EXPECT_GT(height.z(0.0, 90e3), 1.9e3);
}

TEST_F(VolumeBuilder, TopographyCutsWhatSticksOutOfIt) {
    const std::string topography =
        write("topography.asc",
              "ncols 5\nnrows 5\nxllcenter 133\nyllcenter 32\ncellsize 1\nNODATA_value -99999\n"
              "-2000 -2000 -2000 -2000 -2000\n-2000 -2000 -2000 -2000 -2000\n"
              "-2000 -2000 -2000 -2000 -2000\n-2000 -2000 -2000 -2000 -2000\n"
              "-2000 -2000 -2000 -2000 -2000\n");
    VolumeLayout layout =
        model({flat("basement", 1.0 * kKm), gridded("sea floor", topography), flat("moho", 30e3)},
              {volume("sediment", "", "basement"), volume("crust", "", "moho"),
               volume("mantle", "", "")});
    layout.free_surface = "sea floor";
    const std::string refused = refusal(layout);
    layout.surfaces[0].depth_m = 3.0 * kKm;

    const BuiltVolumeModel built = build(layout);

    expect_text(refused, {"structure.volumes[0]: volume 'sediment' is nowhere inside the model",
                          "'basement'", "free surface at 2.00 km"});
    EXPECT_EQ(built.model->surfaces[0].name, "sea floor");
    EXPECT_EQ(built.model->surfaces[1].name, "basement");
    EXPECT_EQ(built.model->volume_at(0.0, 0.0, -1.9e3), kAir);
    EXPECT_EQ(built.model->volume_at(0.0, 0.0, -2.5e3), 0);
    EXPECT_NEAR(volumes_m3(*built.model)[0], 1e3 * 4e10, 1e-3 * 4e13);
}

TEST_F(VolumeBuilder, RefusesASeaFloorAtTheBottomOfTheModel) {
    const std::string path = write_grid("sea.csv", [](double lon, double) {
        return lon < 135.0 ? 2.0 : 2.0 + 6.0 * (lon - 135.0);
    });
    VolumeLayout layout = model({gridded("sea floor", path)}, {volume("all", "", "")});
    layout.free_surface = "sea floor";
    layout.depth_m = 5.0 * kKm;

    expect_text(refusal(layout),
                {"structure.free_surface: 'sea floor' reaches the bottom of the model (5.00 km) at "
                 "longitude 136.0",
                 "it is at 8."});
}

TEST_F(VolumeBuilder, GapsAreExtendedAndNoted) {
    const std::string path = write_grid("south.csv", [](double, double lat) {
        return lat < 34.05 ? 30.0 + 5.0 * (lat - 34.0) : std::nan("");
    });

    const BuiltVolumeModel built = build(
        model({gridded("moho", path)}, {volume("crust", "", "moho"), volume("mantle", "", "")}));

    const ModelSurface& moho = built.model->surfaces[1];
    EXPECT_NEAR(moho.extended_fraction, 0.5, 0.03);
    ASSERT_EQ(built.notes.size(), 1U);
    expect_text(built.notes[0], {"surface 'moho'", "% of the plan has no data", path});
    // Value and slope carry on, the slope dying out over 30 km: 5 km per degree from 34 N.
    const double slope = 5.0 / 110.92;
    const double expected = 30e3 + slope * 30e3 * (1.0 - std::exp(-60.0 / 30.0));
    EXPECT_NEAR(-moho.height.z(0.0, 60e3), expected, 150.0);
}

TEST_F(VolumeBuilder, LimitsBendASurfaceAndAreNoted) {
    const std::string path = write_grid(
        "steep.csv", [](double, double lat) { return std::max(-5.0, 20.0 + 60.0 * (lat - 34.0)); });
    VolumeLayout layout =
        model({gridded("slab", path)}, {volume("above", "", "slab"), volume("below", "", "")});
    layout.surfaces[0].has_limits = true;
    layout.surfaces[0].min_depth_m = 8.0 * kKm;
    layout.surfaces[0].max_depth_m = 40.0 * kKm;

    const BuiltVolumeModel built = build(layout);

    const HeightField& height = built.model->surfaces[1].height;
    EXPECT_NEAR(height.lowest(), -40e3, 1e-6);
    EXPECT_NEAR(height.highest(), -8e3, 1e-6);
    EXPECT_NEAR(height.z(0.0, 0.0), -20e3, 50.0);
    expect_text(built.notes.at(0), {"surface 'slab'", "beyond its limits"});
}

TEST_F(VolumeBuilder, HeightsThatNothingHasAreTakenForAWrongUnit) {
    const std::string path =
        write_grid("metres.csv", [](double lon, double) { return -10.0 * lon; });

    const std::string text =
        refusal(model({gridded("high", path)}, {volume("a", "", "high"), volume("b", "", "")}));

    expect_text(text, {"surface 'high'", "1330.000000 km above sea level", "longitude 133",
                       "unit (km, m)"});
}

TEST_F(VolumeBuilder, NamesEverythingThatIsWrongAtOnce) {
    SurfaceDefinition both = flat("both", 1e3);
    both.path = "somewhere.csv";
    SurfaceDefinition limits = flat("limits", 1e3);
    limits.has_limits = true;
    limits.min_depth_m = 5.0;
    VolumeDefinition twofold = volume("twofold", "both", "both");
    twofold.profile_path = "x.nd";
    VolumeLayout layout = model(
        {both, flat("twin", 1e3), flat("twin", 2e3), SurfaceDefinition{}, below("a", "b", 1e3),
         below("b", "a", 1e3), below("lost", "nothing", 1e3), below("thin", "twin", 0.0), limits},
        {volume("open", "", ""), twofold, volume("unbound", "", "none"),
         volume("unbound", "", "twin", 9), volume("last", "twin", "")});
    layout.free_surface = "no such";

    const std::string text = refusal(layout);

    expect_text(
        text,
        {"structure.surfaces[0]: surface 'both' must have exactly one of", "got 2",
         "structure.surfaces[2].name: 'twin' is the name of two surfaces",
         "structure.surfaces[3].name: must not be empty", "got none",
         "structure.surfaces[4].below: must not be circular: 'a' below 'b' below 'a'",
         "structure.surfaces[6].below: surface 'lost' lies below 'nothing', which is "
         "no surface",
         "structure.surfaces[7].thickness_m: surface 'thin' must be finite and > 0",
         "structure.surfaces[8].min_depth_m: surface 'limits' has a constant depth",
         "min_depth_m < max_depth_m, got 5.0", "structure.free_surface: 'no such' is no surface",
         "structure.volumes[0]: volume 'open' has neither top nor bottom",
         "structure.volumes[1].bottom: volume 'twofold' has surface 'both' as its top "
         "and as its bottom",
         "structure.volumes[1]: volume 'twofold' must have exactly one of a material",
         "structure.volumes[2].bottom: volume 'unbound': 'none' is no surface",
         "structure.volumes[3].name: 'unbound' is the name of two volumes",
         "structure.volumes[3].material: volume 'unbound': there is no material 9",
         "structure.volumes[4]: volume 'last' is the last and fills what is left"});
}

TEST_F(VolumeBuilder, RefusesMoreSurfacesThanASideMaskHasBits) {
    std::vector<SurfaceDefinition> surfaces;
    for (int k = 0; k < 62; ++k) {
        surfaces.push_back(flat("s" + std::to_string(k), 100.0 + k));
    }
    VolumeLayout layout = model(surfaces, {volume("a", "", "s0"), volume("b", "", "")});

    expect_text(refusal(layout), {"structure.surfaces: must be at most 62", "got 63"});
    layout.surfaces.pop_back();
    EXPECT_EQ(build(layout).model->surfaces.size(), 62U);
}

TEST_F(VolumeBuilder, FilesAtFaultAreNamedWithTheirSurfaces) {
    const std::string far =
        write("far.csv", "lon_deg,lat_deg,depth_km\n10,50,1\n11,50,1\n10,51,1\n");
    const std::string gap =
        write_grid("gap.csv", [](double lon, double) { return lon > 136.5 ? 10.0 : std::nan(""); });
    const std::string none = write_grid("none.csv", [](double, double) { return std::nan(""); });
    const std::string text = refusal(
        model({gridded("missing", folder_.path().string() + "/missing.grd"), gridded("far", far),
               gridded("gap", gap), gridded("none", none), below("under", "far", 1e3),
               gridded("text", write("text.csv", "hello\nworld\n"))},
              {volume("a", "", "far"), volume("b", "", "")}));

    expect_text(text, {"structure.surfaces[0].path: surface 'missing': ", "missing.grd",
                       "structure.surfaces[1].path: surface 'far': its data (longitude "
                       "10.00..11.00, latitude 50.00..51.00) do not overlap the region (longitude "
                       "133.9",
                       "structure.surfaces[2].path: surface 'gap': its data (longitude "
                       "133.00..137.00, latitude 32.00..36.00) have nothing but gaps inside the "
                       "region",
                       "structure.surfaces[3].path: surface 'none': " + none + ": holds no depth",
                       "structure.surfaces[5].path: surface 'text': ", "lon_deg is missing"});
    EXPECT_EQ(text.find("under"), std::string::npos) << text;  // its base's fault is told once
}

TEST_F(VolumeBuilder, AnOrderThatLeavesAVolumeNowhereSaysWhy) {
    const std::vector<SurfaceDefinition> surfaces = {flat("shallow", 10e3), flat("deep", 40e3),
                                                     flat("abyss", 150e3)};

    const std::string swapped =
        refusal(model(surfaces, {volume("wrong", "deep", "shallow"), volume("rest", "", "")}));
    const std::string covered =
        refusal(model(surfaces, {volume("crust", "", "deep"), volume("sediment", "", "shallow"),
                                 volume("mantle", "", "")}));
    const std::string outside =
        refusal(model(surfaces, {volume("all", "", "abyss"), volume("core", "", "")}));

    expect_text(swapped, {"structure.volumes[0]: volume 'wrong' contradictory order: its top "
                          "'deep' is nowhere above its bottom 'shallow' (at longitude 13",
                          "top at 40.00 km depth, bottom at 10.00 km"});
    expect_text(covered, {"structure.volumes[1]: volume 'sediment' is nowhere: volumes named "
                          "before it cover it everywhere: 'crust'"});
    expect_text(outside, {"structure.volumes[1]: volume 'core' is nowhere", "'all'"});
}

TEST_F(VolumeBuilder, ASmallVolumeIsNotTakenForNowhere) {
    // A lens of 1.5 km radius: no line of the first scan (3.1 km apart) need meet it.
    const std::string path = write_grid(
        "lens.csv",
        [](double lon, double lat) {
            return std::hypot(lon - 135.03, lat - 34.02) < 0.012 ? 12.0 : 9.0;
        },
        0.01);
    VolumeLayout layout = model({flat("top", 10e3), gridded("bottom", path)},
                                {volume("lens", "top", "bottom"), volume("rest", "", "")});

    const double volume = volumes_m3(*build(layout).model)[0];

    EXPECT_GT(volume, 0.5e9);
    EXPECT_LT(volume, 2e3 * 3.2e3 * 3.2e3);
}

TEST_F(VolumeBuilder, RefusesABoxOfNoSizeAndAGridBeyondMemory) {
    VolumeLayout flat_box = model({}, {volume("all", "", "")});
    flat_box.depth_m = 0.0;
    const std::string path = write_grid("fine.csv", [](double, double) { return 10.0; });
    VolumeLayout fine =
        model({gridded("fine", path)}, {volume("a", "", "fine"), volume("b", "", "")});
    fine.surfaces[0].spacing_m = 1.0;

    expect_text(refusal(flat_box), {"region.depth_m: must be finite and > 0"});
    expect_text(refusal(fine), {"structure.surfaces[0].spacing_m: surface 'fine' would need"});
}

}  // namespace
}  // namespace kaname::earth::volume_builder_test

#endif
