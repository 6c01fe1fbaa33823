// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/form/yaml_reader.hpp"

#include "proto/request/form/text.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::yaml_reader_test {
namespace {

using namespace examples;

std::string error_in(const std::string& yaml) {
    return error_of([&] { return read_yaml(yaml); });
}

TEST(YamlReader, ConvertsEveryUnitToSi) {
    const v1::GreensBatch batch = plane_batch();

    EXPECT_DOUBLE_EQ(batch.region().depth_m(), 100e3);
    EXPECT_DOUBLE_EQ(batch.structure().materials(0).vp_m_per_s(), 6800.0);
    EXPECT_DOUBLE_EQ(batch.structure().materials(0).density_kg_per_m3(), 2900.0);
    EXPECT_DOUBLE_EQ(batch.structure().materials(1).mu_pa(), 65e9);
    EXPECT_DOUBLE_EQ(batch.structure().materials(1).viscosity_pa_s(), 1e19);
    EXPECT_DOUBLE_EQ(batch.fault().plane().length_m(), 16100.0);
    EXPECT_DOUBLE_EQ(batch.time().step_s(), 30 * 86400.0);
    EXPECT_DOUBLE_EQ(batch.time().end_s(), 2 * 31557600.0);
    EXPECT_DOUBLE_EQ(batch.time().epochs_s(1), 31557600.0);
    EXPECT_EQ(read_yaml("time: {step_hours: 2}").time().step_s(), 7200.0);
    EXPECT_EQ(read_yaml("time: {step_minutes: 2}").time().step_s(), 120.0);
    EXPECT_EQ(read_yaml("structure: {materials: [{mu_mpa: 3}]}").structure().materials(0).mu_pa(),
              3e6);
}

TEST(YamlReader, TakesNumbersAsWritersOfOtherLanguagesHaveThem) {
    for (const char* written : {"1e19", "'1e19'", "\"1e19\"", "1.0e+19", "1E+19", "+1.e19",
                                "10000000000000000000", "!!float 1e19", "!!str 1e19"}) {
        const std::string yaml =
            "structure: {materials: [{viscosity_pa_s: " + std::string(written) + "}]}";
        EXPECT_EQ(read_yaml(yaml).structure().materials(0).viscosity_pa_s(), 1e19) << written;
    }
    for (const char* written : {"200", "'200'", "200.0", "2e2", "2.0e+02"}) {
        const std::string yaml = "mesh: {max_elements: " + std::string(written) + "}";
        EXPECT_EQ(read_yaml(yaml).mesh().max_elements(), 200U) << written;
    }
}

TEST(YamlReader, KeepsPresenceOfOptionalFields) {
    const v1::GreensBatch batch = plane_batch();

    EXPECT_TRUE(batch.structure().layers(0).has_bottom_depth_m());
    EXPECT_FALSE(batch.structure().layers(1).has_bottom_depth_m());
    EXPECT_FALSE(batch.structure().materials(0).has_viscosity_pa_s());
    EXPECT_TRUE(batch.fault().plane().has_top_depth_m());
}

TEST(YamlReader, AnOptionWithoutEffectWasRemovedAndIsToldSo) {
    EXPECT_EQ(error_in("mesh:\n  size_far_km: 3\n  layers_above: 7"),
              "mesh.layers_above: line 3: this option was removed: it had no effect; delete it");
}

TEST(YamlReader, NamesTheAcceptedKeysForAMissingUnit) {
    EXPECT_EQ(error_in("region:\n  depth: 100"),
              "region.depth: line 2: unknown key 'depth'; did you mean depth_m, depth_km, depth_cm "
              "or depth_mm?");
}

TEST(YamlReader, NamesTheAcceptedKeysForAWrongUnit) {
    EXPECT_EQ(error_in("time: {end_weeks: 3}"),
              "time.end_weeks: line 1: unknown key 'end_weeks'; did you mean end_s, end_ms, "
              "end_us, end_minutes, "
              "end_hours, end_days or end_years?");
    EXPECT_EQ(error_in("structure: {materials: [{viscosity_gpa_s: 3}]}"),
              "structure.materials[0].viscosity_gpa_s: line 1: unknown key 'viscosity_gpa_s'; did "
              "you mean viscosity_pa_s?");
}

TEST(YamlReader, SuggestsTheNearestFieldForAMisspelledKey) {
    EXPECT_EQ(error_in("struture: {}"),
              "struture: line 1: unknown key 'struture'; did you mean structure?");
    EXPECT_EQ(error_in("region: {centre_log_deg: 1}"),
              "region.centre_log_deg: line 1: unknown key 'centre_log_deg'; did you mean "
              "centre_lon_deg?");
}

TEST(YamlReader, ListsTheFieldsWhereNoneIsNear) {
    EXPECT_EQ(error_in("stations: {somewhere_else: 1}"),
              "stations.somewhere_else: line 1: unknown key 'somewhere_else'; known here: list or "
              "files");
}

TEST(YamlReader, RefusesOneFieldInTwoUnits) {
    EXPECT_EQ(error_in("region:\n  depth_m: 1000\n  depth_km: 1"),
              "region.depth_km: line 3: gives the same as depth_m; keep one");
}

TEST(YamlReader, RefusesDuplicateKeys) {
    EXPECT_EQ(error_in("name: a\nname: b"), "name: line 2: key is given twice");
}

TEST(YamlReader, RefusesTwoFaultGeometries) {
    EXPECT_EQ(error_in("fault: {interface: {}, plane: {}}"),
              "fault.plane: line 1: excludes interface; keep one");
}

TEST(YamlReader, TakesShortLowerCaseEnumNames) {
    const v1::GreensBatch batch =
        read_yaml("fault: {interface: {top: surface, patches: {hat: bicubic}}}");

    EXPECT_EQ(batch.fault().interface().top(), v1::Interface::TOP_SURFACE);
    EXPECT_EQ(batch.fault().interface().patches().hat(), v1::PatchGrid::HAT_BICUBIC);
    EXPECT_EQ(error_in("fault: {interface: {top: deep}}"),
              "fault.interface.top: line 1: expected buried or surface, got 'deep'");
    EXPECT_NE(error_in("fault: {interface: {top: unspecified}}"), "");
}

TEST(YamlReader, TakesABoundarySideAsItsKind) {
    const v1::GreensBatch batch = read_yaml("boundaries: {west: roller, east: {kind: free}}");

    EXPECT_EQ(batch.boundaries().west().kind(), v1::BoundarySide::KIND_ROLLER);
    EXPECT_EQ(batch.boundaries().east().kind(), v1::BoundarySide::KIND_FREE);
    EXPECT_EQ(error_in("boundaries: {west: glued}"),
              "boundaries.west: line 1: expected free, fixed or roller, got 'glued'");
}

TEST(YamlReader, TakesAFileAsItsPath) {
    const v1::GreensBatch batch = read_yaml(
        "{fault: {interface: {surface: slab.csv}}, stations: {files: [a.csv, {path: b}]}}");

    EXPECT_EQ(batch.fault().interface().surface().path(), "slab.csv");
    EXPECT_EQ(batch.stations().files(0).path(), "a.csv");
    EXPECT_EQ(batch.stations().files(1).path(), "b");
}

TEST(YamlReader, TakesAValueOrAPathAsAListOfOne) {
    const v1::GreensBatch batch = read_yaml(
        "{fault: {plane: {rake_deg: 90, components: dip_slip}}, time: {epochs_years: 1}}");

    EXPECT_EQ(batch.fault().plane().rake_deg(0), 90.0);
    EXPECT_EQ(batch.fault().plane().components(0), "dip_slip");
    EXPECT_EQ(batch.time().epochs_s(0), 31557600.0);
    EXPECT_EQ(read_yaml("stations: {files: a.csv}").stations().files(0).path(), "a.csv");
    EXPECT_EQ(error_in("structure: {layers: rock}"),
              "structure.layers: line 1: expected a list, got 'rock'");
    EXPECT_EQ(error_in("structure: {layers: {material: a}}"),
              "structure.layers: line 1: expected a list, got a mapping");
}

TEST(YamlReader, NumbersThatAreWrittenOtherwiseAreExplained) {
    const auto after = [](const std::string& key, const std::string& text) {
        const std::string error = error_in("region: {" + key + ": '" + text + "'}");
        const std::string got = "got text '" + text + "'";
        return error.substr(error.find(got) + got.size());
    };
    EXPECT_EQ(after("depth_km", "3,5"), "; decimals are written with a point");
    EXPECT_EQ(after("depth_km", "10^2"), "; powers of ten are written as 1e19");
    EXPECT_EQ(after("depth_km", "1 2"), "; a comma parts two numbers");
    EXPECT_EQ(after("depth_km", "5 km"), "");
    const std::string degrees = "; degrees are written with decimals, south and west below 0";
    for (const char* text : {"36:12:00", "36.2N", "36\xC2\xB0", "36d12m"}) {
        EXPECT_EQ(after("centre_lat_deg", text), degrees) << text;
    }
}

TEST(YamlReader, KeysOfOtherQuantitiesAreExplained) {
    const std::string head = "structure.materials[0].";
    const auto in_a_material = [](const std::string& text) {
        return error_in("structure: {materials: [{" + text + "}]}");
    };
    EXPECT_EQ(in_a_material("poisson: 0.25"),
              head +
                  "poisson: line 1: unknown key 'poisson'; stiffness is given by lambda and mu, "
                  "or by vp, vs and density");
    EXPECT_EQ(in_a_material("log10_viscosity: 19"),
              head +
                  "log10_viscosity: line 1: unknown key 'log10_viscosity'; did you mean "
                  "viscosity_pa_s? It takes the number itself, as in 1e19");
    EXPECT_EQ(in_a_material("mu_gpa:30"),
              head +
                  "mu_gpa:30: line 1: unknown key 'mu_gpa:30'; a key and its value are parted by "
                  "a colon and a blank, as in mu_gpa: 1");
}

TEST(YamlReader, WordsOfOtherProgramsAndTheirTablesAreExplained) {
    EXPECT_EQ(error_in("events: [{patches: [{top_depth_km: 5}]}]"),
              "events[0].patches[0].top_depth_km: line 1: unknown key 'top_depth_km'; did you mean "
              "top_centre?");
    EXPECT_EQ(error_in("events: [{patches: [{mw: 6.9}]}]"),
              "events[0].patches[0].mw: line 1: unknown key 'mw'; did you mean magnitude?");
    EXPECT_EQ(error_in("stations: {list: [a.csv]}"),
              "stations.list[0]: line 1: expected a mapping (files of them stand in "
              "stations.files: [FILE.csv]), got 'a.csv'");
}

TEST(YamlReader, TypeErrorsNamePathLineValueAndExpectedType) {
    EXPECT_EQ(
        error_in("region:\n  depth_km: deep"),
        "region.depth_m: line 2: expected a number (its unit is part of the key), got 'deep'");
    EXPECT_EQ(
        error_in("region: {depth_km: 5 km}"),
        "region.depth_m: line 1: expected a number (its unit is part of the key), got '5 km'");
    EXPECT_EQ(error_in("region: {depth_km: \"5 km\"}"),
              "region.depth_m: line 1: expected a number (its unit is part of the key), got text "
              "'5 km'");
    EXPECT_EQ(error_in("region: {depth_km: [5]}"),
              "region.depth_m: line 1: expected a number, got a list");
    EXPECT_EQ(error_in("region: 5"), "region: line 1: expected a mapping, got '5'");
    EXPECT_EQ(error_in("stations: a.csv"),
              "stations: line 1: expected a mapping (a file of them stands in {files: FILE.csv}), "
              "got 'a.csv'");
    EXPECT_EQ(error_in("name: {a: b}"), "name: line 1: expected a text, got a mapping");
    EXPECT_EQ(error_in("mesh: {max_elements: 2.5}"),
              "mesh.max_elements: line 1: expected a whole number in 0..4294967295, got '2.5'");
    EXPECT_EQ(error_in("mesh: {max_elements: -2}"),
              "mesh.max_elements: line 1: expected a whole number in 0..4294967295, got '-2'");
    EXPECT_EQ(error_in("time: {epochs_s: [0, x]}"),
              "time.epochs_s[1]: line 1: expected a number (its unit is part of the key), got 'x'");
    EXPECT_EQ(error_in("region:\n  depth_km:\n"),
              "region.depth_km: line 2: has no value; give a number or remove the key");
    EXPECT_EQ(error_in("[a, b]: 1"), "top level: line 1: expected a field name as key, got a list");
}

TEST(YamlReader, RefusesNumbersThatAreNotFinite) {
    for (const std::string value : {".nan", ".inf", "-.inf", "1e400", "1e306"}) {
        EXPECT_EQ(error_in("region: {depth_km: " + value + "}"),
                  "region.depth_m: line 1: must be finite, got " + value);
    }
}

TEST(YamlReader, CollectsEveryProblemAtOnce) {
    const std::string yaml = R"(naem: x
region: {depth: 1, size_east_km: wide}
structure:
  materials:
    - {name: a, mu_pa: stiff}
    - 7
    - {name: b, viscosity_pa_s: .inf}
)";

    try {
        (void)read_yaml(yaml);
        FAIL() << "no error";
    } catch (const ValidationError& error) {
        std::vector<std::string> fields;
        for (const Violation& violation : error.violations()) {
            fields.push_back(violation.field);
        }
        EXPECT_EQ(fields,
                  (std::vector<std::string>{
                      "naem", "region.depth", "region.size_east_m", "structure.materials[0].mu_pa",
                      "structure.materials[1]", "structure.materials[2].viscosity_pa_s"}));
    }
}

TEST(YamlReader, OneErrorNamesAFileThatIsNoSpecification) {
    const Folder folder;
    const auto error_for = [&](const std::string& text) {
        const std::string path = folder.write("spec.yaml", text);
        const std::string error = error_of([&] { return read_yaml(read_text_file(path), path); });
        EXPECT_NE(error.find(path), std::string::npos) << error;
        return error;
    };

    EXPECT_NE(error_for("").find("is empty"), std::string::npos);
    EXPECT_NE(error_for(" \n\n").find("is empty"), std::string::npos);
    EXPECT_NE(error_for("# only a comment\n").find("has only comments"), std::string::npos);
    EXPECT_NE(error_for(std::string("\x89HDF\r\n\x1a\n\0\0", 10)).find("not text"),
              std::string::npos);
    EXPECT_NE(error_for("just words").find("expected a mapping"), std::string::npos);
    EXPECT_NE(error_for("a: [1, 2\nb: }").find("is not YAML: line 2"), std::string::npos);
    // yaml-cpp finds documents without end behind a comma.
    EXPECT_NE(error_for(", a\nb: 1\n").find("one YAML document"), std::string::npos);
    EXPECT_NE(error_for("a: 1\n---\nb: 1\n").find("one YAML document, has more"),
              std::string::npos);
    EXPECT_NE(error_for(std::string(100000, '[')).find("is not YAML"), std::string::npos);
}

TEST(YamlReader, NamesAMissingFileAndAFolder) {
    const std::string missing = support::absent("a.yaml");
    EXPECT_EQ(error_of([&] { return read_text_file(missing); }),
              "file '" + missing + "' does not exist");
    EXPECT_EQ(error_of([] { return read_text_file("/"); }), "file '/' is a folder, not a file");
}

TEST(YamlReader, TakesAByteOrderMarkAndWindowsLines) {
    const Folder folder;
    const std::string path =
        folder.write("spec.yaml", "\xEF\xBB\xBFname: a\r\nmesh: {growth: 1}\r\n");

    const v1::GreensBatch batch = read_yaml(read_text_file(path), path);

    EXPECT_EQ(batch.name(), "a");
    EXPECT_EQ(batch.mesh().growth(), 1.0);
}

}  // namespace
}  // namespace kaname::request::yaml_reader_test
