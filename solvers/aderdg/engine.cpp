// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/engine.hpp"

#include "solvers/aderdg/cpu/cpu_engine.hpp"
#include "solvers/aderdg/gpu_engine.hpp"
#include "solvers/parallel/pack.hpp"

namespace kaname::aderdg {

std::unique_ptr<Engine> make_engine(EngineSetup setup, const device::Queue& queue) {
    if (queue.backend() == device::Backend::Cuda) {
        return make_gpu_engine(std::move(setup), queue);
    }
    return make_cpu_engine(std::move(setup));
}

int elements_per_block(Precision precision, int lanes, const device::Queue& queue) {
    if (queue.backend() == device::Backend::Cuda) {
        return gpu_columns(precision) / lanes;
    }
    return (precision == Precision::Single ? kPack<float> : kPack<double>) / lanes;
}

}  // namespace kaname::aderdg
