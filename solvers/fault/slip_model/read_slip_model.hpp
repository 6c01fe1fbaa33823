// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <optional>

#include "solvers/base/text_file.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"

namespace kaname::slip_model {

/// Units of a .flt file, and the point of a patch that its x1 x2 x3 name.
enum class LengthUnit { Metre, Kilometre };
enum class SlipUnit { Metre, Centimetre };
enum class PatchPoint { TopStart, Centre };  ///< TopStart: start along strike of the upper edge

/// Holds values that a file may leave out. A file that gives another value is refused.
struct ReadOptions {
    std::optional<SlipFormat> format = {};       ///< else found from extension and content
    std::optional<double> rake_deg = {};         ///< CsiGmt without components of slip
    std::optional<LengthUnit> length_unit = {};  ///< RelaxFlt whose header names no unit
    std::optional<SlipUnit> slip_unit = {};      ///< RelaxFlt whose header names no unit
    PatchPoint flt_point = PatchPoint::TopStart;
};

/// Reads a finite-fault slip model. Everything is SI afterwards, whatever the file's units were.
/// Throws NotFound when there is no such file, InvalidArgument as "file:line: field: value, rule"
/// for anything that breaks the format, is not finite, or is out of range; files over 64 MiB or
/// 200,000 patches are refused.
[[nodiscard]] SlipModel read_slip_model(const std::filesystem::path& path,
                                        const ReadOptions& options = {});

/// The format of a file of numbers whose name says nothing, as the files of a service: SRF by its
/// version and the block behind it, MudPy's and Relax's rows by how many numbers they have. Nothing
/// where it is none of these.
[[nodiscard]] std::optional<SlipFormat> format_of_rows(const TextFile& file);

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
