// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "worker/compute/compute_main.hpp"
#include "worker/jobs/ader_dg/verbs/seismic_waves_kind.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"
#include "worker/jobs/inversion/verbs/inversion_kind.hpp"
#include "worker/jobs/rupture/verbs/rupture_kind.hpp"
#include "worker/jobs/voxel_fem/verbs/voxel_waves_kind.hpp"

int main(int argc, char** argv) {
    using namespace kaname::compute;
    const std::array<const Kind*, 5> kinds = {&greens_kind(), &inversion_kind(),
                                              &voxel_waves_kind(), &seismic_waves_kind(),
                                              &rupture_kind()};
    return compute_main(argc, argv, kinds);
}
