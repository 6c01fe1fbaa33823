// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/load.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::canonical_test {
namespace {

using namespace examples;

TEST(Canonical, KilometresEqualMetres) {
    const v1::GreensBatch km = plane_batch();
    const v1::GreensBatch m = read_yaml(with(kPlaneYaml, "length_km: 16.1", "length_m: 16100"));

    EXPECT_EQ(canonical_json(km), canonical_json(m));
    EXPECT_EQ(content_hash(km), content_hash(m));
    EXPECT_NE(canonical_json(km).find("\"length_m\":16100,"), std::string::npos);
}

TEST(Canonical, RoundingAbsorbsTheLastDigitsOnly) {
    v1::GreensBatch base = plane_batch();
    v1::GreensBatch rounding = base;
    rounding.mutable_fault()->mutable_plane()->set_length_m(16100.0 * (1.0 + 1e-14));
    v1::GreensBatch other = base;
    other.mutable_fault()->mutable_plane()->set_length_m(16100.0 * (1.0 + 1e-10));

    EXPECT_EQ(content_hash(rounding), content_hash(base));
    EXPECT_NE(content_hash(other), content_hash(base));
}

TEST(Canonical, DefaultsEqualTheirAbsence) {
    v1::GreensBatch filled = plane_batch();
    fill_defaults(filled);

    EXPECT_EQ(content_hash(filled), content_hash(plane_batch()));
}

TEST(Canonical, OrderOfKeysDoesNotMatterAndKeysAreSorted) {
    const std::string one = "{mesh: {size_far_m: 2, size_at_fault_m: 1}, region: {depth_m: 5}}";
    const std::string two = "{region: {depth_m: 5}, mesh: {size_at_fault_m: 1, size_far_m: 2}}";

    const std::string json = canonical_json(read_yaml(one));

    EXPECT_EQ(json, canonical_json(read_yaml(two)));
    EXPECT_NE(json.find("\"mesh\":{\"growth\":0.3,\"size_at_fault_m\":1,\"size_far_m\":2}"),
              std::string::npos)
        << json;
}

TEST(Canonical, WhatWasComputedWhenMeshesInLayersHadTwoNumbersMoreIsFound) {
    const std::string text = key_text(plane_batch());

    EXPECT_NE(text.find(R"("mesh":{"growth":0.3,"layers_above":5,"layers_below":8,"size_at)"),
              std::string::npos)
        << text;
    EXPECT_EQ(content_hash(plane_batch()),
              "6a2472a2d27a1ecb2057ef9d7b1a44fb31e369e3a6c1259856b90ae539989631");
    for (const std::string& others : {kVolumesYaml, kMeshYaml}) {
        v1::GreensBatch batch = read_yaml(others);
        batch.clear_structure();
        batch.clear_fault();
        (others == kMeshYaml ? *batch.mutable_mesh()->mutable_file()
                             : *batch.mutable_structure()->add_surfaces()->mutable_file())
            .set_sha256("ab");
        EXPECT_EQ(key_text(batch), canonical_json(batch));
    }
}

TEST(Canonical, MinusZeroEqualsZero) {
    v1::GreensBatch minus = plane_batch();
    minus.mutable_fault()->mutable_plane()->set_strike_deg(-0.0);

    EXPECT_EQ(content_hash(minus), content_hash(plane_batch()));
}

TEST(Canonical, EscapesTexts) {
    v1::GreensBatch batch = plane_batch();
    batch.set_description("a \"quoted\"\nline\\");

    EXPECT_NE(canonical_json(batch).find(R"("description":"a \"quoted\"\u000aline\\")"),
              std::string::npos);
}

TEST(Canonical, LabelsAreNotContent) {
    v1::GreensBatch renamed = plane_batch();
    renamed.set_name("other");
    renamed.set_description("the same again");

    EXPECT_EQ(content_hash(renamed), content_hash(plane_batch()));
    EXPECT_NE(canonical_json(renamed), canonical_json(plane_batch()));
}

TEST(Canonical, AnyOtherFieldIsContent) {
    v1::GreensBatch looser = plane_batch();
    looser.mutable_solver()->set_tolerance(1e-6);
    v1::GreensBatch moved = plane_batch();
    moved.mutable_stations()->mutable_list(0)->set_lon_deg(135.3);

    EXPECT_NE(content_hash(looser), content_hash(plane_batch()));
    EXPECT_NE(content_hash(moved), content_hash(plane_batch()));
}

TEST(Canonical, RefusesAFileWithoutHash) {
    EXPECT_EQ(error_of([] { return canonical_json(read_yaml(kInterfaceYaml)); }),
              "fault.interface.surface has no sha256 to stand for its bytes");
}

TEST(Canonical, FilesStandByTheirBytesAndNotByTheirPath) {
    const Folder folder;
    const std::string here = folder.write("here/spec.yaml", kInterfaceYaml);
    folder.write("here/slab.csv", "slab");
    folder.write("here/gnss.csv", kStationCsv);
    const std::string there =
        folder.write("there/other.yaml", with(kInterfaceYaml, "slab.csv", "data/surface.csv"));
    folder.write("there/data/surface.csv", "slab");
    folder.write("there/gnss.csv", kStationCsv);

    const std::string hash = content_hash(load_batch_file(here).batch);

    EXPECT_EQ(content_hash(load_batch_file(there).batch), hash);
    EXPECT_EQ(canonical_json(load_batch_file(here).batch).find("path"), std::string::npos);
    folder.write("there/data/surface.csv", "slaB");
    EXPECT_NE(content_hash(load_batch_file(there).batch), hash);
}

}  // namespace
}  // namespace kaname::request::canonical_test
