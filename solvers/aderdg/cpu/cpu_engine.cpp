// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/cpu/cpu_engine.hpp"

#include "solvers/aderdg/cpu/block_engine.hpp"

namespace kaname::aderdg {
namespace {

template <class T, int N>
std::unique_ptr<Engine> make_of_order(EngineSetup& setup) {
    if constexpr (N >= 1) {
        if (setup.params.order == N + 1) {
            return std::make_unique<BlockEngine<T, N>>(std::move(setup));
        }
        return make_of_order<T, N - 1>(setup);
    } else {
        return nullptr;  // orders are checked before
    }
}

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(EngineSetup setup) {
    if (setup.params.precision == Precision::Single) {
        return make_of_order<float, kMostOrder - 1>(setup);
    }
    return make_of_order<double, kMostOrder - 1>(setup);
}

}  // namespace kaname::aderdg
