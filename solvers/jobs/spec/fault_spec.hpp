// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "solvers/fault/unit_source.hpp"
#include "solvers/jobs/spec/boundary_spec.hpp"

namespace kaname::jobs {

struct InterfaceSpec {
    /// Name of the surface in a structure of volumes; it stands in place of the next lines.
    std::string of;
    std::string surface_path;
    double min_depth_m = 0.0, max_depth_m = 0.0, smoothing_length_m = 0.0;
    bool reaches_surface = false;
    double origin_lon_deg = 0.0, origin_lat_deg = 0.0, strike_deg = 0.0;
    double spacing_strike_m = 0.0, spacing_dip_m = 0.0;
    fault::Hat hat{};
};

/// Buried edges of a plane up to which a grid's outer patches slip in full.
struct OpenEdges {
    bool start = false, end = false, bottom = false;

    [[nodiscard]] bool any() const { return start || end || bottom; }
};

struct PlaneSpec {
    double centre_lon_deg = 0.0, centre_lat_deg = 0.0;  ///< centre of the top edge
    double top_depth_m = 0.0, strike_deg = 0.0, dip_deg = 0.0, length_m = 0.0, width_m = 0.0;
    OpenEdges open = {};
};

/// One patch of a fault: its id, and where it stands in the grid of patches.
struct PatchSpec {
    std::string id;
    int column = 0, row = 0;  ///< along strike, down dip
};

/// Unit slip on a patch, one source of the dataset.
struct UnitSourceSpec {
    std::string id;
    int patch = 0;          ///< index in PatchGridSpec::patches
    std::string component;  ///< name of the slip's direction
    double rake_deg = 0.0;
};

/// The patches of one fault and the sources on them, both in the order of the dataset.
struct PatchGridSpec {
    int n_strike = 0, n_dip = 0;
    std::vector<PatchSpec> patches;
    std::vector<UnitSourceSpec> sources;
};

/// Slip of a source on one surface of the mesh file.
struct SlipTableSpec {
    std::string surface, path;
    double reach_m = 0.0;
    std::string field;  ///< for messages
};

struct SlipSourceSpec {
    std::string name;
    std::vector<SlipTableSpec> tables;
    std::string key;  ///< key of what the tables say: sources of the same name may differ
};

/// A Gmsh file with its faults: physical surfaces, and slip on them from tables.
struct MeshFileSpec {
    struct Surface {
        std::string name, field;
        std::optional<double> strike_deg = std::nullopt;
    };
    std::string path, top;
    std::string length_unit;  ///< m, km; empty: not said
    std::vector<Surface> surfaces;
    std::vector<SlipSourceSpec> sources;
    std::vector<MeshBoundarySpec> boundaries;
};

/// The planes of a scenario's slip models: one, or one for each group of segments in a plane.
struct PlaneOfSlipModel {};

struct NamedFault {
    std::string name, field;  ///< "fault.several[0]"
    std::variant<InterfaceSpec, PlaneSpec> fault;
    PatchGridSpec patches = {};  ///< none in a scenario
};

/// Faults in one mesh, which may touch, branch and cross.
struct SeveralFaultsSpec {
    std::vector<NamedFault> faults;
};

using FaultSpec =
    std::variant<InterfaceSpec, PlaneSpec, MeshFileSpec, PlaneOfSlipModel, SeveralFaultsSpec>;

}  // namespace kaname::jobs
