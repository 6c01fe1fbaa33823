// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/gmsh/gmsh_mesh.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/gmsh_writer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::mesh::gmsh_mesh_test {
namespace {

/// Two tetrahedra as Gmsh's manual describes version 2.2, with a point, a line and foreign data.
constexpr const char* kMsh2 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
2 7 "slab interface"
3 1 "crust"
3 2 "mantle"
$EndPhysicalNames
$Nodes
5
10 0 0 0
20 1.5 0 0
30 0 2.5e0 0
40 0 0 +3.5
55 .1 -.2 -4
$EndNodes
$Elements
6
1 15 2 0 1 10
2 1 2 9 1 10 20
3 2 2 7 6 10 20 30
4 2 2 0 6 10 20 40
5 4 2 1 1 10 20 30 40
6 4 3 2 2 99 10 30 20 55
$EndElements
$NodeData
1 "anything $ at all"
$EndNodeData
)";

/// kMsh4 is the same mesh in version 4.1: the surface belongs to two physical groups, one of them
/// reversed.
constexpr const char* kMsh4 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
2 7 "slab interface"
3 1 "crust"
$EndPhysicalNames
$Entities
1 0 1 2
3 0 0 0 0
6 0 0 0 1 1 0 2 7 -8 0
1 0 0 0 1 1 1 1 1 1 6
2 0 0 -4 1 1 0 1 2 0
$EndEntities
$Nodes
2 5 10 55
2 6 1 3
10
20
30
0 0 0 0.5 0.5
1.5 0 0 0.5 0.5
0 2.5 0 0.5 0.5
3 1 0 2
40
55
0 0 3.5
0.1 -0.2 -4
$EndNodes
$Elements
4 4 1 4
0 3 15 1
1 10
2 6 2 1
2 10 20 30
3 1 4 1
3 10 20 30 40
3 2 4 1
4 10 30 20 55
$EndElements
)";

std::string error_of(const std::string& text) {
    try {
        (void)parse_gmsh(text, "model.msh");
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        return error.what();
    }
    return "no error";
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(ParseGmsh, ReadsVersion2ByHand) {
    const GmshMesh mesh = parse_gmsh(kMsh2, "model.msh");

    ASSERT_EQ(mesh.xyz.size(), 5u);
    EXPECT_EQ(mesh.xyz[3], (Vec3{0.0, 0.0, 3.5}));
    EXPECT_EQ(mesh.xyz[4], (Vec3{0.1, -0.2, -4.0}));
    ASSERT_EQ(mesh.tets.size(), 2u);
    EXPECT_EQ(mesh.tets[0], (std::array<std::int32_t, 4>{0, 1, 2, 3}));
    EXPECT_EQ(mesh.tets[1], (std::array<std::int32_t, 4>{0, 2, 1, 4}));
    EXPECT_EQ(mesh.tet_group, (std::vector<std::int32_t>{1, 2}));
    EXPECT_TRUE(mesh.tet_mid.empty());
    ASSERT_EQ(mesh.triangles.size(), 1u);
    EXPECT_EQ(mesh.triangles[0], (std::array<std::int32_t, 3>{0, 1, 2}));
    EXPECT_EQ(mesh.triangle_group[0], 7);
    EXPECT_EQ(mesh.surface_names, (std::map<std::int32_t, std::string>{{7, "slab interface"}}));
    EXPECT_EQ(mesh.volume_names,
              (std::map<std::int32_t, std::string>{{1, "crust"}, {2, "mantle"}}));
}

TEST(ParseGmsh, ReadsVersion4ByHand) {
    const GmshMesh mesh = parse_gmsh(kMsh4, "model.msh");

    ASSERT_EQ(mesh.xyz.size(), 5u);
    EXPECT_EQ(mesh.xyz[1], (Vec3{1.5, 0.0, 0.0}));
    EXPECT_EQ(mesh.xyz[4], (Vec3{0.1, -0.2, -4.0}));
    ASSERT_EQ(mesh.tets.size(), 2u);
    EXPECT_EQ(mesh.tets[1], (std::array<std::int32_t, 4>{0, 2, 1, 4}));
    EXPECT_EQ(mesh.tet_group, (std::vector<std::int32_t>{1, 2}));
    EXPECT_EQ(mesh.triangle_group, (std::vector<std::int32_t>{7, 8}));
    EXPECT_EQ(mesh.surface_names,
              (std::map<std::int32_t, std::string>{{7, "slab interface"}, {8, "8"}}));
    EXPECT_EQ(mesh.volume_names, (std::map<std::int32_t, std::string>{{1, "crust"}, {2, "2"}}));
}

TEST(ParseGmsh, EndsOfLinesMayBeThoseOfWindows) {
    std::string text;
    for (const char* c = kMsh2; *c != '\0'; ++c) {
        text += *c == '\n' ? "\r\n" : std::string(1, *c);
    }

    EXPECT_EQ(parse_gmsh(text, "model.msh").tets.size(), 2u);
    EXPECT_EQ(parse_gmsh(text, "model.msh").surface_names.at(7), "slab interface");
}

TEST(ParseGmsh, ErrorsNameSectionLineAndRule) {
    EXPECT_EQ(error_of(changed(kMsh2, "2.2 0", "3.0 0")).substr(0, 63),
              "model.msh: $MeshFormat, line 2: version must be 2.2 or 4.1, got");
    EXPECT_EQ(error_of(changed(kMsh2, "0 2.5e0", "0 2.5x0")),
              "model.msh: $Nodes, line 14: coordinate must be a finite number, got '2.5x0'");
    EXPECT_EQ(error_of(changed(kMsh2, "-4\n", "nan\n")),
              "model.msh: $Nodes, line 16: coordinate must be a finite number, got 'nan'");
    EXPECT_EQ(error_of(changed(kMsh2, "5 4 2 1", "5 5 2 1")),
              "model.msh: $Elements, line 24: element type 5 (hexahedron) must be a tetrahedron or "
              "a triangle of first or second order");
    EXPECT_EQ(error_of(changed(kMsh2, "10 30 20 55", "10 30 20 56")),
              "model.msh: $Elements, line 25: an element has node 56, which $Nodes does not list");
    EXPECT_EQ(error_of(changed(kMsh2, "20 1.5", "10 1.5")),
              "model.msh: $Nodes, line 16: node 10 is listed twice");
    EXPECT_EQ(error_of(changed(kMsh2, "$Nodes\n5", "$Nodes\n999999999999")).substr(0, 88),
              "model.msh: $Nodes, line 11: number of nodes is 999999999999, but only 254 bytes "
              "are left");
    EXPECT_EQ(error_of(changed(kMsh2, "$Nodes\n5", "$Nodes\n4")),
              "model.msh: $Nodes, line 16: must end here with $EndNodes, got '55 .1 -.2 -4'");
    EXPECT_EQ(error_of(std::string(kMsh4).substr(0, 200)),
              "model.msh: $Entities, line 15: must end here with $EndEntities, got '$En'");
}

TEST(ParseGmsh, RefusesWhatItDoesNotRead) {
    EXPECT_NE(error_of(changed(kMsh4, "1 0 0 0 1 1 1 1 1 1 6", "1 0 0 0 1 1 1 2 1 5 1 6"))
                  .find("belongs to the physical volumes 1 and 5, must belong to one"),
              std::string::npos);
    EXPECT_NE(error_of(changed(kMsh4, "$Entities", "$PartitionedEntities"))
                  .find("partitioned meshes are not read"),
              std::string::npos);
    EXPECT_NE(error_of(changed(kMsh4, "4 4 1 4", "4 5 1 4"))
                  .find("the blocks hold 4 elements, must hold 5"),
              std::string::npos);
    EXPECT_NE(error_of(std::string(kMsh2) + "$Nodes\n0\n$EndNodes\n").find("stands twice"),
              std::string::npos);
    EXPECT_NE(error_of("$Nodes\n").find("must begin with $MeshFormat"), std::string::npos);
    EXPECT_NE(error_of("").find("must begin with $MeshFormat"), std::string::npos);
    EXPECT_NE(error_of("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n").find("has no tetrahedra"),
              std::string::npos);
}

TEST(ReadGmsh, NamesAMissingFile) {
    EXPECT_THROW((void)read_gmsh(support::absent("model.msh")), Error);
}

/// A box of two materials with a fault, in one of the formats.
class GmshStyles : public testing::TestWithParam<test::GmshStyle> {
protected:
    static TetMesh box() {
        test::BoxMesh box;
        box.cells = {2, 2, 2};
        box.faults = {{2, 1, {0, 0, 0}, {2, 1, 2}, true}};
        box.material = [](const Vec3& x) { return x.z < 0.5 ? 1 : 0; };
        return box.build();
    }
    static std::string text() { return test::write_gmsh(box(), {"crust", "mantle"}, GetParam()); }
};

TEST_P(GmshStyles, ReadsBackWhatWasWritten) {
    const TetMesh box = GmshStyles::box();

    const GmshMesh mesh = parse_gmsh(text(), "model.msh");

    ASSERT_EQ(mesh.tets.size(), box.tets.size());
    for (std::size_t v = 0; v < box.xyz.size(); ++v) {
        EXPECT_EQ(mesh.xyz[v], box.xyz[v]);
    }
    // Tets are written material after material.
    std::vector<std::array<std::int32_t, 4>> expected;
    for (const int material : {0, 1}) {
        for (std::size_t tet = 0; tet < box.tets.size(); ++tet) {
            if (box.material[tet] == material) {
                expected.push_back(box.tets[tet]);
            }
        }
    }
    EXPECT_EQ(mesh.tets, expected);
    EXPECT_EQ(std::ranges::count(mesh.tet_group, 2), std::ranges::count(box.material, 1));
    EXPECT_EQ(mesh.triangles.size(), box.boundary_faces.size() + box.fault_faces.size());
    EXPECT_EQ(std::ranges::count(mesh.triangle_group, 200), std::ssize(box.fault_faces));
    EXPECT_EQ(mesh.surface_names.at(200), "fault");
    EXPECT_EQ(mesh.surface_names.at(105), "top");
    EXPECT_EQ(mesh.volume_names.at(2), "mantle");
}

TEST_P(GmshStyles, MidEdgeNodesLieInTheMiddle) {
    const GmshMesh mesh = parse_gmsh(text(), "model.msh");

    ASSERT_EQ(mesh.tet_mid.size(), GetParam().second_order ? mesh.tets.size() : 0u);
    constexpr int kEdges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    for (std::size_t tet = 0; tet < mesh.tet_mid.size(); ++tet) {
        for (int edge = 0; edge < 6; ++edge) {
            const Vec3 middle = 0.5 * (mesh.xyz[mesh.tets[tet][kEdges[edge][0]]] +
                                       mesh.xyz[mesh.tets[tet][kEdges[edge][1]]]);
            EXPECT_LT(norm(mesh.xyz[mesh.tet_mid[tet][edge]] - middle), 1e-15);
        }
    }
}

TEST_P(GmshStyles, EveryCutIsAnError) {
    const std::string whole = text();
    const std::size_t last = whole.rfind("$EndElements");

    for (std::size_t size = 0; size < last; size += 1 + size / 97) {
        EXPECT_THROW((void)parse_gmsh(whole.substr(0, size), "cut.msh"), Error) << size;
    }
}

TEST_P(GmshStyles, ChangedBytesDoNoWorseThanThrow) {
    const std::string whole = text();
    std::mt19937 random(7);
    int refused = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        std::string broken = whole;
        const auto n_changes = 1 + random() % 3;
        for (std::size_t k = 0; k < n_changes; ++k) {
            // Half of the changes hit numbers of the counts, near the beginning of a section.
            std::size_t at = random() % broken.size();
            if (random() % 2 == 0) {
                const std::size_t section = broken.find('$', at);
                at = std::min(broken.size() - 1,
                              (section == std::string::npos ? 0 : section) + random() % 60);
            }
            broken[at] = random() % 2 == 0 ? static_cast<char>('0' + random() % 10)
                                           : static_cast<char>(random() % 256);
        }
        try {
            const GmshMesh mesh = parse_gmsh(broken, "broken.msh");
            for (const auto& tet : mesh.tets) {
                for (const std::int32_t node : tet) {
                    ASSERT_GE(node, 0);
                    ASSERT_LT(node, std::ssize(mesh.xyz));
                }
            }
        } catch (const Error& error) {
            ASSERT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
            ++refused;
        }
    }
    EXPECT_GT(refused, 100);
}

test::GmshStyle style(int version, bool binary, bool swapped, bool second_order, int step) {
    test::GmshStyle result;
    result.version = version;
    result.binary = binary;
    result.swapped = swapped;
    result.second_order = second_order;
    result.tag_step = step;
    result.first_tag = step == 1 ? 1 : 17;
    return result;
}

INSTANTIATE_TEST_SUITE_P(
    Formats, GmshStyles,
    testing::Values(style(2, false, false, false, 1), style(2, true, false, true, 1),
                    style(2, true, true, false, 3), style(4, false, false, true, 3),
                    style(4, true, false, false, 1), style(4, true, true, true, 3)),
    [](const auto& info) {
        const test::GmshStyle& s = info.param;
        return std::string("Msh") + std::to_string(s.version) + (s.binary ? "Binary" : "Ascii") +
               (s.swapped ? "Swapped" : "") + (s.second_order ? "SecondOrder" : "FirstOrder");
    });

}  // namespace
}  // namespace kaname::mesh::gmsh_mesh_test
