// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/jobs/spec/time_spec.hpp"

namespace kaname::jobs {

enum class BoundaryKind { Free, Fixed, Roller };

/// A condition on a physical surface of the mesh file.
struct MeshBoundarySpec {
    std::string name, field;
    bool roller = false;
    bool fixed[3] = {};  ///< east, north, up
};

/// Displacement [m] or traction [Pa] of one side: numbers, or a table's columns.
struct BoundaryDataSpec {
    std::string name, field;  ///< name of the side; field for messages
    int place = 0;            ///< a side of the box, or an index in MeshFileSpec::boundaries
    bool traction = false;
    bool given[3] = {};  ///< east, north, up: the components that it prescribes
    double value[3] = {};
    std::string path = {};  ///< path of the table; empty: the numbers hold
    double reach_m = 0.0;
    int source = 0;  ///< index in BoundarySpec::sources
};

/// A source without slip: the sides whose data grow alike.
struct BoundarySourceSpec {
    std::string id, sides;  ///< boundary; west+east
    SlipHistory history;
    std::string key;  ///< key of what the data say
};

/// Conditions on the sides of the box, in the order of mesh::Side, and the data of sides or of the
/// mesh file's surfaces.
struct BoundarySpec {
    BoundaryKind kind[6] = {};
    bool fixed[6][3] = {};  ///< components that are fixed beside data
    std::vector<BoundaryDataSpec> data;
    std::vector<BoundarySourceSpec> sources;
};

}  // namespace kaname::jobs
