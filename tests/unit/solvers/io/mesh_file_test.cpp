// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/mesh_file.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::io::mesh_file_test {
namespace {

mesh::TetMesh two_tets() {
    mesh::TetMesh mesh;
    mesh.xyz = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.2, -1.5}};
    mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 4}};
    mesh.material = {0, 3};
    mesh.fault_faces = {{{0, 1, 2}}};
    mesh.boundary_faces = {{{0, 1, 3}, mesh::Side::South}, {{1, 2, 3}, mesh::Side::Top}};
    return mesh;
}

// Hash of two_tets(): its arrays hashed as programs did that wrote format 1.
constexpr const char* kHash = "fe5a5f0174c40f70363c5c20a421604755e0b1e8e6d51854fa2c7629ba5758c2";

class MeshFile : public testing::Test {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
    }

    support::TemporaryFolder folder_;
    std::string path_ = folder_.path("mesh.h5");
};

TEST_F(MeshFile, ReadsBackTheSameMesh) {
    const mesh::TetMesh mesh = two_tets();

    write_mesh(path_, mesh);
    const mesh::TetMesh back = read_mesh(path_);

    EXPECT_EQ(back.xyz, mesh.xyz);
    EXPECT_EQ(back.tets, mesh.tets);
    EXPECT_EQ(back.material, mesh.material);
    ASSERT_EQ(back.fault_faces.size(), 1u);
    EXPECT_EQ(back.fault_faces[0].vertices, mesh.fault_faces[0].vertices);
    ASSERT_EQ(back.boundary_faces.size(), 2u);
    EXPECT_EQ(back.boundary_faces[1].vertices, mesh.boundary_faces[1].vertices);
    EXPECT_EQ(back.boundary_faces[1].side, mesh::Side::Top);
    EXPECT_EQ(mesh_sha256(back), mesh_sha256(mesh));
}

TEST_F(MeshFile, ReadsBackMeshWithoutFault) {
    mesh::TetMesh mesh = two_tets();
    mesh.fault_faces.clear();

    write_mesh(path_, mesh);

    EXPECT_TRUE(read_mesh(path_).fault_faces.empty());
}

TEST_F(MeshFile, ReadsBackNamedSurfacesAndFaults) {
    mesh::TetMesh mesh = two_tets();
    mesh.faults = {"slab", "splay fault"};
    mesh.fault_faces[0].fault = 1;
    mesh.surfaces = {"bottom", "free surface"};
    mesh.top = mesh::SurfaceId(1);
    mesh.boundary_faces[0].side = mesh::SurfaceId(0);
    mesh.boundary_faces[1].side = mesh.top;

    write_mesh(path_, mesh);
    const mesh::TetMesh back = read_mesh(path_);

    EXPECT_EQ(back.faults, mesh.faults);
    EXPECT_EQ(back.fault_faces[0].fault, 1);
    EXPECT_EQ(back.surfaces, mesh.surfaces);
    EXPECT_EQ(back.top.index, 1);
    EXPECT_EQ(back.boundary_faces[1].side, back.top);
    EXPECT_EQ(mesh_sha256(back), mesh_sha256(mesh));
    mesh.fault_faces[0].fault = 0;
    EXPECT_NE(mesh_sha256(back), mesh_sha256(mesh));
}

TEST_F(MeshFile, ReadsBackVolumesWhichDoNotChangeTheHash) {
    mesh::TetMesh mesh = two_tets();
    mesh.volume = {1, 0};
    mesh.volumes = {"slab", "mantle"};

    write_mesh(path_, mesh);
    const mesh::TetMesh back = read_mesh(path_);

    EXPECT_EQ(back.volume, mesh.volume);
    EXPECT_EQ(back.volumes, mesh.volumes);
    EXPECT_EQ(mesh_sha256(back), kHash);
}

TEST_F(MeshFile, RefusesVolumesThatAreNotThere) {
    mesh::TetMesh mesh = two_tets();
    mesh.volume = {1};
    mesh.volumes = {"slab"};
    EXPECT_THROW(write_mesh(path_, mesh), Error);

    mesh.volume = {0, 1};
    write_mesh(path_, mesh);
    EXPECT_THROW((void)read_mesh(path_), Error);
}

TEST_F(MeshFile, LabelsAreKeptBesideTheMeshAndChangeNoHash) {
    write_mesh(path_, two_tets());
    EXPECT_TRUE(read_mesh_labels(path_).materials.empty());
    EXPECT_EQ(read_mesh_labels(path_).report_text, "");

    write_mesh(path_, two_tets(), {{"crust", "a", "b", "mantle"}, "fine\n", "{}"});
    const MeshLabels labels = read_mesh_labels(path_);

    EXPECT_EQ(labels.materials, (std::vector<std::string>{"crust", "a", "b", "mantle"}));
    EXPECT_EQ(labels.report_text, "fine\n");
    EXPECT_EQ(labels.report_json, "{}");
    EXPECT_EQ(mesh_sha256(read_mesh(path_)), kHash);
}

TEST_F(MeshFile, GivesARankItsRowsAlone) {
    write_mesh(path_, two_tets());

    const h5::File file(path_, h5::File::Mode::Read);

    EXPECT_EQ(file.read_block<std::int32_t>("tets", {1, 0}, {1, 4}, {1, 1}),
              (std::vector<std::int32_t>{0, 2, 1, 4}));
    EXPECT_EQ(file.read_block<double>("xyz", {4, 0}, {1, 3}, {1, 1}),
              (std::vector<double>{0.1, 0.2, -1.5}));
}

TEST_F(MeshFile, ReadsTheFirstFormat) {
    const mesh::TetMesh mesh = two_tets();
    {
        h5::File file(path_, h5::File::Mode::Create);
        file.set_attribute("/", "format", std::string("kaname-mesh-1"));
        std::vector<double> xyz;
        for (const Vec3& x : mesh.xyz) {
            xyz.insert(xyz.end(), {x.x, x.y, x.z});
        }
        using Ids = std::vector<std::int32_t>;
        file.write<double>("xyz", xyz, {5, 3});
        file.write<std::int32_t>("tets", Ids{0, 1, 2, 3, 0, 2, 1, 4}, {2, 4});
        file.write<std::int32_t>("material", Ids{0, 3}, {2});
        file.write<std::int32_t>("fault_faces", Ids{0, 1, 2}, {1, 3});
        file.write<std::int32_t>("boundary_faces", Ids{0, 1, 3, 1, 2, 3}, {2, 3});
        file.write<std::uint8_t>("boundary_sides", std::vector<std::uint8_t>{2, 5}, {2});
    }

    const mesh::TetMesh back = read_mesh(path_);

    EXPECT_EQ(back.boundary_faces[1].side, mesh::Side::Top);
    EXPECT_EQ(back.fault_faces[0].fault, 0);
    EXPECT_EQ(mesh_sha256(back), mesh_sha256(mesh));
}

TEST_F(MeshFile, RefusesTetThatNamesMissingVertex) {
    mesh::TetMesh mesh = two_tets();
    mesh.tets[1][3] = 5;
    write_mesh(path_, mesh);

    try {
        (void)read_mesh(path_);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_NE(std::string(error.what()).find("'tets': entry 7 names vertex 5"),
                  std::string::npos)
            << error.what();
    }
}

TEST_F(MeshFile, RefusesForeignHdf5File) {
    {
        h5::File file(path_, h5::File::Mode::Create);
        file.set_attribute("/", "format", std::string("other"));
    }

    EXPECT_THROW((void)read_mesh(path_), Error);
}

TEST(MeshSha256, OfABoxIsTheOneItHadBeforeSurfacesHadNames) {
    EXPECT_EQ(mesh_sha256(two_tets()), kHash);
}

TEST(MeshSha256, ChangesWithAnyArray) {
    const std::string before = mesh_sha256(two_tets());

    mesh::TetMesh moved = two_tets();
    moved.xyz[4].z = -1.5000001;
    mesh::TetMesh other_material = two_tets();
    other_material.material[0] = 1;
    mesh::TetMesh other_side = two_tets();
    other_side.boundary_faces[0].side = mesh::Side::North;

    EXPECT_EQ(before.size(), 64u);
    EXPECT_NE(mesh_sha256(moved), before);
    EXPECT_NE(mesh_sha256(other_material), before);
    EXPECT_NE(mesh_sha256(other_side), before);
}

}  // namespace
}  // namespace kaname::io::mesh_file_test
