// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "proto/kaname/v1/greens.pb.h"
#include "proto/request/form/json.hpp"
#include "proto/request/form/request.hpp"
#include "proto/request/greens/load.hpp"

namespace kaname::request {

/// Green's functions of unit sources (GreensBatch) and the motion of scenarios (Scenario).
[[nodiscard]] const Kind& greens_kind();

/// Mesh, sources, package: see Plan for what their keys depend on.
[[nodiscard]] TaskGraph greens_graph(const LoadedBatch& loaded);

/// Viscoelastic is what relaxes and is wanted after the slip; all else is elastic. Faults are known
/// by their kinds (plane, interface, mesh, slip_model) and by the names that they have. The place
/// takes the sources that the request itself places; of others the middle of the region.
[[nodiscard]] Description describe(const LoadedBatch& loaded);

/// Returns the canonical text of a batch with its defaults filled in.
[[nodiscard]] std::string canonical_json(const v1::GreensBatch& batch);
/// Returns the text from which keys are made: the canonical JSON, where a mesh in layers has two
/// numbers more. All such requests were once filled in with them; so the results of that time
/// are still found.
[[nodiscard]] std::string key_text(const v1::GreensBatch& batch);
/// Returns the SHA-256 in hex of the key text without `name` and `description`: a new label is no
/// new computation.
[[nodiscard]] std::string content_hash(const v1::GreensBatch& batch);

}  // namespace kaname::request
