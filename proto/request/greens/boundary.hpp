// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"

namespace kaname::request {

/// A side of the box or a surface of the mesh file with displacement or traction. Points into the
/// message.
struct BoundaryData {
    std::string name;   ///< west, or the surface's
    std::string field;  ///< boundaries.west, boundaries.surfaces[2]
    int index;          ///< west, east, south, north, bottom, top; or in boundaries.surfaces
    v1::BoundarySide::Kind kind;
    const google::protobuf::RepeatedPtrField<std::string>* fixed;
    const v1::SideDisplacement* displacement;  ///< null: none
    const v1::SideTraction* traction;
    const v1::BoundaryTime* time;
};

/// All sides and surfaces that have data, or fix components, or name a time.
[[nodiscard]] std::vector<BoundaryData> boundary_data(const v1::Boundaries& boundaries);

/// Sides whose data follow the same time function: one source of the dataset, without slip.
struct BoundarySource {
    std::string id;           ///< boundary, boundary_2, ... in the order of their first sides
    v1::BoundaryTime time;    ///< kind filled in
    std::vector<int> places;  ///< indices into boundary_data()
    std::string key;          ///< content of the data; their time function is no part of it
};
[[nodiscard]] std::vector<BoundarySource> boundary_sources(const v1::GreensBatch& batch);

/// True for an id that boundary_sources() may give.
[[nodiscard]] bool is_boundary_id(const std::string& id);

/// Components that are given by a number or by the file.
[[nodiscard]] std::vector<std::string> components_of(const v1::SideDisplacement& displacement);
[[nodiscard]] std::vector<std::string> components_of(const v1::SideTraction& traction);

/// Keeps of all boundary data only which components they have: what other sources depend on.
void keep_kinds(v1::Boundaries& boundaries);

}  // namespace kaname::request
