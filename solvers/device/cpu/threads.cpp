// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/threads.hpp"

#ifdef KANAME_HAVE_OPENMP
#include <omp.h>
#endif

namespace kaname::device {

void set_threads([[maybe_unused]] int n) {
#ifdef KANAME_HAVE_OPENMP
    omp_set_num_threads(n > 0 ? n : 1);
#endif
}

int max_threads() {
#ifdef KANAME_HAVE_OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

}  // namespace kaname::device
