// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "solvers/aderdg/engine.hpp"

namespace kaname::aderdg {

/// The elements in this process's memory, advanced by its threads.
[[nodiscard]] std::unique_ptr<Engine> make_cpu_engine(EngineSetup setup);

}  // namespace kaname::aderdg
