// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/load.hpp"

#include "proto/request/greens/greens_kind.hpp"
#include "solvers/base/checksums.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::load_test {
namespace {

using namespace examples;

TEST(LoadBatch, ResolvesDefaultsFilesAndStations) {
    const Folder folder;
    const std::string slab = folder.write("slab.csv", "slab");
    folder.write("gnss.csv", kStationCsv);
    const std::string path = folder.write(
        "spec.yaml",
        with(kInterfaceYaml, "files: [gnss.csv]",
             "files: [gnss.csv]\n  list: [{id: A, lon_deg: 1, lat_deg: 2, depth_km: 3}]"));

    const LoadedBatch loaded = load_batch_file(path);

    EXPECT_EQ(loaded.batch.solver().predictor(), "projection");
    EXPECT_EQ(loaded.batch.fault().interface().surface().path(), slab);
    EXPECT_EQ(loaded.batch.fault().interface().surface().sha256(), sha256_hex("slab"));
    ASSERT_EQ(loaded.stations.size(), 3u);
    EXPECT_EQ(loaded.stations[0].id, "A");
    EXPECT_EQ(loaded.stations[0].depth_m, 3000.0);
    EXPECT_EQ(loaded.stations[0].field, "stations.list[0]");
    EXPECT_EQ(loaded.stations[2].id, "G002");
    EXPECT_FALSE(loaded.stations[2].depth_m.has_value());
    EXPECT_TRUE(loaded.stations[2].field.ends_with("gnss.csv:3"));
}

TEST(LoadBatch, ReportsReadingRulesFilesAndRowsAtOnceWithTheirLines) {
    const Folder folder;
    folder.write("gnss.csv", "station,lon_deg,lat_deg\nG001,x,1\n");
    std::string yaml = with(kInterfaceYaml, "name: nankai", "naem: nankai");
    yaml = with(yaml, "size_east_km: 900", "size_east_km: -900");
    const std::string path = folder.write("spec.yaml", yaml);

    EXPECT_EQ(error_of([&] { return load_batch_file(path); }),
              "naem: line 2: unknown key 'naem'; did you mean name?\n"
              "region.size_east_m: must be > 0, got -900 (size_east_km in line 3)\n"
              "fault.interface.surface: file '" +
                  folder.path() + "/slab.csv' does not exist (line 17)\n" + folder.path() +
                  "/gnss.csv:2: lon_deg must be a number, got 'x'");
}

TEST(LoadBatch, DoesNotReportWhatOnlyFollowsFromAnUnreadValue) {
    const Folder folder;
    std::string yaml =
        with(kPlaneYaml, "size_north_km: 200, depth_km: 100", "size_north_km: wide, depth: 100");
    yaml = with(yaml, "fault:\n  plane:", "fault:\n  plan:");

    const std::string error =
        error_of([&] { return load_batch_file(folder.write("s.yaml", yaml)); });

    EXPECT_EQ(error,
              "region.size_north_m: line 3: expected a number (its unit is part of the key), got "
              "'wide'\n"
              "region.depth: line 3: unknown key 'depth'; did you mean depth_m, depth_km, depth_cm "
              "or depth_mm?\n"
              "fault.plan: line 12: unknown key 'plan'; did you mean plane?");
}

TEST(LoadBatch, ValuesAreToldInTheUnitsTheyWereWrittenIn) {
    const Folder folder;
    std::string yaml = with(kPlaneYaml, "epochs_years: [0, 1, 2]", "epochs_years: [0, 1, 1, 4]");
    yaml = with(yaml, "mu_gpa: 65", "mu_gpa: 65000000");
    yaml = with(yaml, "size_at_fault_km: 4,", "size_at_fault_km: 40,");
    const std::string path = folder.write("spec.yaml", yaml);

    EXPECT_EQ(
        error_of([&] { return load_batch_file(path); }),
        "structure.materials[1].mu_pa: must be a modulus of rock, 0.001..10000, got 6.5e+07 "
        "(mu_gpa in line 7)\n"
        "mesh.size_at_fault_m: must not exceed size_far = 30, got 40 (size_at_fault_km in line "
        "23)\n"
        "time.epochs_s[2]: must be later than the epoch before it, 1, got 1 (epochs_years in "
        "line 24)\n"
        "time.epochs_s[3]: must be in 0..end = 2, got 4 (epochs_years in line 24)");
}

TEST(LoadBatch, AnEndInAnotherUnitThanTheEpochsIsOneMistake) {
    const Folder folder;
    const std::string yaml = with(kPlaneYaml, "end_years: 2", "end_s: 2");

    EXPECT_NE(
        error_of([&] { return load_batch_file(folder.write("spec.yaml", yaml)); })
            .find("time.end_s: must not be before the last epoch, epochs_years: 2, got end_s: "
                  "2; did you mean end_years: 2?"),
        std::string::npos);
    const std::string none = with(kPlaneYaml, "end_years: 2, ", "");
    EXPECT_NE(error_of([&] { return load_batch_file(folder.write("spec.yaml", none)); })
                  .find("time.end_s: must not be before the last epoch, epochs_years: 2; give "
                        "end_years: 2"),
              std::string::npos);
    const std::string beyond = with(kPlaneYaml, "epochs_years: [0, 1, 2]", "epochs_years: [0, 3]");
    EXPECT_EQ(error_of([&] { return load_batch_file(folder.write("spec.yaml", beyond)); }),
              "time.epochs_s[1]: must be in 0..end = 2, got 3 (epochs_years in line 24)");
}

TEST(LoadBatch, AKeyWithItsValueInItIsOneMistake) {
    const Folder folder;
    const std::string yaml =
        with(kPlaneYaml, "stations:\n  list:\n",
             "stations:\n  list:\n    - {id: LOW, lon_deg:135, lat_deg: 33}\n");
    const std::string error =
        error_of([&] { return load_batch_file(folder.write("spec.yaml", yaml)); });

    EXPECT_EQ(std::ranges::count(error, '\n'), 0) << error;
    EXPECT_NE(
        error.find("unknown key 'lon_deg:135'; a key and its value are parted by a colon and a "
                   "blank, as in lon_deg: 1"),
        std::string::npos)
        << error;
}

TEST(LoadBatch, AMeridianBeyondTheRangeIsNamedWithinIt) {
    const Folder folder;
    const std::string yaml =
        with(kPlaneYaml, "stations:\n  list:\n",
             "stations:\n  list:\n    - {id: FAR, lon_deg: -221.9, lat_deg: 33}\n");

    EXPECT_NE(error_of([&] { return load_batch_file(folder.write("spec.yaml", yaml)); })
                  .find("stations.list[0].lon_deg: must be in -180..360, got -221.9; the same "
                        "meridian is 138.1 (line "),
              std::string::npos);
}

TEST(LoadBatch, DepthsAndHistoriesAreToldInTheUnitsTheyWereWrittenIn) {
    const Folder folder;
    const std::string yaml =
        with(kPlaneYaml, "stations:\n  list:\n",
             "stations:\n  list:\n    - {id: LOW, lon_deg: 135, "
             "lat_deg: 33, depth_km: 120}\n") +
        "slip_history: {kind: table, times_years: [0, 2, 1], slip: [0, 1, 1], duration_days: 3}\n";
    const std::string path = folder.write("spec.yaml", yaml);

    const std::string told = error_of([&] { return load_batch_file(path); });

    EXPECT_NE(told.find("must not lie below the model's bottom at 100, got 120 (depth_km"),
              std::string::npos)
        << told;
    EXPECT_NE(told.find("must not be before the time before it, 2, got 1 (times_years"),
              std::string::npos)
        << told;
    EXPECT_NE(told.find("kind 'table', got 3 (duration_days"), std::string::npos) << told;
}

TEST(LoadBatch, StationsAreUniqueAcrossListAndFilesAndInsideTheModel) {
    const Folder folder;
    folder.write("a.csv", "station,lon_deg,lat_deg,depth_km\nG001,1,2,\nB,1,2,200\n");
    folder.write("b.csv", "station,lon_deg,lat_deg\nB,1,2\n");
    const std::string path = folder.write(
        "spec.yaml", with(kPlaneYaml, "stations:", "stations:\n  files: [a.csv, b.csv]"));

    EXPECT_EQ(
        error_of([&] { return load_batch_file(path); }),
        folder.path() + "/a.csv:2: station must be unique, got 'G001' as in stations.list[0]\n" +
            folder.path() +
            "/a.csv:3: depth_m must not lie below the model's bottom at 100000, got 200000\n" +
            folder.path() + "/b.csv:2: station must be unique, got 'B' as in " + folder.path() +
            "/a.csv:3");
}

TEST(LoadBatchJson, ReadsBackExactlyWhatWasWritten) {
    const Folder folder;
    folder.write("in/slab.csv", "slab");
    folder.write("in/gnss.csv", kStationCsv);
    const LoadedBatch loaded = load_batch_file(folder.write("in/spec.yaml", kInterfaceYaml));
    const std::string json = folder.write("out/resolved.json", to_json(loaded.batch));

    const LoadedBatch again = load_batch_json(json);

    EXPECT_EQ(again.batch.SerializeAsString(), loaded.batch.SerializeAsString());
    EXPECT_EQ(again.stations.size(), 2u);
    EXPECT_EQ(content_hash(again.batch), content_hash(loaded.batch));
    EXPECT_NE(to_json(loaded.batch).find("\"max_depth_m\""), std::string::npos);
}

TEST(LoadBatchJson, NoticesAnInputThatChangedSince) {
    const Folder folder;
    folder.write("slab.csv", "slab");
    folder.write("gnss.csv", kStationCsv);
    const LoadedBatch loaded = load_batch_file(folder.write("spec.yaml", kInterfaceYaml));
    const std::string json = folder.write("resolved.json", to_json(loaded.batch));
    folder.write("slab.csv", "changed");

    const std::string error = error_of([&] { return load_batch_json(json); });

    EXPECT_NE(error.find("fault.interface.surface: file"), std::string::npos) << error;
    EXPECT_NE(error.find("the request says " + sha256_hex("slab")), std::string::npos);
}

TEST(LoadBatchJson, RefusesUnknownFieldsAndOtherTexts) {
    const Folder folder;
    const auto error_for = [&](const std::string& text) {
        return error_of([&] { return load_batch_json(folder.write("a.json", text)); });
    };

    EXPECT_NE(error_for("{\"nmae\": 1}").find("a.json' is not a kaname.v1.GreensBatch in JSON"),
              std::string::npos);
    EXPECT_NE(error_for("name: a").find("a.json' is not"), std::string::npos);
    EXPECT_NE(error_for("{\"region\": {\"depth_m\": \"NaN\"}}")
                  .find("region.depth_m: must be finite, got nan"),
              std::string::npos);
}

/// A scenario without region, fault and mesh whose event has `slip`.
std::string bare_scenario(const std::string& slip) {
    std::string text = kPlaneYaml;
    text.replace(text.find("GreensBatch"), 11, "Scenario");
    for (const auto& [from, to] :
         {std::pair{"region:", "structure:"}, {"fault:", "stations:"}, {"mesh:", "time:"}}) {
        text.erase(text.find(from), text.find(to) - text.find(from));
    }
    return text + "events:\n  - {name: main, " + slip + "}\n";
}

TEST(LoadBatch, BoxAndSizesFollowFromSlipInAFile) {
    const Folder folder;
    folder.write("one.csv",
                 "lon_centre_deg,lat_centre_deg,depth_centre_km,length_km,width_km,strike_deg,"
                 "dip_deg,rake_deg,slip_m\n135,33,8,30,12,312,80,180,2\n");

    const LoadedBatch file =
        load_batch_file(folder.write("file.yaml", bare_scenario("slip_model: one.csv")));
    const LoadedBatch words = load_batch_file(folder.write(
        "words.yaml", bare_scenario("patches: [{lon_deg: 135, lat_deg: 33, depth_km: 8, length_km: "
                                    "30, width_km: 12, strike_deg: 312, dip_deg: 80, rake_deg: "
                                    "180, slip_m: 2}]")));

    EXPECT_NE(file.chosen.find("region: "), std::string::npos);
    EXPECT_EQ(file.chosen, words.chosen);
    EXPECT_EQ(to_json(file.batch.region()), to_json(words.batch.region()));
    EXPECT_EQ(to_json(file.batch.mesh()), to_json(words.batch.mesh()));
}

TEST(LoadBatch, OfSlipThatCannotBeReadTheFileIsNamedAlone) {
    const Folder folder;
    folder.write("one.csv", "lon_centre_deg,lat_centre_deg\n135,33\n");

    const std::string error = error_of([&] {
        return load_batch_file(folder.write("s.yaml", bare_scenario("slip_model: one.csv")));
    });

    EXPECT_EQ(error.find("events[0].slip_model: "), 0u) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

}  // namespace
}  // namespace kaname::request::load_test
