// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/request/form/rules.hpp"
#include "proto/request/greens/stations.hpp"
#include "solvers/base/error.hpp"

namespace kaname::request {

/// Every rule of a batch that needs neither files nor geometry; all that are broken, at once, in
/// the order of the message, with values in the units that they were written in: `unit_factor` is
/// from those to the message's, by field path; empty: all 1. Accepts messages before and after
/// fill_defaults. `stations`: those of the list and of files, where a rule is of both.
[[nodiscard]] std::vector<Violation> validate(
    const v1::GreensBatch& batch,
    const std::function<double(const std::string& field)>& unit_factor = {},
    const std::vector<RequestStation>& stations = {});

/// The parts of validate(): each adds what it finds to the rules.

inline constexpr int kMaxSources = 100000;  ///< of one request

/// Kinds of SlipHistory that the sources of a batch may have.
inline const std::vector<std::string> kSlipHistories = {"step", "ramp", "exponential",
                                                        "logarithmic", "table"};

/// A slip history of one of `kinds` at `path`, which lasts until end_s.
void check_history(const v1::SlipHistory& history, const std::string& path, double end_s,
                   const std::vector<std::string>& kinds, Rules& rules);
/// Checks a rectangle with slip at `path`, in rock of `structure`; `plane`: the fault follows from
/// it.
void check_rectangle(const v1::SlipRectangle& rectangle, const std::string& path,
                     const v1::Structure& structure, bool plane, Rules& rules);
/// Events and volume of a scenario; their absence from a batch.
void check_scenario(const v1::GreensBatch& batch, Rules& rules);
void check_structure(const v1::GreensBatch& batch, Rules& rules);
/// Surfaces and volumes of a structure that has them.
void check_volumes(const v1::GreensBatch& batch, Rules& rules);
/// Sizes of the mesh of such a structure, beside those that every mesh has.
void check_volume_sizes(const v1::Mesh& mesh, Rules& rules);
/// Nothing that only volumes give a meaning to.
void check_no_volumes(const v1::GreensBatch& batch, Rules& rules);
void check_fault(const v1::GreensBatch& batch, Rules& rules);
/// Region, fault, mesh and boundaries of a batch with mesh.file.
void check_mesh_file(const v1::GreensBatch& batch, Rules& rules);
/// Displacement, traction and their time functions on sides and surfaces, and what cannot go along
/// with them.
void check_boundary_data(const v1::GreensBatch& batch, Rules& rules);
/// Ranges of viscosity, and what cannot go along with them.
void check_ranges(const v1::GreensBatch& batch, Rules& rules);
/// Nothing that only a mesh file gives a meaning to.
void check_no_mesh_file(const v1::GreensBatch& batch, Rules& rules);

}  // namespace kaname::request
