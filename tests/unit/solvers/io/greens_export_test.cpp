// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/greens/greens_export.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numbers>
#include <sstream>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/h5/file.hpp"
#include "tests/unit/solvers/io/small_greens.hpp"

namespace kaname::io::greens_export_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPatches = 6;
constexpr std::size_t kStations = 4;

class GreensExport : public testing::Test {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
    }
    /// Exports the dataset to a folder of its own.
    std::vector<std::string> to(const std::string& layout, const GreensExportOptions& options = {},
                                const GreensDataset& dataset = small_greens()) {
        write_greens_dataset(path, dataset);
        out = folder.path() / ("out" + std::to_string(++n_exports));
        return export_greens(path, layout, out.string(), options);
    }
    /// Message of what the export throws as InvalidArgument; nothing may be left.
    std::string refusal(const std::string& layout, const GreensExportOptions& options = {},
                        const GreensDataset& dataset = small_greens()) {
        try {
            (void)to(layout, options, dataset);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
            EXPECT_FALSE(fs::exists(out)) << error.what();
            return error.what();
        }
        return "nothing was refused";
    }
    std::string text(const std::string& name) const { return read_file_if_any(out / name); }
    h5::File file(const std::string& name) const {
        return h5::File((out / name).string(), h5::File::Mode::Read);
    }
    void expect_begin(const std::string& name, const std::string& begin) const {
        EXPECT_EQ(text(name).substr(0, begin.size()), begin) << name;
    }
    /// The float64 of a file from a byte on.
    std::vector<double> numbers(const std::string& name, std::size_t from = 0) const {
        const std::string bytes = text(name);
        std::vector<double> values((bytes.size() - from) / sizeof(double));
        std::memcpy(values.data(), bytes.data() + from, values.size() * sizeof(double));
        return values;
    }

    TemporaryFolder folder;
    std::string path = (folder.path() / "greens.h5").string();
    fs::path out;
    int n_exports = 0;
};

/// Index of a source of the small dataset.
std::size_t source_of(std::size_t patch, bool is_dip) {
    return 2 * patch + (is_dip ? 1 : 0);
}

GreensDataset with_rakes(double first_deg, double second_deg) {
    GreensDataset d = small_greens();
    for (std::size_t i = 0; i < d.sources.size(); ++i) {
        d.sources[i].rake_deg = i % 2 == 0 ? first_deg : second_deg;
        d.sources[i].component = i % 2 == 0 ? "rake_a" : "rake_b";
    }
    return d;
}

GreensDataset one_component() {
    GreensDataset d = small_greens();
    GreensDataset one = d;
    one.sources.clear();
    one.greens.clear();
    const std::size_t size = d.greens.size() / d.sources.size();
    for (std::size_t patch = 0; patch < kPatches; ++patch) {
        const std::size_t source = source_of(patch, true);
        one.sources.push_back(d.sources[source]);
        const auto first = d.greens.begin() + static_cast<std::ptrdiff_t>(source * size);
        one.greens.insert(one.greens.end(), first, first + static_cast<std::ptrdiff_t>(size));
    }
    one.iterations.resize(kPatches);
    one.residual.resize(kPatches);
    one.initial_residual.resize(kPatches);
    return one;
}

GreensDataset with_opening() {
    GreensDataset d = small_greens();
    for (std::size_t patch = 0; patch < kPatches; ++patch) {
        d.sources[source_of(patch, true)].component = "opening";
    }
    return d;
}

GreensDataset unprojected() {
    GreensDataset d = small_greens();
    d.projected = false;
    d.crs_wkt.clear();
    return d;
}

TEST_F(GreensExport, CsiHasAllEastThenNorthThenUpByPatch) {
    const std::vector<std::string> written = to("csi");

    for (const bool is_dip : {false, true}) {
        const std::vector<double> gf =
            numbers(is_dip ? "small_fault_gnss_DS.gf" : "small_fault_gnss_SS.gf");
        ASSERT_EQ(gf.size(), 3 * kStations * kPatches);
        for (std::size_t component = 0; component < 3; ++component) {
            for (std::size_t station = 0; station < kStations; ++station) {
                for (std::size_t patch = 0; patch < kPatches; ++patch) {
                    EXPECT_EQ(gf[(component * kStations + station) * kPatches + patch],
                              small_value(source_of(patch, is_dip), 0, station, component));
                }
            }
        }
    }
    EXPECT_FALSE(fs::exists(out / "small_fault_gnss_TS.gf"));
    expect_begin("small_fault_patches.gmt",
                 "> -Z0 # 0 6 99999 # 0 0 0\n135 33 0\n135.5 33 0\n135.5 32.9 10\n135 32.9 10\n>");
    expect_begin("small_fault_gnss.enu",
                 "A 135 33 0 0 0 1 1 1\nM_B 135.5 33.1 0 0 0 1 1 1\n\xe5\xae\xa4\xe6");
    EXPECT_EQ(written.size(), 5u);
    for (const std::string& one : written) {
        EXPECT_TRUE(fs::exists(one)) << one;
    }
}

TEST_F(GreensExport, CsiWritesTheComponentsThatThereAre) {
    (void)to("csi", {}, one_component());
    EXPECT_FALSE(fs::exists(out / "small_fault_gnss_SS.gf"));
    EXPECT_EQ(numbers("small_fault_gnss_DS.gf")[1], small_value(source_of(1, true), 0, 0, 0));
    expect_begin("small_fault_patches.gmt", "> -Z0 # 99999 0 99999 # 0");

    (void)to("csi", {}, with_opening());
    EXPECT_EQ(numbers("small_fault_gnss_TS.gf")[1], small_value(source_of(1, true), 0, 0, 0));

    EXPECT_NE(
        refusal("csi", {}, with_rakes(30.0, 120.0))
            .find("slip_component must be strike_slip (rake 0), dip_slip (rake 90) or opening "
                  "for csi, got 'rake_a' (rake 30)"),
        std::string::npos);
}

TEST_F(GreensExport, CsiHasKilometresWithoutAProjection) {
    (void)to("csi", {}, unprojected());

    EXPECT_NE(text("small_fault_patches.gmt").find("0 0 0\n10 0 0\n10 -2"), std::string::npos);
    expect_begin("small_fault_gnss.enu", "A 0 -0.5 0 0 0 1 1 1\nM_");
}

TEST_F(GreensExport, AltarHasOneFloat32DatasetWithStrikeSlipThenDipSlip) {
    GreensDataset d = small_greens();
    d.greens[0] = 1.0 / 3.0;
    (void)to("altar", {}, d);

    const h5::File gf = file("static.gf.h5");
    EXPECT_EQ(gf.dims("static.gf"), (h5::Dims{3 * kStations, 2 * kPatches}));
    const std::vector<double> values = gf.read<double>("static.gf");
    EXPECT_EQ(values[0], static_cast<double>(1.0F / 3.0F));
    for (std::size_t i = 1; i < values.size(); ++i) {
        const std::size_t row = i / (2 * kPatches);
        const std::size_t column = i % (2 * kPatches);
        EXPECT_EQ(values[i], small_value(source_of(column % kPatches, column >= kPatches), 0,
                                         row % kStations, row / kStations));
    }
    EXPECT_NE(text("manifest.json").find("static.Cd.h5"), std::string::npos);
    EXPECT_FALSE(fs::exists(out / "static.Cd.h5"));
}

TEST_F(GreensExport, BeatHasPatchBySampleWithPerpendicularRakes) {
    (void)to("beat");

    for (const bool is_parallel : {true, false}) {
        const std::string stem =
            std::string("geodetic_") + (is_parallel ? "uparr" : "uperp") + "_static_0";
        const std::string bytes = text(stem + ".traces.npy");
        EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
        const std::size_t head = 10 + static_cast<unsigned char>(bytes[8]);
        EXPECT_EQ(head % 64, 0u);
        EXPECT_NE(bytes.find("'shape': (6, 12, )"), std::string::npos);
        const std::vector<double> gf = numbers(stem + ".traces.npy", head);
        ASSERT_EQ(gf.size(), kPatches * 3 * kStations);
        for (std::size_t i = 0; i < gf.size(); ++i) {
            const std::size_t patch = i / (3 * kStations);
            const std::size_t sample = i % (3 * kStations);
            const std::size_t component = std::array<std::size_t, 3>{1, 0, 2}[sample / kStations];
            // The reference rake is 90, so uperp has rake 0.
            EXPECT_EQ(gf[i],
                      small_value(source_of(patch, is_parallel), 0, sample % kStations, component));
        }
        EXPECT_NE(text(stem + ".yaml").find("!beat.GeodeticGFLibraryConfig\ncomponent: u"),
                  std::string::npos);
    }
}

TEST_F(GreensExport, BeatTurnsToAnotherReferenceRake) {
    (void)to("beat", {.rake_deg = 120.0});

    const std::size_t head = text("geodetic_uparr_static_0.traces.npy").size() -
                             kPatches * 3 * kStations * sizeof(double);
    const double strike = small_value(0, 0, 0, 1);
    const double dip = small_value(1, 0, 0, 1);
    const double cosine = std::cos(std::numbers::pi / 6.0);
    EXPECT_NEAR(numbers("geodetic_uparr_static_0.traces.npy", head)[0], cosine * dip - 0.5 * strike,
                1e-9);
    EXPECT_NEAR(numbers("geodetic_uperp_static_0.traces.npy", head)[0], cosine * strike + 0.5 * dip,
                1e-9);

    // Two rakes of the request's own: 200 = 110 + 90.
    (void)to("beat", {.rake_deg = 200.0}, with_rakes(110.0, 200.0));
    EXPECT_EQ(numbers("geodetic_uparr_static_0.traces.npy", head)[0], dip);
    EXPECT_EQ(numbers("geodetic_uperp_static_0.traces.npy", head)[0], strike);

    EXPECT_NE(refusal("beat", {}, one_component()).find("90 degrees of rake apart"),
              std::string::npos);
    EXPECT_NE(refusal("beat", {}, with_rakes(0.0, 45.0)).find("got rake_a, rake_b"),
              std::string::npos);
}

TEST_F(GreensExport, PylithHasImpulsesByPointAndTheirNumbersAsTime) {
    (void)to("pylith");

    for (const bool is_dip : {false, true}) {
        const std::string name = is_dip ? "reverse" : "leftlateral";
        const h5::File points = file(name + "-points.h5");
        const h5::File fault = file(name + "-fault.h5");
        EXPECT_EQ(points.dims("vertex_fields/displacement"), (h5::Dims{kPatches, kStations, 3}));
        const std::vector<double> u = points.read<double>("vertex_fields/displacement");
        for (std::size_t i = 0; i < u.size(); ++i) {
            EXPECT_EQ(u[i], small_value(source_of(i / 3 / kStations, is_dip), 0, i / 3 % kStations,
                                        i % 3));
        }
        EXPECT_EQ(fault.dims("vertex_fields/slip"), (h5::Dims{kPatches, kPatches, 3}));
        const std::vector<double> slip = fault.read<double>("vertex_fields/slip");
        for (std::size_t i = 0; i < slip.size(); ++i) {
            const bool slips = i / 3 / kPatches == i / 3 % kPatches && i % 3 == (is_dip ? 2u : 1u);
            EXPECT_EQ(slip[i], slips ? 1.0 : 0.0);
        }
        for (const h5::File* one : {&points, &fault}) {
            EXPECT_EQ(one->read<double>("time"), (std::vector<double>{0, 1, 2, 3, 4, 5}));
        }
        EXPECT_EQ(points.read<double>("geometry/vertices")[2], 20.0);
        EXPECT_EQ(fault.read<double>("geometry/vertices")[11], -15e3);
        EXPECT_EQ(fault.read<std::int64_t>("viz/topology/cells"),
                  (std::vector<std::int64_t>{0, 1, 4, 3, 1, 2, 5, 4}));
        EXPECT_EQ(fault.int_attribute("viz/topology/cells", "cell_dim"), 2);
    }
    EXPECT_NE(refusal("pylith", {}, with_rakes(0.0, 45.0)).find("for pylith, got 'rake_b'"),
              std::string::npos);
}

TEST_F(GreensExport, ViscojapanHasAllEpochsInDaysWithInterleavedComponents) {
    (void)to("viscojapan");

    for (const bool is_dip : {false, true}) {
        const h5::File gf = file(is_dip ? "G_dip_slip.h5" : "G_strike_slip.h5");
        EXPECT_EQ(gf.dims("data3d"), (h5::Dims{3, 3 * kStations, kPatches}));
        const std::vector<double> values = gf.read<double>("data3d");
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::size_t row = i / kPatches % (3 * kStations);
            EXPECT_EQ(values[i], small_value(source_of(i % kPatches, is_dip),
                                             i / kPatches / (3 * kStations), row / 3, row % 3));
        }
        EXPECT_EQ(gf.read<double>("epochs"), (std::vector<double>{0.0, 365.25, 3.5 * 365.25}));
        EXPECT_EQ(gf.read_strings("sites")[2], "室戸");
    }
    EXPECT_NE(refusal("viscojapan", {.epoch_years = 1.0}).find("holds all epochs"),
              std::string::npos);
}

TEST_F(GreensExport, PyrockoIsRegularInTimeAndPointsDown) {
    (void)to("pyrocko", {.dt_years = 0.5});

    const std::size_t n = 8;  // 0, 0.5 .. 3.5 years
    const std::string bytes = text("traces.npy");
    EXPECT_NE(bytes.find("'shape': (12, 4, 3, 8, )"), std::string::npos);
    const std::vector<double> u =
        numbers("traces.npy", bytes.size() - 12 * kStations * 3 * n * sizeof(double));
    const auto trace = [&](std::size_t source, std::size_t station, std::size_t channel,
                           std::size_t sample) {
        return u[((source * kStations + station) * 3 + channel) * n + sample];
    };
    EXPECT_EQ(trace(3, 2, 0, 0), small_value(3, 0, 2, 1));
    EXPECT_EQ(trace(3, 2, 1, 2), small_value(3, 1, 2, 0));
    EXPECT_EQ(trace(3, 2, 2, 7), -small_value(3, 2, 2, 2));
    EXPECT_NEAR(trace(3, 2, 1, 1), small_value(3, 0, 2, 0) + 50.0, 1e-9);
    EXPECT_NEAR(trace(3, 2, 1, 3), small_value(3, 1, 2, 0) + 20.0, 1e-9);
    expect_begin("stations.txt", ".A. 33 135 20 0 A\nN 0 0 1\nE 90 0 1\nD 0 90 1\n.");
    EXPECT_NE(text("sources.yaml").find("--- !pf.RectangularSource\nlat: 3.3"), std::string::npos);

    // The shortest interval is a year; 3.5 years is then not reached.
    (void)to("pyrocko");
    EXPECT_NE(text("traces.npy").find("'shape': (12, 4, 3, 4, )"), std::string::npos);

    EXPECT_NE(refusal("pyrocko", {.dt_years = 1e-6}).find("fewer than 100000 samples"),
              std::string::npos);
    EXPECT_NE(refusal("pyrocko", {.dt_years = 0.0}).find("--dt: must be > 0, got 0"),
              std::string::npos);
    EXPECT_NE(refusal("pyrocko", {}, unprojected()).find("must have a projection for pyrocko"),
              std::string::npos);
    GreensDataset twins = small_greens();
    twins.stations[0].id = "M_B";
    EXPECT_NE(refusal("pyrocko", {}, twins).find("two are 'M_B'"), std::string::npos);
}

TEST_F(GreensExport, CsvHasARowForEachSourceEpochAndStation) {
    (void)to("csv");

    std::istringstream table(text("greens.csv"));
    std::string line;
    std::getline(table, line);
    EXPECT_EQ(line,
              "source,patch,slip_component,epoch_s,station,east_m_per_m,north_m_per_m,up_m_per_m");
    std::size_t n = 0;
    for (; std::getline(table, line); ++n) {
        const std::size_t source = n / (3 * kStations);
        if (source == 7 && n % (3 * kStations) == 7) {
            EXPECT_EQ(line,
                      "s00d01/dip_slip,s00d01,dip_slip,31557600,\"D, \"\"4\"\"\",8130,8131,8132");
        }
    }
    EXPECT_EQ(n, 12 * 3 * kStations);
    expect_begin("stations.csv", "station,lon_deg,lat_deg,depth_m\nA,135,33,-20\nM.");

    (void)to("csv", {.epoch_years = 3.5});
    EXPECT_NE(text("greens.csv").find("\ns00d00/strike_slip,s00d00,strike_slip,110451600,A,1200,"),
              std::string::npos);
    EXPECT_EQ(text("greens.csv").find(",31557600,"), std::string::npos);
}

TEST_F(GreensExport, CsvLeavesOutWhatIsNotDoneAndTablesHaveMetres) {
    GreensDataset d = small_greens();
    d.unit_slip = false;
    d.projected = false;
    d.crs_wkt.clear();
    d.sources[1].status = 2;
    d.greens[36 + 5] = std::numeric_limits<double>::quiet_NaN();
    (void)to("csv", {}, d);

    EXPECT_NE(text("greens.csv").find(",east_m,north_m,up_m\n"), std::string::npos);
    EXPECT_EQ(text("greens.csv").find("s00d00/dip_slip"), std::string::npos);
    EXPECT_NE(text("greens.csv").find("s01d00/dip_slip"), std::string::npos);
    EXPECT_NE(text("manifest.json").find("left out, not done: s00d00/dip_slip"), std::string::npos);
    expect_begin("patches.csv", "patch,x_m,y_m,depth_");
}

TEST_F(GreensExport, GeojsonRingsRunCounterclockwiseAndClose) {
    (void)to("geojson");

    EXPECT_NE(text("patches.geojson")
                  .find("\"coordinates\": [[[135, 32.9], [135.5, 32.9], [135.5, 33], [135, 33], "
                        "[135, 32.9]]]"),
              std::string::npos)
        << text("patches.geojson").substr(0, 400);
    EXPECT_NE(text("stations.geojson").find("[134.2, 33.3]"), std::string::npos);
    EXPECT_NE(refusal("geojson", {}, unprojected()).find("must have a projection for geojson"),
              std::string::npos);
    EXPECT_NE(refusal("geojson", {.epoch_years = 0.0}).find("holds no displacement"),
              std::string::npos);
}

TEST_F(GreensExport, GmtHasClosedOutlinesAndASegmentForEachSource) {
    (void)to("gmt", {.epoch_years = 1.0});

    expect_begin(
        "patches.gmt",
        "> -Z5 -L\"s00d00\"\n135 33 0\n135.5 33 0\n135.5 32.9 10\n135 32.9 10\n135 33 0\n>");
    expect_begin("horizontal.gmt", "> -L\"s00d00/strike_slip\"\n135 33 1100 1101 0 0 0 A\n135.5");
    expect_begin("vertical.gmt", "> -L\"s00d00/strike_slip\"\n135 33 1102 A\n135");
    expect_begin("stations.gmt", "# lon lat depth_km station\n135 33 -0.02 A\n135.5 ");
}

TEST_F(GreensExport, TakesTheEpochOrNamesTheNearest) {
    (void)to("csi", {.epoch_years = 3.5});
    EXPECT_EQ(numbers("small_fault_gnss_SS.gf")[0], small_value(0, 2, 0, 0));
    EXPECT_NE(text("manifest.json").find("\"epoch_years\": 3.5"), std::string::npos);

    EXPECT_NE(refusal("csi", {.epoch_years = 2.0})
                  .find("--epoch: must be one of the dataset's epochs, got 2; the nearest is 1"),
              std::string::npos);
    EXPECT_NE(refusal("csi", {.epoch_years = std::nan("")}).find("--epoch: must be one of"),
              std::string::npos);
}

TEST_F(GreensExport, RefusesWhatALayoutCannotHold) {
    GreensDataset failed = small_greens();
    failed.sources[3].status = 2;
    failed.sources[3].failure = "no convergence";
    failed.sources[5].status = 0;
    GreensDataset tables = small_greens();
    tables.unit_slip = false;
    GreensDataset gap = small_greens();
    gap.sources[11].component = "strike_slip";
    gap.sources[11].patch_id = "s99d00";
    GreensDataset twice = small_greens();
    twice.sources[1].component = "strike_slip";
    GreensDataset nan = small_greens();
    nan.greens[36 + 12 + 3 * 2 + 1] = std::nan("");

    for (const std::string layout : {"csi", "altar", "beat", "pylith", "viscojapan", "pyrocko"}) {
        const std::string text = refusal(layout, {}, failed);
        EXPECT_NE(text.find("every source must be done, 2 of 12 are not: 's01d00/dip_slip' failed "
                            "(no convergence)"),
                  std::string::npos)
            << text;
        EXPECT_NE(refusal(layout, {}, tables).find("must hold unit slip on patches for " + layout),
                  std::string::npos);
    }
    EXPECT_NE(refusal("altar", {}, gap)
                  .find("every patch must have a source of dip_slip, as "
                        "others have; 's02d01' has none"),
              std::string::npos);
    EXPECT_NE(refusal("csi", {}, twice).find("must have one source of strike_slip"),
              std::string::npos);
    EXPECT_NE(refusal("csi", {.epoch_years = 1.0}, nan)
                  .find("must be finite, got nan of 's00d00/dip_slip' at 3.15576e+07 s, station "
                        "'室戸'"),
              std::string::npos);
    EXPECT_NE(refusal("tdefnode").find("--to: must be one of csi, altar, beat"), std::string::npos);
    EXPECT_NE(refusal("csi", {.rake_deg = 90.0}).find("only with beat"), std::string::npos);
    EXPECT_NE(refusal("csi", {.dt_years = 1.0}).find("only with pyrocko"), std::string::npos);
}

TEST_F(GreensExport, TheManifestSaysWhichDatasetAndInWhichOrder) {
    (void)to("altar");

    const std::string text = this->text("manifest.json");
    EXPECT_NE(text.find("\"layout\": \"altar\""), std::string::npos);
    EXPECT_NE(text.find("\"name\": \"small fault\", \"sha256\": \""), std::string::npos);
    EXPECT_NE(text.find("\"patches\": [\"s00d00\", \"s01d00\", \"s02d00\", \"s00d01\""),
              std::string::npos);
    EXPECT_NE(text.find("\"stations\": [\"A\", \"M.B\", \"室戸\", \"D, \\\"4\\\"\"]"),
              std::string::npos);
    EXPECT_NE(text.find("\"axes\": [\"east of all stations, north of all, up of all\", "
                        "\"strike_slip of all patches, then dip_slip of all patches\"]"),
              std::string::npos)
        << text;
}

}  // namespace
}  // namespace kaname::io::greens_export_test
