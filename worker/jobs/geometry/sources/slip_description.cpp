// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/sources/slip_description.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/kinematic_sources.hpp"
#include "solvers/io/dataset/greens_layout.hpp"

namespace kaname::jobs {
namespace {

constexpr double kInExtent = 0.05;  // share of the largest slip: a projection swings beyond edges

}  // namespace

io::GreensDataset::Source describe_slip(const Domain& domain, const MeshedFault& fault,
                                        std::span<const Vec3> slip, const std::string& source_id) {
    const auto& [mesh, dofs, split] = fault;
    // The middle and mean normal of the slip, weighted by its amount.
    Vec3 centre, normal;
    double sum = 0.0;
    double largest = 0.0;
    for (std::size_t k = 0; k < slip.size(); ++k) {
        const double weight = norm(slip[k]);
        largest = std::max(largest, weight);
        centre += weight * dofs.node_xyz[split.split[k].node];
        normal += weight * split.normal[k];
        sum += weight;
    }
    io::GreensDataset::Source row;
    row.id = row.patch_id = source_id;
    row.component = io::layout::kAnySlip;
    set_no_place(row);
    if (!(sum > 0.0) || !(norm(normal) > 0.0)) {
        return row;
    }
    centre = (1.0 / sum) * centre;
    normal = normalized(normal);
    Vec3 strike = {-normal.y, normal.x, 0.0};
    strike = norm(strike) > std::sin(kDegree) ? normalized(strike) : Vec3{0.0, 1.0, 0.0};
    strike = normalized(strike - dot(strike, normal) * normal);
    const Vec3 down_dip = cross(strike, normal);
    double low_s = 0.0, high_s = 0.0, low_d = 0.0, high_d = 0.0;
    Vec3 mean;
    for (std::size_t k = 0; k < slip.size(); ++k) {
        mean += (1.0 / sum) * slip[k];
        if (norm(slip[k]) > kInExtent * largest) {
            const Vec3 off = dofs.node_xyz[split.split[k].node] - centre;
            low_s = std::min(low_s, dot(off, strike));
            high_s = std::max(high_s, dot(off, strike));
            low_d = std::min(low_d, dot(off, down_dip));
            high_d = std::max(high_d, dot(off, down_dip));
        }
    }
    row.rake_deg = std::atan2(-dot(mean, down_dip), dot(mean, strike)) / kDegree;
    row.dip_deg = std::acos(std::clamp(normal.z, -1.0, 1.0)) / kDegree;
    row.slip_length_m = high_s - low_s;
    row.slip_width_m = high_d - low_d;
    set_centre(domain, centre, row);
    row.strike_deg = true_azimuth_deg(domain, strike, centre);
    const std::array<Vec3, 4> corners = {
        centre + low_s * strike + low_d * down_dip, centre + high_s * strike + low_d * down_dip,
        centre + high_s * strike + high_d * down_dip, centre + low_s * strike + high_d * down_dip};
    for (int corner = 0; corner < 4; ++corner) {
        set_corner(domain, corner, corners[corner], row);
    }
    return row;
}

io::GreensDataset::Source describe_sum(const Domain& domain, const MeshedFault& fault,
                                       const SlipOnMesh& slip,
                                       std::span<const std::string> source_ids,
                                       const std::string& name) {
    std::vector<Vec3> sum(fault.split.split.size());
    for (const std::string& id : source_ids) {
        const std::vector<Vec3> more = slip.slip_of(id);
        std::ranges::transform(sum, more, sum.begin(), std::plus<>());
    }
    io::GreensDataset::Source row = describe_slip(domain, fault, sum, name);
    if (std::isnan(row.depth_m)) {  // moments alone, which slip nowhere
        Vec3 centre;
        double moment_nm = 0.0;
        for (const std::string& id : source_ids) {
            if (const auto moment = slip.moment_of(id)) {
                const double weight = slip_model::scalar_moment(moment->moment_nm);
                centre += weight * moment->at;
                moment_nm += weight;
            }
        }
        if (moment_nm > 0.0) {
            set_centre(domain, (1.0 / moment_nm) * centre, row);
        }
    }
    return row;
}

void set_sums(const fault::FaultSlip::Sums& sums, io::GreensDataset::Source& row) {
    row.slip_area_m2 = sums.area_m2;
    row.potency_m3 = sums.potency_m3;
    row.rigidity_pa = sums.rigidity_pa();
}

void set_no_place(io::GreensDataset::Source& row) {
    for (double* number : {&row.rake_deg, &row.lon_deg, &row.lat_deg, &row.depth_m, &row.x_m,
                           &row.y_m, &row.strike_deg, &row.dip_deg}) {
        *number = kNaN;
    }
    for (auto* corners : {&row.outline_lon_deg, &row.outline_lat_deg, &row.outline_depth_m,
                          &row.outline_x_m, &row.outline_y_m}) {
        std::fill(std::begin(*corners), std::end(*corners), kNaN);
    }
}

void set_centre(const Domain& domain, const Vec3& x, io::GreensDataset::Source& row) {
    row.depth_m = -x.z;
    row.x_m = x.x;
    row.y_m = x.y;
    if (!domain.projected()) {
        return;
    }
    const auto lonlat = domain.projection().inverse({x.x, x.y});
    row.lon_deg = lonlat.lon_deg;
    row.lat_deg = lonlat.lat_deg;
}

void set_corner(const Domain& domain, int corner, const Vec3& x, io::GreensDataset::Source& row) {
    row.outline_depth_m[corner] = -x.z;
    row.outline_x_m[corner] = x.x;
    row.outline_y_m[corner] = x.y;
    if (!domain.projected()) {
        return;
    }
    const auto lonlat = domain.projection().inverse({x.x, x.y});
    row.outline_lon_deg[corner] = lonlat.lon_deg;
    row.outline_lat_deg[corner] = lonlat.lat_deg;
}

io::GreensDataset::Station station_row(const Domain& domain, const Station& station,
                                       const Vec3& snapped) {
    io::GreensDataset::Station row;
    row.id = station.id;
    if (station.look) {
        row.look_east = station.look->x;
        row.look_north = station.look->y;
        row.look_up = station.look->z;
    }
    row.depth_m = station.depth_m.value_or(0.0);
    row.snapped_depth_m = -snapped.z + 0.0;
    if (!domain.projected()) {
        row.x_m = station.x_m;
        row.y_m = station.y_m;
        row.snapped_x_m = snapped.x;
        row.snapped_y_m = snapped.y;
        return row;
    }
    const auto lonlat = domain.projection().inverse({snapped.x, snapped.y});
    row.lon_deg = station.lon_deg;
    row.lat_deg = station.lat_deg;
    row.snapped_lon_deg = lonlat.lon_deg;
    row.snapped_lat_deg = lonlat.lat_deg;
    return row;
}

double convergence(const Domain& domain, const Vec3& at) {
    return domain.projected()
               ? domain.projection().convergence(domain.projection().inverse({at.x, at.y}))
               : 0.0;
}

double true_azimuth_deg(const Domain& domain, const Vec3& direction, const Vec3& at) {
    const double grid = std::atan2(direction.x, direction.y);
    return std::fmod((grid - convergence(domain, at)) / kDegree + 720.0, 360.0);
}

}  // namespace kaname::jobs
