// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/campaign/expand.hpp"

#include <random>
#include <set>

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/voxel_waves.pb.h"
#include "proto/request/form/json.hpp"
#include "proto/request/kinds.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::expand_test {
namespace {

using examples::Folder;
using examples::kPlaneYaml;
using examples::lines;

constexpr const char* kHead = "schema: kaname.v1.Campaign\nname: many\nbase: base.yaml\nvary:\n";

Expansion expand(const Folder& folder, const std::string& vary, const ExpandOptions& options = {},
                 const std::string& base = kPlaneYaml) {
    folder.write("base.yaml", base);
    return expand_campaign(folder.write("campaign.yaml", kHead + vary), built_in_kinds(), options);
}

std::string complaints(const Folder& folder, const std::string& vary) {
    try {
        (void)expand(folder, vary);
    } catch (const ValidationError& error) {
        return lines(error.violations());
    }
    return "";
}

const v1::GreensBatch& batch_of(const Member& member) {
    return dynamic_cast<const v1::GreensBatch&>(member.request->message());
}

std::vector<std::string> labels_of(const Expansion& expansion) {
    std::vector<std::string> labels;
    for (const Member& member : expansion.members) {
        labels.push_back(member.label);
    }
    return labels;
}

TEST(Expand, CrossesAxesWithTheLastFastest) {
    const Folder folder;
    const Expansion found = expand(folder,
                                   "  - {name: dip, key: fault.plane.dip_deg, values: [80, 90]}\n"
                                   "  - {name: length, key: fault.plane.length_km, "
                                   "range: {from: 10, to: 20, step: 5}}\n");

    EXPECT_EQ(labels_of(found), (std::vector<std::string>{"dip=80,length=10", "dip=80,length=15",
                                                          "dip=80,length=20", "dip=90,length=10",
                                                          "dip=90,length=15", "dip=90,length=20"}));
    EXPECT_EQ(batch_of(found.members[1]).fault().plane().length_m(), 15e3);
    EXPECT_EQ(found.axes[1].unit(), "km");
    EXPECT_EQ(found.members[5].values, (std::vector<std::string>{"90", "20"}));
}

TEST(Expand, EntriesOfListsWithoutNamesAreCounted) {
    const Folder folder;
    const Expansion found = expand(
        folder,
        "  - {name: x, key: 'model.shapes[0].cylinder.centre.x_mm', values: [20, 40]}\n"
        "  - {name: at, key: 'sources[knock].at.x_cm', values: [1]}\n"
        "  - {name: pitch, key: 'sources[knock].time_function.frequency_khz', values: [40]}\n"
        "  - {name: end, key: time.end_us, values: [30]}\n",
        {},
        "schema: kaname.v1.VoxelWaves\nname: bar\n"
        "model:\n  size_x_mm: 60\n  size_y_mm: 20\n  size_z_mm: 20\n  spacing_mm: 4\n"
        "  materials: [{name: steel, vp_m_per_s: 5900, vs_m_per_s: 3200, density_kg_per_m3: "
        "7850}]\n"
        "  fill: steel\n"
        "  shapes: [{material: void, cylinder: {axis: y, centre: {x_mm: 30, z_mm: 10}, "
        "radius_mm: 5}}]\n"
        "sources: [{id: knock, at: {x_mm: 0, y_mm: 0, z_mm: 0}, force: {z_n: 1}, "
        "time_function: {kind: ricker, frequency_khz: 20}}]\n"
        "receivers: [{id: R, at: {x_mm: 60, y_mm: 0, z_mm: 0}}]\ntime: {end_us: 20}\n");

    ASSERT_EQ(found.members.size(), 2U);
    const auto& waves = dynamic_cast<const v1::VoxelWaves&>(found.members[1].request->message());
    EXPECT_DOUBLE_EQ(waves.model().shapes(0).cylinder().centre().x_m(), 0.04);
    EXPECT_DOUBLE_EQ(waves.model().shapes(0).cylinder().centre().z_m(), 0.01);
    EXPECT_DOUBLE_EQ(waves.sources(0).at().x_m(), 0.01);
    const char* const units[] = {"mm", "cm", "kHz", "us"};
    for (std::size_t axis = 0; axis < 4; ++axis) {
        EXPECT_EQ(found.axes[axis].unit(), units[axis]);
    }
}

TEST(Expand, TheExampleOfWavesMovesItsBar) {
    const std::string folder = std::string(KANAME_SOURCE_DIR) + "/docs/examples/rebar/";
    const Expansion found =
        expand_campaign(folder + "rebar_campaign.yaml", built_in_kinds(), ExpandOptions());

    ASSERT_EQ(found.members.size(), 9U);
    EXPECT_EQ(found.members[3].label, "bar_x=160,bar_z=100");
    const auto base =
        built_in_kinds().of_schema("kaname.v1.VoxelWaves").load(folder + "rebar.yaml");
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
        found.members[3].request->message(), base->message()));
}

TEST(Expand, ZippedAxesVaryTogether) {
    const Folder folder;
    const Expansion found = expand(
        folder,
        "  - {name: dip, key: fault.plane.dip_deg, values: [70, 80, 90], along: shape}\n"
        "  - {name: eta, key: 'structure.materials[mantle].viscosity_pa_s', "
        "range: {from: 1e18, to: 1e19, n: 2, scale: log}}\n"
        "  - {name: strike, key: fault.plane.strike_deg, values: [5, 6, 7], along: shape}\n");

    ASSERT_EQ(found.members.size(), 6U);
    for (std::size_t k = 0; k < 6; ++k) {
        const v1::Plane& plane = batch_of(found.members[k]).fault().plane();
        EXPECT_EQ(plane.strike_deg(), 5 + (plane.dip_deg() - 70) / 10);
    }
    EXPECT_EQ(found.members[1].label, "dip=70,eta=1e+19,strike=5");
    EXPECT_EQ(found.axes[1].unit(), "Pa s");
}

TEST(Expand, ZippedAxesOfOtherLengthsAreTold) {
    const Folder folder;
    EXPECT_EQ(complaints(folder,
                         "  - {name: a, key: fault.plane.dip_deg, values: [70, 80], along: s}\n"
                         "  - {name: b, key: fault.plane.strike_deg, values: [1], along: s}\n"),
              "vary[1].along: line 6: axes along 's' must have as many values: b has 1, a has 2\n");
}

TEST(Expand, MembersAreTheBaseWithTheseKeysSet) {
    const Folder folder;
    const Expansion alone =
        expand(folder, "  - {name: dip, key: fault.plane.dip_deg, values: [90]}\n");
    std::mt19937 random(7);
    std::uniform_int_distribution<int> count(1, 4);
    for (int round = 0; round < 20; ++round) {
        const int dips = count(random), lengths = count(random), ends = count(random);
        const auto values = [](int n, double first) {
            std::string text;
            for (int k = 0; k < n; ++k) {
                text += (k > 0 ? ", " : "") + std::to_string(first + k);
            }
            return "[" + text + "]";
        };
        const std::string vary =
            "  - {name: dip, key: fault.plane.dip_deg, values: " + values(dips, 80) + "}\n" +
            "  - {name: length, key: fault.plane.length_km, values: " + values(lengths, 11) +
            "}\n" + "  - {name: end, key: time.end_years, values: " + values(ends, 2) + "}\n";
        const Expansion found = expand(folder, vary);
        ASSERT_EQ(found.members.size(), static_cast<std::size_t>(dips * lengths * ends));
        std::set<std::string> labels;
        for (const Member& member : found.members) {
            labels.insert(member.label);
            v1::GreensBatch wanted = batch_of(alone.members[0]);
            wanted.mutable_fault()->mutable_plane()->set_dip_deg(std::stod(member.values[0]));
            wanted.mutable_fault()->mutable_plane()->set_length_m(1e3 *
                                                                  std::stod(member.values[1]));
            wanted.mutable_time()->set_end_s(batch_of(alone.members[0]).time().end_s() / 2 *
                                             std::stod(member.values[2]));
            EXPECT_TRUE(
                google::protobuf::util::MessageDifferencer::Equals(wanted, batch_of(member)))
                << member.label;
        }
        EXPECT_EQ(labels.size(), found.members.size());
        const Expansion again = expand(folder, vary);
        for (std::size_t k = 0; k < found.members.size(); ++k) {
            EXPECT_EQ(found.members[k].label, again.members[k].label);
            EXPECT_EQ(to_json(batch_of(found.members[k])), to_json(batch_of(again.members[k])));
        }
    }
}

TEST(Expand, RowsSetSeveralKeysAndSubtrees) {
    const Folder folder;
    folder.write("stiff.yaml",
                 "materials: [{name: rock, lambda_gpa: 50, mu_gpa: 50}]\n"
                 "layers: [{material: rock}]\n");
    const Expansion found = expand(
        folder,
        "  - name: earth\n"
        "    rows:\n"
        "      - {name: soft, 'structure.materials[0].vs_km_per_s': 3.5, time.end_years: 3}\n"
        "      - name: half\n"
        "        structure:\n"
        "          materials: [{name: rock, lambda_gpa: 30, mu_gpa: 30}]\n"
        "          layers: [{material: rock}]\n"
        "      - {name: stiff, structure: stiff.yaml}\n");

    ASSERT_EQ(labels_of(found),
              (std::vector<std::string>{"earth=soft", "earth=half", "earth=stiff"}));
    EXPECT_EQ(batch_of(found.members[0]).structure().materials(0).vs_m_per_s(), 3500);
    EXPECT_EQ(batch_of(found.members[1]).structure().materials_size(), 1);
    EXPECT_EQ(batch_of(found.members[2]).structure().materials(0).mu_pa(), 50e9);
}

TEST(Expand, TablesAreCsv) {
    const Folder folder;
    folder.write("tables/faults.csv",
                 "name,fault.plane.dip_deg,fault.plane.width_km\n# two\nflat,20,30\nsteep,80,12\n");
    const Expansion found = expand(folder, "  - {name: fault, table: tables/faults.csv}\n");

    ASSERT_EQ(found.members.size(), 2U);
    EXPECT_EQ(batch_of(found.members[1]).fault().plane().width_m(), 12e3);
    EXPECT_EQ(found.axes[0].keys_size(), 2);
    EXPECT_EQ(
        complaints((folder.write("tables/faults.csv", "name,fault.plane.dip_deg\na,x\n"), folder),
                   "  - {name: fault, table: tables/faults.csv}\n"),
        "member fault=a: fault.plane.dip_deg: faults.csv: line 2: expected a number (its "
        "unit is part of the key), got 'x'\n");
}

TEST(Expand, FilesOfValuesCountFromTheCampaign) {
    const Folder folder;
    folder.write("base.csv", "station,lon_deg,lat_deg\nZ,135.1,33.1\n");
    folder.write("elsewhere/one.csv", "station,lon_deg,lat_deg\nA,135.1,33.1\n");
    folder.write("elsewhere/two.csv", "station,lon_deg,lat_deg\nA,135.2,33.1\nB,135.3,33.1\n");
    const std::string base =
        examples::with(kPlaneYaml, "  list:\n    - {id: G001, lon_deg: 135.2, lat_deg: 33.1}\n",
                       "  files: [base.csv]\n");
    const Expansion found =
        expand(folder,
               "  - {name: net, key: 'stations.files[0]', values: [elsewhere/one.csv, "
               "elsewhere/two.csv]}\n",
               {}, base);

    EXPECT_EQ(found.members.at(1).label, "net=two");
    EXPECT_EQ(batch_of(found.members[1]).stations().files(0).path(),
              folder.path() + "/elsewhere/two.csv");
}

TEST(Expand, WrongMembersAreNamedOnceForEachRule) {
    const Folder folder;
    const std::string vary =
        "  - {name: dip, key: fault.plane.dip_deg, values: [90, 91]}\n"
        "  - {name: width, key: fault.plane.width_km, values: [12, -1]}\n";

    EXPECT_EQ(complaints(folder, vary),
              "members dip=90,width=-1 and dip=91,width=-1: fault.plane.width_m: must be > 0, got "
              "-1 (width_km in line 6 of campaign.yaml)\n"
              "members dip=91,width=12 and dip=91,width=-1: fault.plane.dip_deg: must be in "
              "1..90, got 91 (line 5 of campaign.yaml)\n");
    ExpandOptions skip;
    skip.skip_bad = true;
    const Expansion found = expand(folder, vary, skip);
    EXPECT_EQ(labels_of(found), (std::vector<std::string>{"dip=90,width=12"}));
    EXPECT_EQ(found.skipped.size(), 3U);
}

TEST(Expand, NamesMustDifferAndSpecificationsToo) {
    const Folder folder;
    EXPECT_EQ(
        complaints(folder, "  - {name: eta, key: time.end_years, values: [\"a b\", \"a-b\"]}\n"),
        "vary[0]: line 5: values must have names of their own, got 'a-b' for value 0 and "
        "value 1\n");
    EXPECT_EQ(complaints(folder, "  - {name: dip, key: fault.plane.dip_deg, values: [80, 80.0]}\n"),
              "member dip=80.0: vary: members must differ, and it is the same request as "
              "dip=80\n");
}

TEST(Expand, EverythingWrongWithTheFileIsToldAtOnce) {
    const Folder folder;
    EXPECT_EQ(complaints(folder,
                         "  - {name: Dip, key: fault.plane.dip_deg, values: []}\n"
                         "  - {name: x, key: time.end_years, values: [1], range: {}}\n"
                         "  - {name: y, key: time.end_years, range: {from: 1, to: 2}, colour: 1}\n"
                         "  - {name: station, values: [1]}\n"),
              "vary[0].values: line 5: expected a list of at least one value\n"
              "vary[1]: line 6: must have one of values, range, rows and table, has values and "
              "range\n"
              "vary[2].colour: line 7: unknown key 'colour'; known here: name, key, keys, values, "
              "range, rows, table, along or unit\n"
              "vary[2].range: line 7: must have step or n, one of them\n"
              "vary[3].key: line 8: must be given: what the values set\n"
              "vary[0].name: line 5: must be 1 to 63 lower-case letters, digits, '-' and '_', "
              "beginning with a letter or digit, got 'Dip'\n"
              "vary[2].key: line 7: 'time.end_years' is set by vary[1] already\n"
              "vary[3].name: line 8: must not be 'station': the index has one\n");
}

TEST(Expand, KeysThatAreNotThereAreTold) {
    const Folder folder;
    EXPECT_EQ(complaints(folder, "  - {name: a, key: fault.plain.dip_deg, values: [1]}\n"),
              "member a=1: fault.plain.dip_deg: campaign.yaml: line 5: unknown key 'plain'; did "
              "you mean plane?\n");
    EXPECT_EQ(
        complaints(folder, "  - {name: a, key: 'structure.materials[core].mu_gpa', values: [1]}\n"),
        "member a=1: structure.materials[core].mu_gpa: campaign.yaml: line 5: there is no "
        "entry 'core' in structure.materials, which has 2; entries are counted from 0: "
        "materials[0]\n");
    EXPECT_EQ(complaints(folder, "  - {name: a, key: structure.materials.mu_gpa, values: [1]}\n"),
              "member a=1: structure.materials.mu_gpa: campaign.yaml: line 5: 'materials' is a "
              "list: name an entry, as in materials[0] or materials[NAME]\n");
}

TEST(Expand, NamesThatAreTooLongAndTooManyAxesAreRefused) {
    const Folder folder;
    const std::string word(210, 'w');
    EXPECT_EQ(
        complaints(folder, "  - {name: a, rows: [{name: " + word + ", time.end_years: 3}]}\n"),
        "member a=" + word +
            ": vary: the name of a member must have at most 200 bytes, got 212; values in "
            "rows get names of their own\n");
    std::string many;
    for (int k = 0; k < 17; ++k) {
        many += "  - {name: a" + std::to_string(k) + ", key: k" + std::to_string(k) +
                ", values: [1]}\n";
    }
    EXPECT_EQ(complaints(folder, many), "vary: must have at most 16 axes, got 17\n");
}

TEST(Expand, MoreMembersThanOneCanLookOverAreRefused) {
    const Folder folder;
    const std::string range = ", range: {from: 1, to: 100, n: 101}}\n";
    EXPECT_EQ(complaints(folder, "  - {name: a, key: fault.plane.width_km" + range +
                                     "  - {name: b, key: fault.plane.length_km" + range),
              "vary: must give at most 10000 members, gives 101 x 101\n");
}

}  // namespace
}  // namespace kaname::request::expand_test
