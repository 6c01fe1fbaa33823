// SPDX-License-Identifier: BSD-3-Clause
// Relax and Unicycle: "n slip x1 x2 x3 length width strike dip rake", x1 north, x2 east, x3 down.
#include <cmath>
#include <string>

#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/local_offset.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
#include "solvers/fault/slip_model/readers.hpp"

namespace kaname::slip_model {
namespace {

struct Units {
    std::optional<LengthUnit> length;
    std::optional<SlipUnit> slip;
};

bool names(const std::string& header, const char* what) {
    return header.find(what) != header.npos;
}

/// "# nb slip(cm) x1(km) x2 x3 length(km) ..."
void read_header(const TextLine& line, Units& units) {
    const std::string header = lower_case(line.text);
    if (names(header, "slip(cm)")) {
        units.slip = SlipUnit::Centimetre;
    } else if (names(header, "slip(m)")) {
        units.slip = SlipUnit::Metre;
    }
    const bool km = names(header, "x1(km)") || names(header, "length(km)");
    const bool m = names(header, "x1(m)") || names(header, "length(m)");
    if (km && m) {
        line.refuse("units: x1 and length must share one unit");
    }
    if (km || m) {
        units.length = km ? LengthUnit::Kilometre : LengthUnit::Metre;
    }
}

template <typename Unit>
Unit decide(const std::optional<Unit>& said, const std::optional<Unit>& stated,
            const std::string& name, const TextLine& line) {
    if (said && stated && *said != *stated) {
        line.refuse(name + ": the option and the file's header name different units");
    }
    if (!said && !stated) {
        line.refuse(name + ": the file's header names no unit; state " + name);
    }
    return said ? *said : *stated;
}

}  // namespace

SlipModel read_relax_flt(const TextFile& file, const ReadOptions& options) {
    SlipModel model;
    model.geographic = false;
    Units units;
    for (const TextLine& line : file.lines()) {
        if (line.text.starts_with('#')) {
            read_header(line, units);
            continue;
        }
        const auto cells = cells_of(line.text);
        if (cells.size() != 10) {
            line.refuse("columns: " + std::to_string(cells.size()) +
                        ", must be 10: n slip x1 x2 x3 length width strike dip rake");
        }
        const double metres =
            decide(units.length, options.length_unit, "length_unit", line) == LengthUnit::Kilometre
                ? kMetresPerKm
                : 1.0;
        const double slip_metres =
            decide(units.slip, options.slip_unit, "slip_unit", line) == SlipUnit::Centimetre
                ? kMetresPerCm
                : 1.0;
        SlipPatch patch;
        patch.id = std::string(cells[0]);
        patch.slip_m = slip_metres * line.number_of("slip", cells[1]);
        patch.north_m = metres * line.number_of("x1", cells[2]);
        patch.east_m = metres * line.number_of("x2", cells[3]);
        patch.depth_m = metres * line.number_of("x3", cells[4]);
        patch.length_m = metres * line.number_of("length", cells[5]);
        patch.width_m = metres * line.number_of("width", cells[6]);
        patch.strike_deg = line.number_of("strike", cells[7]);
        patch.dip_deg = line.number_of("dip", cells[8]);
        patch.rake_deg = line.number_of("rake", cells[9]);
        if (options.flt_point == PatchPoint::TopStart) {
            const PlaneAxes axes = plane_axes(patch.strike_deg * kDegree, patch.dip_deg * kDegree);
            const Vec3 shift =
                0.5 * patch.length_m * axes.along_strike + 0.5 * patch.width_m * axes.down_dip;
            patch.east_m += shift.x;
            patch.north_m += shift.y;
            patch.depth_m -= shift.z;
        }
        add_patch(model, patch, line);
    }
    split_into_segments(model);
    return model;
}

}  // namespace kaname::slip_model
