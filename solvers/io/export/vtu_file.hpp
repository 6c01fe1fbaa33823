// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "solvers/io/export/binary_file.hpp"

namespace kaname::io {

// Numbers of VTK's cell types.
inline constexpr std::uint8_t kVtkTriangle = 5;
inline constexpr std::uint8_t kVtkTetrahedron = 10;
inline constexpr std::uint8_t kVtkQuadraticTriangle = 22;

template <class T>
const char* vtk_type() {
    return std::is_same_v<T, double>         ? "Float64"
           : std::is_same_v<T, float>        ? "Float32"
           : std::is_same_v<T, std::int64_t> ? "Int64"
           : std::is_same_v<T, std::int32_t> ? "Int32"
                                             : "UInt8";
}

/// One of VTK's XML files of unstructured grids, arrays appended as raw bytes. It is described
/// first and streamed afterwards: the description tells where in the appended bytes each array
/// begins. meshio reads it as long as its field data are numbers.
class VtuFile {
public:
    explicit VtuFile(const std::string& path) : file_(path) {}

    /// Time of the grid, as ParaView takes it [s].
    void time(const std::string& value_s) {
        fields_ +=
            "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
            "format=\"ascii\">" +
            value_s + "</DataArray>\n";
    }
    /// Names of the numbers that an array of cells has: number k is "array.name" of the field data.
    /// meshio takes no texts there.
    void names(const std::string& array, std::span<const std::string> names) {
        for (std::size_t k = 0; k < names.size(); ++k) {
            fields_ +=
                "      <DataArray type=\"Int32\" Name=\"" + xml_escaped(array + "." + names[k]) +
                "\" NumberOfTuples=\"1\" format=\"ascii\">" + std::to_string(k) + "</DataArray>\n";
        }
    }
    /// Values of points or cells: [n][components], of which value(i) is the i-th number.
    template <class T, class Value>
    void points(const std::string& name, std::size_t n, int components, const Value& value) {
        points_ += array<T>(name, n * static_cast<std::size_t>(components), components, value);
    }
    template <class T, class Value>
    void cells(const std::string& name, std::size_t n, const Value& value, int components = 1) {
        cells_ += array<T>(name, n * static_cast<std::size_t>(components), components, value);
    }
    /// Writes all: place(i) is the i-th of 3 n_points coordinates [m], corner(i) the i-th of
    /// n_cells * corners points.
    template <class Place, class Corner>
    void write(std::size_t n_points, const Place& place, std::size_t n_cells, std::size_t corners,
               std::uint8_t type, const Corner& corner) {
        const std::string point_array = array<double>("Points", 3 * n_points, 3, place);
        std::string cell_arrays = array<std::int32_t>("connectivity", corners * n_cells, 1, corner);
        cell_arrays += array<std::int64_t>("offsets", n_cells, 1, [corners](std::size_t i) {
            return static_cast<std::int64_t>(corners * (i + 1));
        });
        cell_arrays +=
            array<std::uint8_t>("types", n_cells, 1, [type](std::size_t) { return type; });
        file_.text(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n" +
            within("FieldData", fields_) + "    <Piece NumberOfPoints=\"" +
            std::to_string(n_points) + "\" NumberOfCells=\"" + std::to_string(n_cells) + "\">\n" +
            within("PointData", points_) + within("CellData", cells_) +
            within("Points", point_array) + within("Cells", cell_arrays) +
            "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_");
        for (const auto& stream : streams_) {
            stream();
        }
        file_.text("\n  </AppendedData>\n</VTKFile>\n");
        file_.commit();
    }

private:
    static std::string within(const std::string& element, const std::string& arrays) {
        return arrays.empty() ? ""
                              : "    <" + element + ">\n" + arrays + "    </" + element + ">\n";
    }
    template <class T, class Value>
    std::string array(const std::string& name, std::size_t n, int components, Value value) {
        // Where one component is said meshio gives numbers a second axis.
        const std::string rows =
            components == 1 ? "" : " NumberOfComponents=\"" + std::to_string(components) + "\"";
        const std::string text = std::string("      <DataArray type=\"") + vtk_type<T>() +
                                 "\" Name=\"" + xml_escaped(name) + "\"" + rows +
                                 " format=\"appended\" offset=\"" + std::to_string(offset_) +
                                 "\"/>\n";
        offset_ += sizeof(std::uint64_t) + n * sizeof(T);
        streams_.emplace_back([this, n, value] {
            file_.number(static_cast<std::uint64_t>(n * sizeof(T)));
            for (std::size_t i = 0; i < n; ++i) {
                file_.number(static_cast<T>(value(i)));
            }
        });
        return text;
    }

    std::string fields_, points_, cells_;
    std::uint64_t offset_ = 0;
    std::vector<std::function<void()>> streams_;
    BinaryFile file_;
};

}  // namespace kaname::io
