// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/greens.pb.h"
#include "proto/spec/form/rules.hpp"

/// The parts of validate(): each adds what it finds to the rules.
namespace kaname::spec {

inline constexpr int kMaxSources = 100000;  ///< of one specification

/// Kinds of SlipHistory that the sources of a batch may have.
inline const std::vector<std::string> kSlipHistories = {"step", "ramp", "exponential",
                                                        "logarithmic", "table"};

/// A slip history of one of `kinds` at `path`, which lasts until end_s.
void check_history(const v1::SlipHistory& history, const std::string& path, double end_s,
                   const std::vector<std::string>& kinds, Rules& rules);
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

}  // namespace kaname::spec
