// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/side_sources.hpp"

#include <algorithm>
#include <limits>

#include "solvers/io/dataset/greens_layout.hpp"

namespace kaname::jobs {

std::vector<std::string> SideSources::ids() const {
    std::vector<std::string> ids;
    for (const BoundarySourceSpec& source : sources_) {
        ids.push_back(source.id);
    }
    return ids;
}

int SideSources::index(const std::string& id) const {
    const auto found = std::ranges::find(sources_, id, &BoundarySourceSpec::id);
    return found == sources_.end() ? -1 : static_cast<int>(found - sources_.begin());
}

io::GreensDataset::Source SideSources::row(const std::string& id) const {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const BoundarySourceSpec& source = sources_[index(id)];
    io::GreensDataset::Source row;
    row.id = source.id;
    row.patch_id = source.sides;
    row.component = io::layout::kSides;
    for (double* number : {&row.rake_deg, &row.lon_deg, &row.lat_deg, &row.depth_m, &row.x_m,
                           &row.y_m, &row.strike_deg, &row.dip_deg}) {
        *number = kNaN;
    }
    for (auto* corners : {&row.outline_lon_deg, &row.outline_lat_deg, &row.outline_depth_m,
                          &row.outline_x_m, &row.outline_y_m}) {
        std::fill(std::begin(*corners), std::end(*corners), kNaN);
    }
    return row;
}

}  // namespace kaname::jobs
