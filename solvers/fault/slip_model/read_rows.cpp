// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "solvers/base/text_file.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"

// Tables of the project's own: a row per patch, by its centre or by its corners.
namespace kaname::slip_model {
namespace {

void read_shared_columns(const CsvTable& table, const CsvTable::Row& row, SlipPatch& patch) {
    patch.id = table.has("patch") ? std::string(table.text(row, "patch"))
                                  : std::to_string(row.line.number);
    patch.rake_deg = table.number(row, "rake_deg");
    patch.slip_m = table.number(row, "slip_m");
    patch.opening_m = table.number_if(row, "opening_m").value_or(0.0);
    patch.rupture_time_s = table.number_if(row, "rupture_time_s");
    patch.rise_time_s = table.number_if(row, "rise_time_s");
    patch.moment_nm = table.number_if(row, "moment_Nm");
}

}  // namespace

SlipModel read_patch_csv(const TextFile& file) {
    const CsvTable table(
        file,
        {"patch",           "lon_centre_deg", "lat_centre_deg",  "east_centre_km", "east_centre_m",
         "north_centre_km", "north_centre_m", "depth_centre_km", "depth_centre_m", "length_km",
         "length_m",        "width_km",       "width_m",         "strike_deg",     "dip_deg",
         "rake_deg",        "slip_m",         "opening_m",       "rupture_time_s", "rise_time_s",
         "moment_Nm"});
    SlipModel model;
    model.geographic = table.has("lon_centre_deg") || table.has("lat_centre_deg");
    for (const CsvTable::Row& row : table.rows()) {
        SlipPatch patch;
        if (model.geographic) {
            patch.lon_deg = table.number(row, "lon_centre_deg");
            patch.lat_deg = table.number(row, "lat_centre_deg");
        } else {
            patch.east_m = table.metres(row, "east_centre");
            patch.north_m = table.metres(row, "north_centre");
        }
        patch.depth_m = table.metres(row, "depth_centre");
        patch.length_m = table.metres(row, "length");
        patch.width_m = table.metres(row, "width");
        patch.strike_deg = table.number(row, "strike_deg");
        patch.dip_deg = table.number(row, "dip_deg");
        read_shared_columns(table, row, patch);
        add_patch(model, patch, row.line);
    }
    split_into_segments(model);
    return model;
}

SlipModel read_corner_csv(const TextFile& file) {
    const CsvTable table(
        file, {"patch", "lon0_deg", "lat0_deg", "depth0_km", "lon1_deg", "lat1_deg", "depth1_km",
               "lon2_deg", "lat2_deg", "depth2_km", "lon3_deg", "lat3_deg", "depth3_km", "rake_deg",
               "slip_m", "opening_m", "rupture_time_s", "rise_time_s", "moment_Nm"});
    SlipModel model;
    for (const CsvTable::Row& row : table.rows()) {
        std::array<Place, 4> corners;
        for (int i = 0; i < 4; ++i) {
            const std::string n = std::to_string(i);
            const std::string lat = "lat" + n + "_deg";
            corners[i] = {table.number(row, "lon" + n + "_deg"),
                          row.line.number_in(lat, table.text(row, lat), -89.9, 89.9,
                                             "must be from -89.9 to 89.9 degrees"),
                          kMetresPerKm * table.number(row, "depth" + n + "_km")};
        }
        SlipPatch patch = patch_of_corners(corners, row.line);
        read_shared_columns(table, row, patch);
        add_patch(model, patch, row.line);
    }
    split_into_segments(model);
    return model;
}

// Relax and Unicycle: "n slip x1 x2 x3 length width strike dip rake", x1 north, x2 east, x3 down.
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

// csi (Classic Slip Inversion): "> -Z<slip> [# i j k] [# strike_slip dip_slip opening]", then the
// four corners of a rectangle, one "lon lat depth_km" a line, slip in metres.
namespace {

struct SegmentHead {
    TextLine line;
    double z_m = 0.0;
    std::optional<std::array<double, 3>> slip_m;  ///< strike, dip, opening
};

SegmentHead read_head(const TextLine& line) {
    SegmentHead head;
    head.line = line;
    bool has_z = false;
    for (const std::string_view cell : cells_of(line.text)) {
        if (cell.starts_with('#')) {
            break;
        }
        if (cell.starts_with("-Z")) {
            head.z_m = line.number_of("slip -Z", cell.substr(2));
            has_z = true;
        }
    }
    if (!has_z) {
        line.refuse("a segment must start with '> -Z<slip in metres>'");
    }
    // With two groups behind #, the first is csi's patch index and the last the slip.
    const std::size_t mark = line.text.rfind('#');
    if (mark != line.text.npos) {
        const auto cells = cells_of(line.text.substr(mark + 1));
        if (cells.size() != 3) {
            line.refuse("slip behind #: " + std::to_string(cells.size()) +
                        " numbers, must be 3 (strike slip, dip slip, opening)");
        }
        head.slip_m.emplace();
        constexpr std::array<const char*, 3> kNames = {"strike slip", "dip slip", "opening"};
        for (std::size_t i = 0; i < 3; ++i) {
            (*head.slip_m)[i] = line.number_of(kNames[i], cells[i]);
        }
    }
    return head;
}

void set_slip(SlipPatch& patch, const SegmentHead& head, const ReadOptions& options) {
    if (!head.slip_m) {
        if (!options.rake_deg) {
            head.line.refuse(
                "rake: the file holds the size of slip only; state rake_deg (or write the "
                "components behind #)");
        }
        patch.rake_deg = *options.rake_deg;
        patch.slip_m = head.z_m;
        return;
    }
    if (options.rake_deg) {
        head.line.refuse("rake_deg is stated, but the file holds components of slip");
    }
    const auto [strike_slip, dip_slip, opening] = *head.slip_m;
    patch.slip_m = std::hypot(strike_slip, dip_slip);
    patch.rake_deg = patch.slip_m > 0.0 ? std::atan2(dip_slip, strike_slip) / kDegree : 0.0;
    patch.opening_m = opening;
}

TextLine next_corner(const TextFile& file, std::size_t& at, const SegmentHead& head) {
    while (at < file.lines().size() && file.lines()[at].text.starts_with('#')) {
        ++at;
    }
    if (at == file.lines().size() || file.lines()[at].text.starts_with('>')) {
        head.line.refuse(
            "corners: fewer than 4 follow; patches must be rectangles (triangles are not read)");
    }
    return file.lines()[at++];
}

}  // namespace

SlipModel read_csi_gmt(const TextFile& file, const ReadOptions& options) {
    SlipModel model;
    bool other_z = false;
    for (std::size_t at = 0; at < file.lines().size();) {
        const TextLine& line = file.lines()[at++];
        if (line.text.starts_with('#')) {
            continue;
        }
        if (!line.text.starts_with('>')) {
            line.refuse("corners: more than 4 of one patch, or a line before the first '>'");
        }
        const SegmentHead head = read_head(line);
        std::array<Place, 4> corners;
        for (Place& corner : corners) {
            const TextLine where = next_corner(file, at, head);
            const auto cells = cells_of(where.text);
            if (cells.size() != 3) {
                where.refuse("corner: " + std::to_string(cells.size()) +
                             " numbers, must be lon lat depth_km");
            }
            corner = {
                where.number_of("lon", cells[0]),
                where.number_in("lat", cells[1], -89.9, 89.9, "must be from -89.9 to 89.9 degrees"),
                kMetresPerKm * where.number_of("depth_km", cells[2])};
        }
        SlipPatch patch = patch_of_corners(corners, line);
        patch.id = std::to_string(model.patches.size() + 1);
        set_slip(patch, head, options);
        if (head.slip_m) {
            const double size = std::abs(head.z_m);
            const double close = 1e-4 * (1.0 + size);
            other_z = other_z || (std::abs(size - patch.slip_m) > close &&
                                  std::abs(size - std::abs((*head.slip_m)[0])) > close &&
                                  std::abs(size - std::abs((*head.slip_m)[1])) > close);
        }
        add_patch(model, patch, line);
    }
    if (other_z) {
        model.warnings.push_back(
            "the values behind -Z are not the slip of the components behind #; the components are "
            "used");
    }
    split_into_segments(model);
    return model;
}

// MudPy (Melgar and Bock 2015, FakeQuakes): "No lon lat z(km) strike dip rise dura ss-slip(m)
// ds-slip(m) ss_len(m) ds_len(m) rupt_time(s) rigidity(Pa) [velocity(km/s)]", a row per subfault
// with its centre. Strike slip is left-lateral > 0, dip slip reverse > 0.

SlipModel read_mudpy_rupt(const TextFile& file) {
    constexpr std::size_t kColumns = 14, kWithVelocity = 15;
    SlipModel model;
    std::set<std::string> seen;
    for (const TextLine& line : file.lines()) {
        if (line.text.starts_with('#')) {
            continue;
        }
        const auto cells = cells_of(line.text);
        if (cells.size() != kColumns && cells.size() != kWithVelocity) {
            line.refuse("columns: " + std::to_string(cells.size()) +
                        ", must be 14 or 15: No lon lat z(km) strike dip rise dura ss-slip(m) "
                        "ds-slip(m) ss_len(m) ds_len(m) rupt_time(s) rigidity(Pa) velocity(km/s)");
        }
        SlipPatch patch;
        patch.id = std::string(cells[0]);
        if (!seen.insert(patch.id).second) {
            line.refuse("subfault " + patch.id +
                        " stands twice: slip of several time windows must be summed up first");
        }
        patch.lon_deg = line.number_of("lon", cells[1]);
        patch.lat_deg = line.number_of("lat", cells[2]);
        patch.depth_m = kMetresPerKm * line.number_of("z", cells[3]);
        patch.strike_deg = line.number_of("strike", cells[4]);
        patch.dip_deg = line.number_of("dip", cells[5]);
        patch.rise_time_s = line.number_of("dura", cells[7]);
        const double strike_slip = line.number_of("ss-slip", cells[8]);
        const double dip_slip = line.number_of("ds-slip", cells[9]);
        patch.slip_m = std::hypot(strike_slip, dip_slip);
        patch.rake_deg = patch.slip_m > 0.0 ? std::atan2(dip_slip, strike_slip) / kDegree : 0.0;
        patch.length_m = line.number_of("ss_len", cells[10]);
        patch.width_m = line.number_of("ds_len", cells[11]);
        patch.rupture_time_s = line.number_of("rupt_time", cells[12]);
        if (const double mu_pa = line.number_of("rigidity", cells[13]); mu_pa > 0.0) {
            patch.moment_nm = mu_pa * patch.area_m2() * patch.slip_m;
        }
        add_patch(model, patch, line);
    }
    split_into_segments(model);
    return model;
}

}  // namespace kaname::slip_model
