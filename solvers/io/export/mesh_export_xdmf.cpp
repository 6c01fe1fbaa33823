// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include "solvers/base/files.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/export/mesh_export.hpp"
#include "solvers/io/export/xml_text.hpp"

namespace kaname::io {
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

}  // namespace kaname::io
