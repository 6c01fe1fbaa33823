// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/source_places.hpp"

#include <algorithm>

#include "solvers/io/dataset/greens_layout.hpp"

namespace kaname::io {
namespace {

using UnitSource = GreensDataset::Source;

void write_grid(GroupWriter& root, std::span<const UnitSource> sources) {
    std::vector<std::int8_t> hat;
    std::size_t most = 1;
    for (const UnitSource& source : sources) {
        hat.push_back(static_cast<std::int8_t>(source.hat));
        most = std::max(most, source.neighbours.size());
    }
    root.variable("hat", {"source"}, hat, "1", "how unit slip falls off from the patch's centre");
    root.flags("hat", std::vector<std::int8_t>{0, 1, 2, 3}, "none uniform bilinear bicubic");
    root.variable("grid_row", {"source"}, layout::column(sources, &UnitSource::grid_row), "1",
                  "row of the patch in its grid, down dip from 0; -1 without a grid");
    root.variable("grid_column", {"source"}, layout::column(sources, &UnitSource::grid_column), "1",
                  "column of the patch in its grid, along strike from 0; -1 without a grid");
    std::vector<std::int32_t> neighbours;
    for (const UnitSource& source : sources) {
        std::vector<std::int32_t> row = source.neighbours;
        row.resize(most, -1);
        neighbours.insert(neighbours.end(), row.begin(), row.end());
    }
    root.count("neighbour", most, "place in a list of neighbours");
    root.variable("neighbours", {"source", "neighbour"}, neighbours, "1",
                  "sources beside this one with the same direction of slip; -1 where none");
}

}  // namespace

void write_source_places(GroupWriter& root, std::span<const UnitSource> sources, bool projected) {
    root.text("patch_id", "source", layout::column(sources, &UnitSource::patch_id), "patch");
    if (std::ranges::any_of(sources,
                            [](const UnitSource& source) { return !source.fault.empty(); })) {
        root.text("fault", "source", layout::column(sources, &UnitSource::fault),
                  "fault that the patch is on");
    }
    root.text("slip_component", "source", layout::column(sources, &UnitSource::component),
              "direction of unit slip");
    for (const auto& c : layout::source_columns(projected)) {
        root.variable<double>(c.name, {"source"}, layout::column(sources, c.member), c.units,
                              c.long_name);
    }
    if (projected) {
        root.attribute("patch_x", "standard_name", GroupWriter::Text("projection_x_coordinate"));
        root.attribute("patch_y", "standard_name", GroupWriter::Text("projection_y_coordinate"));
    }
    for (const auto& c : layout::outline_columns(projected)) {
        std::vector<double> values;
        for (const UnitSource& source : sources) {
            values.insert(values.end(), source.*c.member, source.*c.member + layout::kCorners);
        }
        root.variable<double>(c.name, {"source", "corner"}, values, c.units, c.long_name);
    }
    // Heights, for those who draw in the model's frame.
    std::vector<double> z;
    std::vector<double> outline_z;
    for (const UnitSource& source : sources) {
        z.push_back(0.0 - source.depth_m);
        for (const double depth_m : source.outline_depth_m) {
            outline_z.push_back(0.0 - depth_m);
        }
    }
    root.variable("patch_z", {"source"}, z, "m", "z of patch centre in the model, up");
    root.variable("outline_z", {"source", "corner"}, outline_z, "m",
                  "z of patch corner in the model, up");
    write_grid(root, sources);
}

}  // namespace kaname::io
