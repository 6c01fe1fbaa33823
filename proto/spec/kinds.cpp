// SPDX-License-Identifier: BSD-3-Clause
// The kinds of request of this version, one line each.
#include "proto/spec/kinds.hpp"

#include "proto/spec/greens/greens_kind.hpp"
#include "proto/spec/inversion/load_inversion.hpp"
#include "proto/spec/rupture/load_rupture.hpp"
#include "proto/spec/seismic_waves/load_seismic_waves.hpp"
#include "proto/spec/voxel_waves/load_voxel_waves.hpp"

namespace kaname::spec {

const Kinds& built_in_kinds() {
    static const Kinds kinds({&greens_kind(), &inversion_kind(), &voxel_waves_kind(),
                              &seismic_waves_kind(), &rupture_kind()});
    return kinds;
}

}  // namespace kaname::spec
