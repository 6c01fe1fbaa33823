// SPDX-License-Identifier: BSD-3-Clause
// MudPy (Melgar and Bock 2015, FakeQuakes): "No lon lat z(km) strike dip rise dura ss-slip(m)
// ds-slip(m) ss_len(m) ds_len(m) rupt_time(s) rigidity(Pa) [velocity(km/s)]", a row per subfault
// with its centre. Strike slip is left-lateral > 0, dip slip reverse > 0.
#include <cmath>
#include <set>
#include <string>

#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
#include "solvers/fault/slip_model/readers.hpp"

namespace kaname::slip_model {

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
