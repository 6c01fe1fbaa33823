// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/mesh_export.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <regex>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/mesh_file.hpp"
#include "solvers/meshing/gmsh/gmsh_import.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/unit/solvers/io/xml_facts.hpp"

namespace kaname::io::mesh_export_test {
namespace {

const std::vector<std::string> kMaterials = {"crust", "mantle & <slab>"};

/// A box with two materials, three volumes, and two level faults.
mesh::TetMesh box() {
    test::BoxMesh box;
    box.cells = {4, 3, 4};
    box.high = {4.0, 3.0, 4.0};
    box.faults = {{2, 1, {1, 1, 0}, {3, 2, 0}, true}, {2, 3, {1, 1, 0}, {2, 2, 0}, false}};
    box.material = [](const Vec3& x) { return x.z < 2.0 ? 1 : 0; };
    mesh::TetMesh mesh = box.build();
    mesh.faults = {"deep", "shallow"};
    for (mesh::FaultFace& face : mesh.fault_faces) {
        face.fault = mesh.xyz[face.vertices[0]].z > 2.0 ? 1 : 0;
    }
    mesh.volumes = {"slab", "mantle", "upper crust"};
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        mesh.volume.push_back(mesh.material[tet] == 0 ? 2 : mesh.xyz[mesh.tets[tet][0]].x < 2.0);
    }
    return mesh;
}

template <class Value>
using ByVertices = std::map<std::vector<std::int32_t>, Value>;

/// Maps the values of elements or faces by their vertices, in whatever order they come.
template <class Elements, class Vertices, class Value>
auto by_vertices(const Elements& elements, const Vertices& vertices, const Value& value) {
    ByVertices<std::decay_t<decltype(value(std::size_t{}))>> result;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto& v = vertices(elements[i]);
        std::vector<std::int32_t> key(v.begin(), v.end());
        std::ranges::sort(key);
        result[key] = value(i);
    }
    return result;
}

ByVertices<std::int32_t> materials_of(const mesh::TetMesh& mesh) {
    return by_vertices(
        mesh.tets, [](const auto& tet) { return tet; },
        [&](std::size_t i) { return mesh.material[i]; });
}

/// Name of the fault, and the vertices turned so that the smallest comes first.
auto faults_of(const mesh::TetMesh& mesh) {
    return by_vertices(
        mesh.fault_faces, [](const auto& face) { return face.vertices; },
        [&](std::size_t i) {
            auto turned = mesh.fault_faces[i].vertices;
            std::ranges::rotate(turned, std::ranges::min_element(turned));
            return std::pair(mesh.faults[mesh.fault_faces[i].fault], turned);
        });
}

auto surfaces_of(const mesh::TetMesh& mesh) {
    return by_vertices(
        mesh.boundary_faces, [](const auto& face) { return face.vertices; },
        [&](std::size_t i) { return mesh.surfaces[mesh.boundary_faces[i].side.index]; });
}

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        return error.what();
    }
    return "no error";
}

class MeshExport : public testing::Test {
protected:
    [[nodiscard]] std::string path(const char* name) const {
        return (folder_.path() / name).string();
    }

private:
    TemporaryFolder folder_;
};

TEST_F(MeshExport, GmshIsReadBackAsTheSameMesh) {
    const mesh::TetMesh mesh = box();

    write_gmsh41(path("box.msh"), mesh, kMaterials);

    meshing::GmshRoles roles;
    roles.materials = kMaterials;
    roles.faults = {{"deep", "f[0]"}, {"shallow", "f[1]"}};
    roles.top = "top";
    roles.length_unit = "m";
    const meshing::GmshImport back = meshing::import_gmsh(mesh::read_gmsh(path("box.msh")), roles);
    EXPECT_TRUE(back.notes.empty());
    EXPECT_EQ(back.mesh.xyz, mesh.xyz);
    EXPECT_EQ(materials_of(back.mesh), materials_of(mesh));
    EXPECT_EQ(surfaces_of(back.mesh), surfaces_of(mesh));
    EXPECT_EQ(back.mesh.surfaces[back.mesh.top.index], "top");
    // An import turns faults that are not vertical upwards; the shallow one points down.
    mesh::TetMesh upwards = mesh;
    for (mesh::FaultFace& face : upwards.fault_faces) {
        if (face.fault == 1) {
            std::swap(face.vertices[1], face.vertices[2]);
        }
    }
    EXPECT_EQ(faults_of(back.mesh), faults_of(upwards));
}

TEST_F(MeshExport, GmshHasAnEntityPerVolumeAndMaterialAndKeepsFaultNormals) {
    const mesh::TetMesh mesh = box();

    write_gmsh41(path("box.msh"), mesh, kMaterials, GmshVolumes::Volumes);

    const mesh::GmshMesh file = mesh::read_gmsh(path("box.msh"));
    EXPECT_EQ(file.volume_names, (std::map<std::int32_t, std::string>{
                                     {1, "slab"}, {2, "mantle"}, {3, "upper crust"}}));
    for (int volume = 0; volume < 3; ++volume) {
        EXPECT_EQ(std::ranges::count(file.tet_group, volume + 1),
                  std::ranges::count(mesh.volume, volume));
    }
    const auto first = std::ranges::find(file.triangle_group, 1 + 6 + 1);
    ASSERT_NE(first, file.triangle_group.end());
    EXPECT_EQ(file.surface_names.at(*first), "shallow");
    const auto shallow = std::ranges::find(mesh.fault_faces, 1, &mesh::FaultFace::fault)->vertices;
    EXPECT_EQ(file.triangles[first - file.triangle_group.begin()], shallow);
}

TEST_F(MeshExport, GmshNeedsNamesThatTellGroupsApart) {
    mesh::TetMesh same = box();
    same.faults[0] = "top";
    mesh::TetMesh unknown = box();
    unknown.volume.clear();

    const auto gmsh = [&](const mesh::TetMesh& mesh, const std::vector<std::string>& materials,
                          GmshVolumes by = GmshVolumes::Materials) {
        return error_of([&] { write_gmsh41(path("x.msh"), mesh, materials, by); });
    };
    EXPECT_NE(gmsh(same, kMaterials).find("cannot both be 'top'"), std::string::npos);
    EXPECT_NE(gmsh(box(), {"crust"}).find("material 1 of the mesh has no name, 1 are named"),
              std::string::npos);
    EXPECT_NE(gmsh(box(), {"crust", "\""}).find("must not be empty nor hold quotation marks"),
              std::string::npos);
    EXPECT_NE(gmsh(unknown, kMaterials, GmshVolumes::Volumes).find("does not say which volume"),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(path("x.msh")));
    EXPECT_FALSE(std::filesystem::exists(path("x.msh.part")));
}

/// A VTU file taken apart: the description, and the arrays behind it.
struct Vtu {
    explicit Vtu(const std::string& path) {
        const std::string text = read_file_if_any(path);
        const std::string mark = "<AppendedData encoding=\"raw\">\n_";
        const std::size_t at = text.find(mark);
        head = text.substr(0, at + mark.size());
        const std::string end = "\n  </AppendedData>\n</VTKFile>\n";
        EXPECT_TRUE(text.ends_with(end));
        raw = text.substr(head.size(), text.size() - head.size() - end.size());
        expect_well_formed(head.substr(0, head.size() - 1) + end);
    }
    template <class T>
    std::vector<T> array(const std::string& type, const std::string& name) {
        const std::regex description("<DataArray type=\"" + type + "\" Name=\"" + name +
                                     "\"(?: NumberOfComponents=\"3\")? format=\"appended\" "
                                     "offset=\"([0-9]+)\"/>");
        std::smatch found;
        EXPECT_TRUE(std::regex_search(head, found, description)) << name;
        const std::size_t offset = std::stoul(found[1]);
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, raw.data() + offset, sizeof bytes);
        used += sizeof bytes + bytes;
        std::vector<T> values(bytes / sizeof(T));
        std::memcpy(values.data(), raw.data() + offset + sizeof bytes, bytes);
        return values;
    }
    std::string head, raw;
    std::size_t used = 0;  ///< bytes of the arrays asked for
};

TEST_F(MeshExport, VtuHoldsCellsWithTheirMaterialVolumeAndWorstAngle) {
    const mesh::TetMesh mesh = box();

    const auto written = write_vtu(path("box.vtu"), mesh, kMaterials);

    ASSERT_EQ(written, (std::vector<std::string>{path("box.vtu"), path("box_faces.vtu")}));
    Vtu file(written[0]);
    const auto points = file.array<double>("Float64", "Points");
    ASSERT_EQ(points.size(), 3 * mesh.xyz.size());
    EXPECT_EQ((Vec3{points[3], points[4], points[5]}), mesh.xyz[1]);
    const auto connectivity = file.array<std::int32_t>("Int32", "connectivity");
    ASSERT_EQ(connectivity.size(), 4 * mesh.tets.size());
    for (std::size_t i = 0; i < connectivity.size(); ++i) {
        ASSERT_EQ(connectivity[i], mesh.tets[i / 4][i % 4]);
    }
    EXPECT_EQ(file.array<std::int32_t>("Int32", "material"), mesh.material);
    EXPECT_EQ(file.array<std::int32_t>("Int32", "volume"), mesh.volume);
    // The box's cells are cubes cut into six tets around their diagonal.
    for (const float angle : file.array<float>("Float32", "min_dihedral_deg")) {
        EXPECT_NEAR(angle, 45.0F, 1e-4F);
    }
    const auto offsets = file.array<std::int64_t>("Int64", "offsets");
    EXPECT_EQ(offsets.front(), 4);
    EXPECT_EQ(offsets.back(), std::ssize(connectivity));
    const auto types = file.array<std::uint8_t>("UInt8", "types");
    EXPECT_EQ(std::ranges::count(types, 10), std::ssize(mesh.tets));
    EXPECT_EQ(file.used, file.raw.size());
    EXPECT_NE(file.head.find("<DataArray type=\"Int32\" Name=\"volume.slab\" NumberOfTuples=\"1\" "
                             "format=\"ascii\">0</DataArray>"),
              std::string::npos);
}

TEST_F(MeshExport, VtuOfFacesTellsSurfacesAndFaults) {
    const mesh::TetMesh mesh = box();

    Vtu file(write_vtu(path("box.vtu"), mesh, kMaterials)[1]);

    const auto points = file.array<double>("Float64", "Points");
    const auto connectivity = file.array<std::int32_t>("Int32", "connectivity");
    const auto surface = file.array<std::int32_t>("Int32", "surface");
    const auto fault = file.array<std::int32_t>("Int32", "fault");
    const std::size_t outer = mesh.boundary_faces.size();
    ASSERT_EQ(surface.size(), outer + mesh.fault_faces.size());
    ASSERT_EQ(connectivity.size(), 3 * surface.size());
    for (std::size_t face = 0; face < surface.size(); ++face) {
        const bool on_fault = face >= outer;
        const auto& vertices =
            on_fault ? mesh.fault_faces[face - outer].vertices : mesh.boundary_faces[face].vertices;
        for (int k = 0; k < 3; ++k) {
            const double* x = &points[3 * connectivity[3 * face + k]];
            ASSERT_EQ((Vec3{x[0], x[1], x[2]}), mesh.xyz[vertices[k]]);
        }
        ASSERT_EQ(surface[face], on_fault ? -1 : mesh.boundary_faces[face].side.index);
        ASSERT_EQ(fault[face], on_fault ? mesh.fault_faces[face - outer].fault : -1);
    }
    EXPECT_NE(error_of([&] {
                  (void)write_vtu(path("box.vtk"), mesh, kMaterials);
              }).find("must end in .vtu"),
              std::string::npos);
}

TEST_F(MeshExport, XdmfNamesTheArraysBesideIt) {
    if (!h5::available()) {
        GTEST_SKIP() << "built without HDF5";
    }
    const mesh::TetMesh mesh = box();
    write_mesh(path("a & b.h5"), mesh);

    const std::string written = write_mesh_xdmf(path("a & b.h5"));

    EXPECT_EQ(written, path("a & b.xdmf"));
    const std::string xml = read_file_if_any(written);
    expect_well_formed(xml);
    const h5::File file(path("a & b.h5"), h5::File::Mode::Read);
    const std::regex item(
        "<DataItem Dimensions=\"([0-9 ]+)\" NumberType=\"(Int|Float)\" "
        "Precision=\"[48]\" Format=\"HDF\">a &amp; b.h5:/([a-z_]+)</DataItem>");
    std::map<std::string, int> arrays;
    for (std::sregex_iterator at(xml.begin(), xml.end(), item), end; at != end; ++at) {
        const h5::Dims dims = file.dims((*at)[3]);
        std::string text = std::to_string(dims[0]);
        text += dims.size() > 1 ? " " + std::to_string(dims[1]) : "";
        EXPECT_EQ(text, (*at)[1]);
        ++arrays[(*at)[3]];
    }
    EXPECT_EQ(arrays, (std::map<std::string, int>{{"xyz", 3},
                                                  {"tets", 1},
                                                  {"material", 1},
                                                  {"volume", 1},
                                                  {"boundary_faces", 1},
                                                  {"boundary_ids", 1},
                                                  {"fault_faces", 1},
                                                  {"fault_ids", 1}}));
    EXPECT_EQ(count(xml, "TopologyType=\"Tetrahedron\" NumberOfElements=\"" +
                             std::to_string(mesh.tets.size())),
              1U);
}

TEST_F(MeshExport, XdmfLeavesOutFaultsThatAreNotThere) {
    if (!h5::available()) {
        GTEST_SKIP() << "built without HDF5";
    }
    mesh::TetMesh mesh = box();
    mesh.fault_faces.clear();
    mesh.volume.clear();
    write_mesh(path("mesh.h5"), mesh);

    const std::string xml = read_file_if_any(write_mesh_xdmf(path("mesh.h5")));

    EXPECT_EQ(count(xml, "GridType=\"Uniform\""), 2U);
    EXPECT_EQ(count(xml, "volume"), 0U);
}

}  // namespace
}  // namespace kaname::io::mesh_export_test
