// SPDX-License-Identifier: BSD-3-Clause
// US Geological Survey finite fault .param: slip in centimetres, moment in dyne cm.
//
// Each patch is computed as n x n point sources, and a row's position is one of them, not the
// centre: the first in products of 2016 and 2018 (a third of a patch from the centre), the second
// of five in an older one. The outline in the header joins the outermost point sources, so it is
// centred on the segment. The offset from rows to patch centres is therefore the outline's centre
// minus the mean of the rows; the .fsp of the same event, which gives centres, agrees with it to
// its last digit.
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"

namespace kaname::slip_model {
namespace {

class ParamReader {
public:
    explicit ParamReader(const TextFile& file) : file_(file) {}

    SlipModel read() {
        const auto first = cells_after("#Total number of fault_segments", next("first line"));
        const int n_segments =
            file_.lines()[0].count_in("number of fault segments", first, 1, 1000);
        for (int segment = 0; segment < n_segments; ++segment) {
            read_segment(segment);
        }
        if (at_ != file_.lines().size()) {
            file_.lines()[at_].refuse("rows: more than the headers announce");
        }
        return std::move(model_);
    }

private:
    struct Sizes {
        int n_strike = 0, n_dip = 0;
        double length_m = 0.0, width_m = 0.0;
    };

    const TextLine& next(const char* what) {
        if (at_ == file_.lines().size()) {
            file_.whole().refuse(std::string("ends before its ") + what);
        }
        return file_.lines()[at_++];
    }

    /// First cell behind `key` and '=' in the line, or refused. There may be blanks before the '='.
    static std::string_view cells_after(std::string_view key, const TextLine& line) {
        const std::size_t at = line.text.find(key);
        if (at != key.npos) {
            const std::string_view rest = trimmed(line.text.substr(at + key.size()));
            if (const auto cells = cells_of(rest.substr(rest.starts_with('=') ? 1 : rest.size()));
                !cells.empty()) {
                return cells[0];
            }
        }
        line.refuse("must hold '" + std::string(key) + "= <value>'");
    }

    static double kilometres_after(std::string_view key, const TextLine& line) {
        std::string_view cell = cells_after(key, line);
        if (!cell.ends_with("km")) {
            line.refuse(std::string(key) + "=", cell, "must be in km, as 15.00km");
        }
        cell.remove_suffix(2);
        return kMetresPerKm * line.number_in(key, cell, 1e-6, 2000.0, "must be > 0 and <= 2000 km");
    }

    Sizes read_sizes(const TextLine& line) {
        return {line.count_in("nx", cells_after("nx(Along-strike)", line), 1, kMostPatches),
                line.count_in("ny", cells_after("ny(downdip)", line), 1, kMostPatches),
                kilometres_after("Dx", line), kilometres_after("Dy", line)};
    }

    Place read_place(const TextLine& line, std::string_view lon, std::string_view lat,
                     std::string_view depth) {
        return {line.number_in("longitude", lon, -360.0, 360.0, "must be from -360 to 360 degrees"),
                line.number_in("latitude", lat, -89.9, 89.9, "must be from -89.9 to 89.9 degrees"),
                kMetresPerKm * line.number_of("depth", depth)};
    }

    /// Centre of the outline's four corners; the fifth repeats the first.
    Place read_outline() {
        std::array<Place, 5> corners;
        for (Place& corner : corners) {
            const TextLine& line = next("outline");
            const auto cells = cells_of(line.text);
            if (cells.size() != 3) {
                line.refuse("outline: must be 5 lines of longitude, latitude, depth");
            }
            corner = read_place(line, cells[0], cells[1], cells[2]);
        }
        Vec3 mean;
        for (int i = 0; i < 4; ++i) {
            mean += 0.25 * local_offset(corners[0], corners[i]);
        }
        return moved(corners[0], mean);
    }

    void read_segment(int segment) {
        const TextLine& head = next("header of a segment");
        const Sizes sizes = read_sizes(head);
        const TextLine& boundary = next("outline");
        if (boundary.text.find("Boundary of Fault_segment") == boundary.text.npos) {
            boundary.refuse("must be the line '#Boundary of Fault_segment ...'");
        }
        (void)next("outline's column names");
        const Place outline_centre = read_outline();
        const TextLine& names = next("column names");
        if (names.text.find("#Lat. Lon. depth slip rake strike dip t_rup t_ris t_fal mo") != 0) {
            names.refuse(
                "columns: must be #Lat. Lon. depth slip rake strike dip t_rup t_ris "
                "t_fal mo");
        }
        const std::size_t first = model_.patches.size();
        const long n_rows = static_cast<long>(sizes.n_strike) * sizes.n_dip;
        for (long row = 0; row < n_rows; ++row) {
            read_row(next("last row"), segment, row, sizes);
        }
        model_.segments.push_back(
            {model_.patches[first].strike_deg, model_.patches[first].dip_deg});
        move_to_centres(first, outline_centre, sizes, head);
    }

    void read_row(const TextLine& line, int segment, long row, const Sizes& sizes) {
        const auto cells = cells_of(line.text);
        if (cells.size() != 11) {
            line.refuse("columns: " + std::to_string(cells.size()) +
                        ", must be 11; the header announces " + std::to_string(sizes.n_strike) +
                        " x " + std::to_string(sizes.n_dip) + " rows");
        }
        const Place place = read_place(line, cells[1], cells[0], cells[2]);
        SlipPatch patch;
        patch.id = (segment > 0 ? std::to_string(segment + 1) + "/" : "") + std::to_string(row + 1);
        patch.segment = segment;
        patch.lon_deg = place.lon_deg;
        patch.lat_deg = place.lat_deg;
        patch.depth_m = place.depth_m;
        patch.length_m = sizes.length_m;
        patch.width_m = sizes.width_m;
        patch.slip_m = kMetresPerCm * line.number_of("slip", cells[3]);
        patch.rake_deg = line.number_of("rake", cells[4]);
        patch.strike_deg = line.number_of("strike", cells[5]);
        patch.dip_deg = line.number_of("dip", cells[6]);
        patch.rupture_time_s = line.number_of("t_rup", cells[7]);
        patch.rise_time_s = line.number_of("t_ris", cells[8]) + line.number_of("t_fal", cells[9]);
        patch.moment_nm = kNewtonMetresPerDyneCm * line.number_of("mo", cells[10]);
        add_patch(model_, patch, line);
    }

    void move_to_centres(std::size_t first, const Place& centre, const Sizes& sizes,
                         const TextLine& head) {
        const std::size_t n = model_.patches.size() - first;
        Vec3 mean;
        for (std::size_t i = first; i < first + n; ++i) {
            const SlipPatch& patch = model_.patches[i];
            mean += 1.0 / static_cast<double>(n) *
                    local_offset(centre, {patch.lon_deg, patch.lat_deg, patch.depth_m});
        }
        const Vec3 shift = -1.0 * mean;
        const SlipSegment& plane = model_.segments.back();
        const PlaneAxes axes = plane_axes(plane.strike_deg * kDegree, plane.dip_deg * kDegree);
        const double along = dot(shift, axes.along_strike) / sizes.length_m;
        const double down = dot(shift, axes.down_dip) / sizes.width_m;
        const double off = dot(shift, axes.normal) / sizes.width_m;
        // The first point source of n x n lies (n - 1) / (2 n) < 1/2 patch before the centre.
        constexpr double kLow = -0.05, kHigh = 0.55, kOff = 0.1;
        if (along < kLow || along > kHigh || down < kLow || down > kHigh || std::abs(off) > kOff) {
            head.refuse(
                "outline: its centre must lie 0 to 1/2 patch along strike and down dip "
                "from the mean of the rows, it lies " +
                std::to_string(along) + ", " + std::to_string(down) + " and " +
                std::to_string(off) + " patches off the plane");
        }
        for (std::size_t i = first; i < first + n; ++i) {
            SlipPatch& patch = model_.patches[i];
            const Place moved_to = moved({patch.lon_deg, patch.lat_deg, patch.depth_m}, shift);
            patch.lon_deg = moved_to.lon_deg;
            patch.lat_deg = moved_to.lat_deg;
            patch.depth_m = moved_to.depth_m;
        }
    }

    const TextFile& file_;
    std::size_t at_ = 0;
    SlipModel model_;
};

}  // namespace

SlipModel read_usgs_param(const TextFile& file) {
    return ParamReader(file).read();
}

}  // namespace kaname::slip_model
