// SPDX-License-Identifier: BSD-3-Clause
#ifndef KANAME_HAVE_CUDA
#include "solvers/aderdg/engine.hpp"
#include "solvers/base/error.hpp"

namespace kaname::aderdg {

std::unique_ptr<Engine> make_gpu_engine(EngineSetup, const device::Queue&) {
    throw Error(ErrorCode::Unavailable, "this build has no CUDA backend");
}

}  // namespace kaname::aderdg
#endif
