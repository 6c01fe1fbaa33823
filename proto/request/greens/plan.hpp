// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "proto/request/greens/load.hpp"

namespace kaname::request {

/// One unit source of a batch.
struct PlannedSource {
    std::string id;   ///< "s03d01/dip_slip", as in the dataset
    std::string key;  ///< content key of its result
    /// Content key of what tables, a slip model or sides say; empty for unit slip on a patch.
    std::string slip_key = {};
};

/// The stages that a batch needs and what each depends on, as content keys: SHA-256 (hex) over the
/// canonical request, files by their bytes, and a numerics version that is raised by hand
/// when results change. Stations, epochs, name and description are no part of mesh and source keys:
///   mesh     region, names and depths of layers, fault geometry and patches, mesh; with a mesh
///            file its bytes and the roles of its surfaces; with volumes all of their geometry and
///            files, and stations where mesh.size_at_stations is given
///   source   mesh key, materials, kinds of the boundaries, time steps (not epochs), solver, source
///            id, and stations only where they lie below the surface or output.surface is "none";
///            displacement and traction of sides only in the source that they make
/// In a scenario the slip models belong to the mesh, the sources are the models, and the rest of
/// its events (times, scales, histories) shapes the package only, with a volume the sources too.
///   package  everything that a dataset shows
struct Plan {
    std::string mesh_key;
    std::string compat_key;  ///< content key of all that the sources of one solver run share
    std::string package_key;
    std::vector<PlannedSource> sources;  ///< in the order of the dataset
    /// Forces at the stations that are solved for in place of the sources, whose keys then are of
    /// no result; empty where the sources are solved for. A force's key knows neither the
    /// station's name nor rakes, components and slip tables, and of a plane in several patches not
    /// their number; an interface is meshed around its patches, which therefore are in it.
    std::vector<PlannedSource> forces = {};
};

/// Value of output.surface for none.
inline constexpr const char* kSurfaceNone = "none";

/// "s00d00/strike_slip", ...: down dip slowest, then along strike, then component. On surfaces of a
/// mesh file: the sources' names; of a scenario: for each slip model its first event's. After them
/// boundary, boundary_2, ... of moved or loaded sides. The defaults are filled.
[[nodiscard]] std::vector<std::string> source_ids(const v1::GreensBatch& batch);

[[nodiscard]] Plan make_plan(const LoadedBatch& loaded);

/// The batch with the patches of a YAML file in place of its own: the file is a Fault message with
/// the geometry of the batch's, of which it gives only
///   plane      n_strike, n_dip and rake_deg or components
///   interface  patches
///   mesh       sources
/// Throws ValidationError with all that is wrong with either, as load_batch_file, Error when the
/// file is no YAML at all.
[[nodiscard]] LoadedBatch with_patches(v1::GreensBatch batch, const std::string& path);

}  // namespace kaname::request
