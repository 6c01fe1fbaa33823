// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/xdmf.hpp"

#include <filesystem>
#include <map>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/export/binary_file.hpp"

namespace kaname::io {
namespace {

using XdmfNumber = GridField::Number;

std::string spaced(const h5::Dims& dims) {
    std::string text;
    for (const std::uint64_t extent : dims) {
        text += (text.empty() ? "" : " ") + std::to_string(extent);
    }
    return text;
}

std::string all_digits(double value) {
    return formatted("%.17g", value);
}

/// An array of a file beside the Xdmf.
std::string item(const h5::Dims& dims, XdmfNumber number, const std::string& file,
                 const std::string& array) {
    return "<DataItem Dimensions=\"" + spaced(dims) + "\" NumberType=\"" +
           (number == XdmfNumber::Int32 ? "Int" : "Float") + "\" Precision=\"" +
           (number == XdmfNumber::Float64 ? "8" : "4") + "\" Format=\"HDF\">" + xml_escaped(file) +
           ":/" + xml_escaped(array) + "</DataItem>";
}

/// Readers disagree about the order of Tensor6: of Matrix none touches it, and ParaView names six
/// components XX, YY, ZZ, XY, YZ, XZ.
const char* type_of(GridField::Kind kind) {
    return kind == GridField::Kind::Scalar   ? "Scalar"
           : kind == GridField::Kind::Vector ? "Vector"
                                             : "Matrix";
}

const char* topology_of(FieldGrid::Cell cell) {
    return cell == FieldGrid::Cell::Triangle    ? "Triangle"
           : cell == FieldGrid::Cell::Triangle6 ? "Triangle_6"
                                                : "Tetrahedron";
}

std::string regular_text(const FieldGrid::Regular& regular) {
    const auto three = [](const std::vector<double>& values) {
        std::string numbers;
        for (const double value : values) {
            numbers += (numbers.empty() ? "" : " ") + all_digits(value);
        }
        return "<DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">" +
               numbers + "</DataItem>";
    };
    return "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"" +
           spaced(regular.extent) + "\"/>\n        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">" +
           three(regular.origin_m) + three(regular.spacing_m) + "</Geometry>\n";
}

std::string mesh_text(const h5::File& file, const FieldGrid& grid, const std::string& data_file) {
    if (grid.regular) {
        return regular_text(*grid.regular);
    }
    const h5::Dims cells = file.dims(grid.cells);
    return std::string("        <Topology TopologyType=\"") + topology_of(grid.cell) +
           "\" NumberOfElements=\"" + std::to_string(cells.at(0)) + "\">" +
           item(cells, XdmfNumber::Int32, data_file, grid.cells) +
           "</Topology>\n        <Geometry GeometryType=\"XYZ\">" +
           item(file.dims(grid.points), XdmfNumber::Float64, data_file, grid.points) +
           "</Geometry>\n";
}

std::string field_text(const h5::File& file, const GridField& field, const std::string& data_file,
                       const std::string& view_file) {
    h5::Dims dims = file.dims(field.array);
    dims.erase(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(field.first.size()));
    const std::string text = field.first.empty()
                                 ? item(dims, field.number, data_file, field.array)
                                 : item(dims, field.number, view_file, view_of(field));
    return "        <Attribute Name=\"" + xml_escaped(field.name) + "\" AttributeType=\"" +
           type_of(field.kind) + "\" Center=\"" + (field.at_points ? "Node" : "Cell") + "\">" +
           text + "</Attribute>\n";
}

/// The views that a group's fields need, each once.
void add_views(const FieldGroup& group, std::map<std::string, h5::View>& views) {
    for (const FieldGrid& grid : group.grids) {
        for (const FieldGrid::Step& step : grid.steps) {
            for (const GridField& field : step.fields) {
                if (!field.first.empty()) {
                    const std::string name = view_of(field);
                    views.insert({name, {name, field.array, field.first}});
                }
            }
        }
    }
}

}  // namespace

std::string view_of(const GridField& field) {
    std::string name = field.array + "/";
    for (std::size_t axis = 0; axis < field.first.size(); ++axis) {
        name += (axis == 0 ? "" : "_") + std::to_string(field.first[axis]);
    }
    return name;
}

std::string xdmf_text(const h5::File& file, const FieldGroup& group, const std::string& data_file,
                      const std::string& view_file) {
    std::string text = "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n";
    for (const FieldGrid& grid : group.grids) {
        const std::string mesh = mesh_text(file, grid, data_file);
        const std::string begin = "<Grid Name=\"" + xml_escaped(grid.name) + "\" GridType=";
        text += "    " + begin + "\"Collection\" CollectionType=\"Temporal\">\n";
        for (const FieldGrid::Step& step : grid.steps) {
            text += "      " + begin + "\"Uniform\">\n        <Time Value=\"" +
                    all_digits(step.time_s) + "\"/>\n" + mesh;
            for (const GridField& field : step.fields) {
                text += field_text(file, field, data_file, view_file);
            }
            text += "      </Grid>\n";
        }
        text += "    </Grid>\n";
    }
    return text + "  </Domain>\n</Xdmf>\n";
}

std::vector<std::string> write_xdmf(const std::string& dataset_path) {
    const h5::File file(dataset_path, h5::File::Mode::Read);
    const std::filesystem::path path(dataset_path);
    const std::string view_file = path.stem().string() + "_xdmf.h5";
    const auto beside = [&](const std::string& name) {
        return (path.parent_path() / name).string();
    };
    std::vector<std::string> written;
    std::map<std::string, h5::View> views;
    for (const FieldGroup& group : field_groups(file)) {
        written.push_back(beside(path.stem().string() + "_" + group.name + ".xdmf"));
        write_file(written.back(), xdmf_text(file, group, path.filename().string(), view_file));
        add_views(group, views);
    }
    if (!views.empty()) {
        std::vector<h5::View> list;
        for (auto& [name, view] : views) {
            list.push_back(std::move(view));
        }
        written.push_back(beside(view_file));
        h5::write_views(written.back(), file, path.filename().string(), list);
    }
    return written;
}

}  // namespace kaname::io
