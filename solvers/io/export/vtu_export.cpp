// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/vtu_export.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/io/export/field_grids.hpp"
#include "solvers/io/export/vtu_file.hpp"

namespace kaname::io {
namespace {

constexpr double kSameTime_s = 60.0;

/// The mesh of one grid, which its steps share.
struct GridMesh {
    std::vector<double> xyz_m;
    std::vector<std::int32_t> cells;
    std::size_t corners = 0;

    [[nodiscard]] std::size_t n_points() const { return xyz_m.size() / 3; }
    [[nodiscard]] std::size_t n_cells() const { return cells.size() / corners; }
};

GridMesh read_grid_mesh(const h5::File& file, const FieldGrid& grid) {
    GridMesh mesh;
    mesh.xyz_m = file.read<double>(grid.points, {h5::kAny, 3});
    mesh.cells = file.read<std::int32_t>(grid.cells, {h5::kAny, h5::kAny});
    mesh.corners = static_cast<std::size_t>(file.dims(grid.cells).at(1));
    for (const std::int32_t point : mesh.cells) {
        if (point < 0 || static_cast<std::size_t>(point) >= mesh.n_points()) {
            throw Error(ErrorCode::InvalidArgument,
                        file.path() + ": '" + grid.cells + "' must have points 0 to " +
                            std::to_string(mesh.n_points() - 1) + ", got " + std::to_string(point));
        }
    }
    return mesh;
}

template <class T>
std::vector<T> read_field(const h5::File& file, const GridField& field) {
    const h5::Dims dims = file.dims(field.array);
    h5::Dims start(dims.size(), 0), count = dims;
    for (std::size_t axis = 0; axis < field.first.size(); ++axis) {
        start[axis] = field.first[axis];
        count[axis] = 1;
    }
    return file.read_block<T>(field.array, start, count, h5::Dims(dims.size(), 1));
}

template <class T>
void add_field(const h5::File& file, const GridField& field, const GridMesh& mesh, VtuFile& vtu) {
    std::vector<T> values = read_field<T>(file, field);
    const std::size_t n = field.at_points ? mesh.n_points() : mesh.n_cells();
    if (n == 0 || values.size() % n != 0 || values.empty()) {
        throw Error(ErrorCode::InvalidArgument, file.path() + ": '" + field.array +
                                                    "' must have values for " + std::to_string(n) +
                                                    (field.at_points ? " points" : " cells") +
                                                    ", got " + std::to_string(values.size()));
    }
    const int components = static_cast<int>(values.size() / n);
    const auto value = [kept = std::move(values)](std::size_t i) { return kept[i]; };
    if (field.at_points) {
        vtu.points<T>(field.name, n, components, value);
    } else {
        vtu.cells<T>(field.name, n, value, components);
    }
}

void write_step(const std::string& path, const h5::File& file, const FieldGrid& grid,
                const GridMesh& mesh, const FieldGrid::Step& step) {
    VtuFile vtu(path);
    vtu.time(formatted("%.17g", step.time_s));
    for (const GridField& field : step.fields) {
        switch (field.number) {
            case GridField::Number::Int32:
                add_field<std::int32_t>(file, field, mesh, vtu);
                break;
            case GridField::Number::Float32:
                add_field<float>(file, field, mesh, vtu);
                break;
            case GridField::Number::Float64:
                add_field<double>(file, field, mesh, vtu);
                break;
        }
    }
    const std::uint8_t type = grid.cell == FieldGrid::Cell::Triangle    ? kVtkTriangle
                              : grid.cell == FieldGrid::Cell::Triangle6 ? kVtkQuadraticTriangle
                                                                        : kVtkTetrahedron;
    vtu.write(
        mesh.n_points(), [&](std::size_t i) { return mesh.xyz_m[i]; }, mesh.n_cells(), mesh.corners,
        type, [&](std::size_t i) { return mesh.cells[i]; });
}

/// WantedTime tells whether a step is of the epoch that was asked for; it keeps the nearest time.
class WantedTime {
public:
    explicit WantedTime(const std::optional<double>& years) : years_(years) {}

    [[nodiscard]] bool has(double time_s) {
        if (!years_) {
            return true;
        }
        const double off_s = std::abs(time_s - *years_ * kJulianYear_s);
        if (off_s < nearest_off_s_) {
            nearest_off_s_ = off_s;
            nearest_s_ = time_s;
        }
        return off_s <= kSameTime_s;
    }
    [[noreturn]] void refuse() const {
        throw Error(ErrorCode::InvalidArgument,
                    "epoch_years must be one of the times of the dataset's fields, got " +
                        number(*years_) + "; the nearest is " + number(nearest_s_ / kJulianYear_s));
    }

private:
    std::optional<double> years_;
    double nearest_s_ = 0.0, nearest_off_s_ = std::numeric_limits<double>::infinity();
};

std::string numbered(const std::string& stem, std::size_t k) {
    return stem + formatted("_%04.0f", static_cast<double>(k)) + ".vtu";
}

/// ParaView's list of files over time; grids of a group are parts.
class TimeList {
public:
    void add(const std::string& file, double time_s, std::size_t part) {
        text_ += "    <DataSet timestep=\"" + formatted("%.17g", time_s) + "\" part=\"" +
                 std::to_string(part) + "\" file=\"" + xml_escaped(file) + "\"/>\n";
    }
    [[nodiscard]] std::string text() const {
        return "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
               "byte_order=\"LittleEndian\">\n  <Collection>\n" +
               text_ + "  </Collection>\n</VTKFile>\n";
    }

private:
    std::string text_;
};

std::string vtu_manifest(const std::string& dataset_path, const std::vector<std::string>& files) {
    std::string list;
    for (const std::string& file : files) {
        list += (list.empty() ? "\n    \"" : ",\n    \"") +
                std::filesystem::path(file).filename().string() + "\"";
    }
    return "{\n  \"layout\": \"vtu\",\n  \"dataset\": \"" +
           file_name_of(std::filesystem::path(dataset_path).filename().string()) +
           "\",\n  \"files\": [" + list + "\n  ]\n}\n";
}

}  // namespace

std::vector<std::string> export_vtu(const std::string& dataset_path, const std::string& folder,
                                    const std::optional<double>& epoch_years) {
    const h5::File file(dataset_path, h5::File::Mode::Read);
    const std::vector<FieldGroup> groups = field_groups(file);
    WantedTime wanted(epoch_years);
    std::filesystem::create_directories(folder);
    const auto inside = [&](const std::string& name) {
        return (std::filesystem::path(folder) / name).string();
    };
    std::vector<std::string> written;
    bool grids = false;
    for (const FieldGroup& group : groups) {
        TimeList list;
        const std::size_t before = written.size();
        for (std::size_t part = 0; part < group.grids.size(); ++part) {
            const FieldGrid& grid = group.grids[part];
            if (grid.regular) {
                continue;
            }
            grids = true;
            std::string stem = group.name;
            if (grid.name != group.name) {
                std::string source = grid.name;
                std::ranges::replace(source, '/', '_');  // unit sources, point/xx
                stem = file_name_of(stem + "_" + source);
            }
            const GridMesh mesh = read_grid_mesh(file, grid);
            for (std::size_t k = 0; k < grid.steps.size(); ++k) {
                const FieldGrid::Step& step = grid.steps[k];
                if (wanted.has(step.time_s)) {
                    const std::string name = numbered(stem, k);
                    write_step(inside(name), file, grid, mesh, step);
                    list.add(name, step.time_s, part);
                    written.push_back(inside(name));
                }
            }
        }
        if (written.size() > before) {
            written.push_back(inside(group.name + ".pvd"));
            write_file(written.back(), list.text());
        }
    }
    if (!grids) {
        throw Error(ErrorCode::InvalidArgument,
                    dataset_path +
                        ": has no surface or volume of triangles or tetrahedra of a source that is "
                        "done; kaname xdmf describes snapshots on a regular grid");
    }
    if (written.empty()) {
        if (!epoch_years) {
            throw Error(ErrorCode::InvalidArgument, dataset_path + ": has no time in its fields");
        }
        wanted.refuse();
    }
    written.push_back(inside("manifest.json"));
    write_file(written.back(), vtu_manifest(dataset_path, written));
    return written;
}

}  // namespace kaname::io
