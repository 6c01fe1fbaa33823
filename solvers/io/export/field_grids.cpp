// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/field_grids.hpp"

#include <array>

#include "solvers/base/error.hpp"
#include "solvers/io/dataset/fields.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"

namespace kaname::io {
namespace {

using layout::in_group;
using Kind = GridField::Kind;
using Number = GridField::Number;
using Cell = FieldGrid::Cell;
using Fields = std::vector<GridField>;

[[noreturn]] void refuse_array(const h5::File& file, const std::string& name, const char* rule) {
    throw Error(ErrorCode::InvalidArgument, file.path() + ": '" + name + "' " + rule);
}

/// The part of an array at these indices of its first axes. Throws InvalidArgument where it has
/// none.
GridField part(const h5::File& file, const std::string& name, const std::string& array, Kind kind,
               bool at_points, const h5::Dims& first) {
    const h5::Dims dims = file.dims(array);
    for (std::size_t axis = 0; axis < first.size(); ++axis) {
        if (axis >= dims.size() || first[axis] >= dims[axis]) {
            refuse_array(file, array, "must have a value at every source and time");
        }
    }
    return {name, array, first, at_points, kind, Number::Float32};
}

GridField whole(const std::string& name, const std::string& array, Number number,
                bool at_points = false) {
    return {name, array, {}, at_points, Kind::Scalar, number};
}

FieldGrid grid_of(const h5::File& file, const std::string& group, const char* cells, Cell cell) {
    FieldGrid grid;
    grid.name = group;
    grid.points = in_group(group, "xyz");
    grid.cells = in_group(group, cells);
    grid.cell = cell;
    const std::size_t corners = cell == Cell::Triangle ? 3 : cell == Cell::Triangle6 ? 6 : 4;
    for (const auto& [array, columns] :
         {std::pair(grid.points, std::size_t{3}), std::pair(grid.cells, corners)}) {
        if (const h5::Dims dims = file.dims(array); dims.size() != 2 || dims[1] != columns) {
            refuse_array(file, array,
                         ("must have two axes, the second of " + std::to_string(columns)).c_str());
        }
    }
    return grid;
}

/// Longitudes and latitudes of the points, where the group has them.
Fields places(const h5::File& file, const std::string& group) {
    Fields fields;
    for (const char* name : {"lon", "lat"}) {
        if (file.has(in_group(group, name))) {
            fields.push_back(
                whole(std::string(name) + "_deg", in_group(group, name), Number::Float64, true));
        }
    }
    return fields;
}

std::vector<double> times_of(const h5::File& file, const std::string& group, const char* axis) {
    return file.read<double>(in_group(group, axis), {h5::kAny});
}

/// Gives the grid the fields of `fields(k)`, and those of all times, at times_s[k].
template <class Changing>
FieldGrid over_time(FieldGrid grid, const std::vector<double>& times_s, const Fields& constant,
                    const Changing& fields) {
    for (std::size_t k = 0; k < times_s.size(); ++k) {
        FieldGrid::Step step{times_s[k], constant};
        for (GridField& field : fields(k)) {
            step.fields.push_back(std::move(field));
        }
        grid.steps.push_back(std::move(step));
    }
    return grid;
}

/// A grid for each source that is done, of its name; fields(source, k) at time k.
template <class Changing>
std::vector<FieldGrid> of_done_sources(const h5::File& file, const FieldGrid& grid,
                                       const std::vector<double>& times_s, const Fields& constant,
                                       const Changing& fields) {
    const std::vector<std::string> sources = file.read_strings("source");
    const auto status = file.read<std::int8_t>("status", {sources.size()});
    std::vector<FieldGrid> grids;
    for (std::size_t source = 0; source < sources.size(); ++source) {
        if (status[source] == 1) {
            grids.push_back(over_time(grid, times_s, constant,
                                      [&](std::size_t k) { return fields(source, k); }));
            grids.back().name = sources[source];
        }
    }
    return grids;
}

std::vector<FieldGrid> surface_grids(const h5::File& file) {
    const std::string group = layout::kSurface;
    return {over_time(grid_of(file, group, "faces", Cell::Triangle6),
                      times_of(file, group, "epoch"), places(file, group), [&](std::size_t epoch) {
                          return Fields{part(file, "displacement_m",
                                             in_group(group, "displacement"), Kind::Vector, true,
                                             {epoch})};
                      })};
}

std::vector<FieldGrid> volume_grids(const h5::File& file) {
    const std::string group = layout::kVolume;
    std::vector<std::string> receivers;
    if (file.has(layout::kReceiverNames)) {
        receivers = file.read_strings(layout::kReceiverNames);
    }
    Fields constant = places(file, group);
    constant.push_back(whole("material", in_group(group, "material"), Number::Int32));
    const auto fields = [&](std::size_t epoch) {
        Fields found = {
            part(file, "displacement_m", in_group(group, "displacement"), Kind::Vector, true,
                 {epoch}),
            part(file, "strain", in_group(group, "strain"), Kind::Matrix, false, {epoch}),
            part(file, "stress_pa", in_group(group, "stress"), Kind::Matrix, false, {epoch})};
        for (const std::string& receiver : receivers) {
            for (const layout::ReceiverField& field : layout::kReceiverFields) {
                const std::string name = in_group(layout::receiver_group(receiver), field.name);
                if (file.dims(name).size() == 2) {  // not at a place
                    found.push_back(part(file, std::string(field.name) + "_pa_" + receiver, name,
                                         Kind::Scalar, false, {epoch}));
                }
            }
        }
        return found;
    };
    return {over_time(grid_of(file, group, "tets", Cell::Tetrahedron),
                      times_of(file, group, "epoch"), constant, fields)};
}

FieldGrid regular_grid(const h5::File& file, const std::string& group) {
    constexpr std::array<const char*, 3> kAxes = {"z", "y", "x"};
    FieldGrid grid;
    grid.regular.emplace();
    for (const char* axis : kAxes) {
        const auto at_m = file.read<double>(in_group(group, axis), {h5::kAny});
        if (at_m.empty()) {
            refuse_array(file, in_group(group, axis), "must not be empty");
        }
        grid.regular->extent.push_back(at_m.size());
        grid.regular->origin_m.push_back(at_m[0]);
        grid.regular->spacing_m.push_back(
            at_m.size() > 1 ? (at_m.back() - at_m[0]) / static_cast<double>(at_m.size() - 1)
                            : file.double_attribute("/", "voxel_size"));
    }
    return grid;
}

std::vector<FieldGrid> snapshot_grids(const h5::File& file) {
    const std::string group = layout::kSnapshots;
    return of_done_sources(
        file, regular_grid(file, group), times_of(file, group, "snapshot"), {},
        [&](std::size_t source, std::size_t k) {
            return Fields{part(file, "displacement_m", in_group(group, "displacement"),
                               Kind::Vector, true, {source, k})};
        });
}

std::vector<FieldGrid> ground_grids(const h5::File& file) {
    const std::string group = layout::kGround;
    const std::string peak = in_group(group, "peak_velocity"),
                      velocity = in_group(group, "velocity");
    const bool moves = file.has(velocity);
    return of_done_sources(file, grid_of(file, group, "triangles", Cell::Triangle),
                           moves ? times_of(file, group, "snapshot") : std::vector<double>{0.0},
                           places(file, group), [&](std::size_t source, std::size_t k) {
                               Fields fields;
                               if (file.has(peak)) {
                                   fields.push_back(part(file, "peak_velocity_m_per_s", peak,
                                                         Kind::Matrix, false, {source}));
                               }
                               if (moves) {
                                   fields.push_back(part(file, "velocity_m_per_s", velocity,
                                                         Kind::Vector, false, {source, k}));
                               }
                               return fields;
                           });
}

std::vector<FieldGrid> element_grids(const h5::File& file) {
    const std::string group = layout::kElements;
    return of_done_sources(
        file, grid_of(file, group, "tets", Cell::Tetrahedron), times_of(file, group, "snapshot"),
        {}, [&](std::size_t source, std::size_t k) {
            return Fields{part(file, "velocity_m_per_s", in_group(group, "velocity"), Kind::Vector,
                               false, {source, k})};
        });
}

std::vector<FieldGrid> rupture_grids(const h5::File& file) {
    const std::string group = layout::kRupture, rate = in_group(group, "slip_rate");
    Fields constant = {whole("fault", in_group(group, "fault"), Number::Int32)};
    for (const auto& [name, unit, text] : RuptureDataset::kFields) {
        constant.push_back(whole(name, in_group(group, name), Number::Float32));
    }
    const bool rates = file.has(rate);
    return {over_time(grid_of(file, group, "triangles", Cell::Triangle),
                      rates ? times_of(file, group, "snapshot") : std::vector<double>{0.0},
                      constant, [&](std::size_t k) {
                          return rates ? Fields{part(file, "slip_rate_m_per_s", rate, Kind::Matrix,
                                                     false, {k})}
                                       : Fields{};
                      })};
}

}  // namespace

std::vector<FieldGroup> field_groups(const h5::File& file) {
    using Find = std::vector<FieldGrid> (*)(const h5::File&);
    constexpr std::array<std::pair<const char*, Find>, 6> kGroups = {
        {{layout::kSurface, surface_grids},
         {layout::kVolume, volume_grids},
         {layout::kSnapshots, snapshot_grids},
         {layout::kGround, ground_grids},
         {layout::kElements, element_grids},
         {layout::kRupture, rupture_grids}}};
    std::vector<FieldGroup> groups;
    for (const auto& [name, find] : kGroups) {
        if (file.has(name)) {
            groups.push_back({name, find(file)});
        }
    }
    if (groups.empty()) {
        throw Error(
            ErrorCode::NotFound,
            file.path() +
                ": has no fields to show: neither a group surface nor volume, which "
                "datasets of a Scenario have, nor snapshots or ground of waves, nor a rupture");
    }
    return groups;
}

}  // namespace kaname::io
