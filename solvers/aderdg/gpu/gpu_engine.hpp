// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "solvers/aderdg/engine.hpp"

namespace kaname::aderdg {

/// The elements in a GPU's memory, all that happens in a macro step queued at once. Throws
/// Unavailable in builds without CUDA and for orders whose kernels the GPU has no room for.
[[nodiscard]] std::unique_ptr<Engine> make_gpu_engine(EngineSetup setup,
                                                      const device::Queue& queue);

/// Numbers of a block there: elements times lanes.
[[nodiscard]] constexpr int gpu_columns(Precision precision) {
    return precision == Precision::Single ? 32 : 16;
}

}  // namespace kaname::aderdg
