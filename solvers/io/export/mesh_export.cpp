// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/mesh_export.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/export/binary_file.hpp"
#include "solvers/io/export/vtu_file.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::io {
namespace {

double min_dihedral_deg(const mesh::TetMesh& mesh, std::size_t tet) {
    const auto angles = mesh::dihedral_angles_deg(mesh::corners_of(mesh, tet));
    return *std::ranges::min_element(angles);
}

void write_tets(const std::string& path, const mesh::TetMesh& mesh,
                std::span<const std::string> materials) {
    const std::size_t n = mesh.tets.size();
    VtuFile file(path);
    file.names("material", materials);
    file.cells<std::int32_t>("material", n, [&](std::size_t i) { return mesh.material[i]; });
    if (!mesh.volume.empty()) {
        file.names("volume", mesh.volumes);
        file.cells<std::int32_t>("volume", n, [&](std::size_t i) { return mesh.volume[i]; });
    }
    file.cells<float>("min_dihedral_deg", n,
                      [&](std::size_t i) { return min_dihedral_deg(mesh, i); });
    file.write(
        mesh.xyz.size(), [&](std::size_t i) { return mesh.xyz[i / 3][i % 3]; }, n, 4,
        kVtkTetrahedron, [&](std::size_t i) { return mesh.tets[i / 4][i % 4]; });
}

void write_faces(const std::string& path, const mesh::TetMesh& mesh) {
    const std::size_t outer = mesh.boundary_faces.size();
    const std::size_t n = outer + mesh.fault_faces.size();
    // Only the points that faces have.
    std::vector<std::int32_t> point(mesh.xyz.size(), -1);
    std::vector<std::array<std::int32_t, 3>> faces;
    std::vector<Vec3> points;
    const auto add = [&](const auto& face) {
        auto& corners = faces.emplace_back(face.vertices);
        for (std::int32_t& vertex : corners) {
            if (point[vertex] < 0) {
                point[vertex] = static_cast<std::int32_t>(points.size());
                points.push_back(mesh.xyz[vertex]);
            }
            vertex = point[vertex];
        }
    };
    std::ranges::for_each(mesh.boundary_faces, add);
    std::ranges::for_each(mesh.fault_faces, add);
    VtuFile file(path);
    file.names("surface", mesh.surfaces);
    file.names("fault", mesh.faults);
    file.cells<std::int32_t>("surface", n, [&](std::size_t i) {
        return i < outer ? mesh.boundary_faces[i].side.index : -1;
    });
    file.cells<std::int32_t>("fault", n, [&](std::size_t i) {
        return i < outer ? -1 : mesh.fault_faces[i - outer].fault;
    });
    file.write(
        points.size(), [&](std::size_t i) { return points[i / 3][i % 3]; }, n, 3, kVtkTriangle,
        [&](std::size_t i) { return faces[i / 3][i % 3]; });
}

}  // namespace

std::vector<std::string> write_vtu(const std::string& path, const mesh::TetMesh& mesh,
                                   std::span<const std::string> materials) {
    constexpr std::string_view kEnding = ".vtu";
    if (!path.ends_with(kEnding)) {
        throw Error(ErrorCode::InvalidArgument, "the file must end in .vtu, got '" + path + "'");
    }
    const std::string faces = path.substr(0, path.size() - kEnding.size()) + "_faces.vtu";
    write_tets(path, mesh, materials);
    write_faces(faces, mesh);
    return {path, faces};
}

namespace {

/// Grids over the arrays of one mesh file.
class MeshGrids {
public:
    explicit MeshGrids(const std::filesystem::path& path)
        : file_(path.string(), h5::File::Mode::Read),
          data_file_(xml_escaped(path.filename().string())) {}

    [[nodiscard]] bool has(const char* name) const { return file_.has(name); }
    [[nodiscard]] std::uint64_t rows(const char* name) const { return file_.dims(name).at(0); }
    [[nodiscard]] std::string grid(const char* name, const char* type, const char* elements,
                                   const std::string& attributes) const {
        return std::string("      <Grid Name=\"") + name +
               "\" GridType=\"Uniform\">\n        <Topology TopologyType=\"" + type +
               "\" NumberOfElements=\"" + std::to_string(rows(elements)) + "\">" +
               item(elements, "Int", 4) + "</Topology>\n        <Geometry GeometryType=\"XYZ\">" +
               item("xyz", "Float", 8) + "</Geometry>\n" + attributes + "      </Grid>\n";
    }
    [[nodiscard]] std::string attribute(const char* name, const char* array) const {
        return std::string("        <Attribute Name=\"") + name +
               "\" AttributeType=\"Scalar\" Center=\"Cell\">" + item(array, "Int", 4) +
               "</Attribute>\n";
    }

private:
    [[nodiscard]] std::string item(const std::string& array, const char* number,
                                   int precision) const {
        std::string dims;
        for (const std::uint64_t extent : file_.dims(array)) {
            dims += (dims.empty() ? "" : " ") + std::to_string(extent);
        }
        return "<DataItem Dimensions=\"" + dims + "\" NumberType=\"" + number + "\" Precision=\"" +
               std::to_string(precision) + "\" Format=\"HDF\">" + data_file_ + ":/" + array +
               "</DataItem>";
    }

    h5::File file_;
    std::string data_file_;
};

}  // namespace

std::string write_mesh_xdmf(const std::string& mesh_path) {
    const std::filesystem::path path(mesh_path);
    const MeshGrids grids(path);
    std::string attributes = grids.attribute("material", "material");
    if (grids.has("volume")) {
        attributes += grids.attribute("volume", "volume");
    }
    std::string text =
        "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n    <Grid Name=\"mesh\" "
        "GridType=\"Collection\" CollectionType=\"Spatial\">\n" +
        grids.grid("tets", "Tetrahedron", "tets", attributes);
    const auto faces = [&](const char* name, const char* array, const char* index) {
        if (grids.rows(array) > 0) {
            text += grids.grid(name, "Triangle", array,
                               grids.has(index) ? grids.attribute(name, index) : "");
        }
    };
    faces("surface", "boundary_faces", "boundary_ids");
    faces("fault", "fault_faces", "fault_ids");
    text += "    </Grid>\n  </Domain>\n</Xdmf>\n";
    const auto to = path.parent_path() / (path.stem().string() + ".xdmf");
    write_file(to, text);
    return to.string();
}

namespace {

// Numbers of Gmsh's element types.
constexpr int kGmshTriangle = 2;
constexpr int kGmshTetrahedron = 4;

/// One entity with the elements on it.
struct Entity {
    int dim = 0, tag = 0;
    int physical = 0;
    Vec3 low, high;
    std::vector<std::int32_t> elements;  ///< index into tets, boundary faces or fault faces
};

class GmshFile {
public:
    GmshFile(const std::string& path, const mesh::TetMesh& mesh,
             std::span<const std::string> materials, GmshVolumes volumes)
        : mesh_(mesh),
          groups_(volumes == GmshVolumes::Materials
                      ? std::vector<std::string>(materials.begin(), materials.end())
                      : mesh.volumes),
          by_volume_(volumes == GmshVolumes::Volumes),
          file_(path) {
        if (by_volume_ && mesh.volume.size() != mesh.tets.size()) {
            throw Error(ErrorCode::InvalidArgument,
                        path + ": the mesh does not say which volume its elements belong to");
        }
    }

    void write() {
        add_tets();
        add_faces(mesh_.boundary_faces, mesh_.surfaces, 1,
                  [](const mesh::BoundaryFace& face) { return face.side.index; });
        add_faces(mesh_.fault_faces, mesh_.faults, 1 + static_cast<int>(mesh_.surfaces.size()),
                  [](const mesh::FaultFace& face) { return face.fault; });
        write_head();
        write_entities();
        write_nodes();
        write_elements();
        file_.commit();
    }

private:
    void add_tets();
    template <class Face, class Index>
    void add_faces(const std::vector<Face>& faces, const std::vector<std::string>& names, int first,
                   const Index& index);
    void name(int dim, int physical, const std::string& text);
    template <std::size_t n>
    void add(Entity& entity, std::size_t element, const std::array<std::int32_t, n>& vertices);
    void write_head();
    void write_entities();
    void write_nodes();
    void write_elements();
    template <std::size_t n>
    void write_element(std::uint64_t tag, const std::array<std::int32_t, n>& vertices) {
        file_.number(tag);
        for (const std::int32_t vertex : vertices) {
            file_.number(static_cast<std::uint64_t>(vertex) + 1);
        }
    }

    const mesh::TetMesh& mesh_;
    std::vector<std::string> groups_;  ///< names of the physical volumes
    bool by_volume_;
    std::map<std::pair<int, int>, std::string> names_;  ///< by (dimension, physical group)
    std::vector<Entity> entities_;                      ///< surfaces and volumes, in any order
    BinaryFile file_;
};

void GmshFile::name(int dim, int physical, const std::string& text) {
    if (text.empty() || text.find_first_of("\"\n") != std::string::npos) {
        throw Error(ErrorCode::InvalidArgument,
                    "a name of a physical group must not be empty nor hold quotation marks, got '" +
                        text + "'");
    }
    for (const auto& [key, other] : names_) {
        if (key.first == dim && other == text) {
            throw Error(ErrorCode::InvalidArgument, "two physical groups cannot both be '" + text +
                                                        "': rename a surface, fault or material");
        }
    }
    names_[{dim, physical}] = text;
}

template <std::size_t n>
void GmshFile::add(Entity& entity, std::size_t element,
                   const std::array<std::int32_t, n>& vertices) {
    if (entity.elements.empty()) {
        entity.low = entity.high = mesh_.xyz[vertices[0]];
    }
    for (const std::int32_t vertex : vertices) {
        for (int comp = 0; comp < 3; ++comp) {
            entity.low[comp] = std::min(entity.low[comp], mesh_.xyz[vertex][comp]);
            entity.high[comp] = std::max(entity.high[comp], mesh_.xyz[vertex][comp]);
        }
    }
    entity.elements.push_back(static_cast<std::int32_t>(element));
}

void GmshFile::add_tets() {
    std::map<std::pair<int, int>, Entity> of;  // (volume, material)
    for (std::size_t tet = 0; tet < mesh_.tets.size(); ++tet) {
        const int volume = mesh_.volume.empty() ? 0 : mesh_.volume[tet];
        add(of[{volume, mesh_.material[tet]}], tet, mesh_.tets[tet]);
    }
    for (auto& [key, entity] : of) {
        const int group = by_volume_ ? key.first : key.second;
        if (group < 0 || static_cast<std::size_t>(group) >= groups_.size()) {
            throw Error(ErrorCode::InvalidArgument,
                        (by_volume_ ? "volume " : "material ") + std::to_string(group) +
                            " of the mesh has no name, " + std::to_string(groups_.size()) +
                            " are named");
        }
        entity.dim = 3;
        entity.tag = 1 + static_cast<int>(entities_.size());
        entity.physical = 1 + group;
        if (!names_.contains({3, entity.physical})) {
            name(3, entity.physical, groups_[static_cast<std::size_t>(group)]);
        }
        entities_.push_back(std::move(entity));
    }
}

template <class Face, class Index>
void GmshFile::add_faces(const std::vector<Face>& faces, const std::vector<std::string>& names,
                         int first, const Index& index) {
    std::vector<Entity> of(names.size());
    for (std::size_t face = 0; face < faces.size(); ++face) {
        add(of.at(static_cast<std::size_t>(index(faces[face]))), face, faces[face].vertices);
    }
    for (std::size_t k = 0; k < of.size(); ++k) {
        if (!of[k].elements.empty()) {
            of[k].dim = 2;
            of[k].tag = of[k].physical = first + static_cast<int>(k);
            name(2, of[k].physical, names[k]);
            entities_.push_back(std::move(of[k]));
        }
    }
}

void GmshFile::write_head() {
    file_.text("$MeshFormat\n4.1 1 8\n");
    file_.number(std::int32_t{1});  // tells the order of bytes
    file_.text("\n$EndMeshFormat\n$PhysicalNames\n" + std::to_string(names_.size()) + "\n");
    for (const auto& [key, text] : names_) {
        file_.text(std::to_string(key.first) + " " + std::to_string(key.second) + " \"" + text +
                   "\"\n");
    }
    file_.text("$EndPhysicalNames\n");
}

void GmshFile::write_entities() {
    file_.text("$Entities\n");
    for (int dim = 0; dim <= 3; ++dim) {
        file_.number(static_cast<std::uint64_t>(std::ranges::count(entities_, dim, &Entity::dim)));
    }
    for (int dim = 2; dim <= 3; ++dim) {
        for (const Entity& entity : entities_) {
            if (entity.dim != dim) {
                continue;
            }
            file_.number(std::int32_t{entity.tag});
            for (const Vec3& corner : {entity.low, entity.high}) {
                for (int comp = 0; comp < 3; ++comp) {
                    file_.number(corner[comp]);
                }
            }
            file_.number(std::uint64_t{1});
            file_.number(std::int32_t{entity.physical});
            file_.number(std::uint64_t{0});  // what bounds it is not said
        }
    }
    file_.text("\n$EndEntities\n");
}

void GmshFile::write_nodes() {
    const std::uint64_t n = mesh_.xyz.size();
    file_.text("$Nodes\n");
    for (const std::uint64_t number : {std::uint64_t{1}, n, std::uint64_t{1}, n}) {
        file_.number(number);
    }
    for (const std::int32_t number : {3, 1, 0}) {  // nodes of volume 1, not parametric
        file_.number(number);
    }
    file_.number(n);
    for (std::uint64_t node = 1; node <= n; ++node) {
        file_.number(node);
    }
    for (const Vec3& x : mesh_.xyz) {
        file_.number(x.x);
        file_.number(x.y);
        file_.number(x.z);
    }
    file_.text("\n$EndNodes\n");
}

void GmshFile::write_elements() {
    const std::uint64_t n =
        mesh_.tets.size() + mesh_.boundary_faces.size() + mesh_.fault_faces.size();
    file_.text("$Elements\n");
    for (const std::uint64_t number : {std::uint64_t{entities_.size()}, n, std::uint64_t{1}, n}) {
        file_.number(number);
    }
    const auto surfaces = static_cast<int>(mesh_.surfaces.size());
    std::uint64_t tag = 0;
    for (const Entity& entity : entities_) {
        file_.number(std::int32_t{entity.dim});
        file_.number(std::int32_t{entity.tag});
        file_.number(std::int32_t{entity.dim == 3 ? kGmshTetrahedron : kGmshTriangle});
        file_.number(std::uint64_t{entity.elements.size()});
        for (const std::int32_t element : entity.elements) {
            ++tag;
            if (entity.dim == 3) {
                write_element(tag, mesh_.tets[element]);
            } else if (entity.tag <= surfaces) {
                write_element(tag, mesh_.boundary_faces[element].vertices);
            } else {
                write_element(tag, mesh_.fault_faces[element].vertices);
            }
        }
    }
    file_.text("\n$EndElements\n");
}

}  // namespace

void write_gmsh41(const std::string& path, const mesh::TetMesh& mesh,
                  std::span<const std::string> materials, GmshVolumes volumes) {
    GmshFile(path, mesh, materials, volumes).write();
}

}  // namespace kaname::io
