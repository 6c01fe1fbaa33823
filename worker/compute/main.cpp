// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "worker/compute/compute_main.hpp"
#include "worker/compute/greens/greens_kind.hpp"
#include "worker/compute/inversion/inversion_kind.hpp"
#include "worker/compute/rupture/rupture_kind.hpp"
#include "worker/compute/seismic_waves/seismic_waves_kind.hpp"
#include "worker/compute/voxel_waves/voxel_waves_kind.hpp"

int main(int argc, char** argv) {
    using namespace kaname::compute;
    const std::array<const Kind*, 5> kinds = {&greens_kind(), &inversion_kind(),
                                              &voxel_waves_kind(), &seismic_waves_kind(),
                                              &rupture_kind()};
    return compute_main(argc, argv, kinds);
}
