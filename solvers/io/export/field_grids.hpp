// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solvers/h5/file.hpp"

namespace kaname::io {

/// One field on a grid: an array of the dataset's file, or with `first`, indices of its leading
/// axes, a part of it.
struct GridField {
    enum class Number { Int32, Float32, Float64 };
    enum class Kind { Scalar, Vector, Matrix };

    std::string name;  ///< with its unit, as people see it
    std::string array;
    h5::Dims first = {};
    bool at_points = false;  ///< else of cells
    Kind kind = Kind::Scalar;
    Number number = Number::Float32;  ///< Float32 of parts
};

/// A grid whose fields change in time. Its points are `points` [n][3] in m of the model frame, its
/// cells `cells` [n][corners]; or it is regular.
struct FieldGrid {
    enum class Cell { Triangle, Triangle6, Tetrahedron };
    /// Nodes at equal distances, by axes z, y, x.
    struct Regular {
        h5::Dims extent;
        std::vector<double> origin_m, spacing_m;
    };
    struct Step {
        double time_s = 0.0;
        std::vector<GridField> fields;
    };

    std::string name;
    std::string points, cells;
    Cell cell = Cell::Triangle;
    std::optional<Regular> regular;
    std::vector<Step> steps;
};

/// FieldGroup is one group of a dataset: one grid, of waves one for each source that is done.
struct FieldGroup {
    std::string name;
    std::vector<FieldGrid> grids;
};

/// Describes the fields of a dataset: groups surface and volume of scenarios, snapshots, ground and
/// elements of waves, rupture. A field without values is not in it. Throws InvalidArgument naming
/// an array whose shape disagrees, NotFound naming the file when it has no such group.
[[nodiscard]] std::vector<FieldGroup> field_groups(const h5::File& file);

}  // namespace kaname::io
