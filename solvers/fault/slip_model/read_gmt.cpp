// SPDX-License-Identifier: BSD-3-Clause
// csi (Classic Slip Inversion): "> -Z<slip> [# i j k] [# strike_slip dip_slip opening]", then the
// four corners of a rectangle, one "lon lat depth_km" a line, slip in metres.
#include <array>
#include <cmath>
#include <optional>

#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/corner_patch.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
#include "solvers/fault/slip_model/readers.hpp"

namespace kaname::slip_model {
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

}  // namespace kaname::slip_model
