// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/base/text_file.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"

namespace kaname::slip_model {

/// One per format; read_slip_model names the format and checks what they share.
[[nodiscard]] SlipModel read_srcmod_fsp(const TextFile& file);
[[nodiscard]] SlipModel read_usgs_param(const TextFile& file);
[[nodiscard]] SlipModel read_csi_gmt(const TextFile& file, const ReadOptions& options);
[[nodiscard]] SlipModel read_relax_flt(const TextFile& file, const ReadOptions& options);
[[nodiscard]] SlipModel read_mudpy_rupt(const TextFile& file);
[[nodiscard]] SlipModel read_patch_csv(const TextFile& file);
[[nodiscard]] SlipModel read_corner_csv(const TextFile& file);
[[nodiscard]] SlipModel read_usgs_geojson(const TextFile& file);
[[nodiscard]] SlipModel read_srf(const TextFile& file);

}  // namespace kaname::slip_model
