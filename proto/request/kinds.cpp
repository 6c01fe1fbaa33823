// SPDX-License-Identifier: BSD-3-Clause
// The kinds of request of this version, one line each.
#include "proto/request/kinds.hpp"

#include "proto/request/ader_dg/load_seismic_waves.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/inversion/load_inversion.hpp"
#include "proto/request/rupture/load_rupture.hpp"
#include "proto/request/voxel_fem/load_voxel_waves.hpp"

namespace kaname::request {

const Kinds& built_in_kinds() {
    static const Kinds kinds({&greens_kind(), &inversion_kind(), &voxel_waves_kind(),
                              &seismic_waves_kind(), &rupture_kind()});
    return kinds;
}

}  // namespace kaname::request
