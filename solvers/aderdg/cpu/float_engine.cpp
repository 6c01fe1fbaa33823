// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/cpu/block_engine_impl.hpp"

namespace kaname::aderdg {

template class BlockEngine<double, 1>;
template class BlockEngine<double, 2>;
template class BlockEngine<double, 3>;
template class BlockEngine<double, 4>;
template class BlockEngine<double, 5>;
template class BlockEngine<double, 6>;

template class BlockEngine<float, 1>;
template class BlockEngine<float, 2>;
template class BlockEngine<float, 3>;
template class BlockEngine<float, 4>;
template class BlockEngine<float, 5>;
template class BlockEngine<float, 6>;

}  // namespace kaname::aderdg
