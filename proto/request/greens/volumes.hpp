// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/greens.pb.h"

namespace kaname::request {

/// A structure of surfaces and the volumes between them, not of layers.
[[nodiscard]] inline bool has_volumes(const v1::Structure& structure) {
    return !structure.volumes().empty() || !structure.surfaces().empty() ||
           !structure.free_surface().empty();
}
[[nodiscard]] inline bool has_volumes(const v1::GreensBatch& batch) {
    return has_volumes(batch.structure());
}

}  // namespace kaname::request
