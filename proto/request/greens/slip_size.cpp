// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/slip_size.hpp"

#include <algorithm>
#include <cmath>

#include "proto/request/greens/validate.hpp"
#include "proto/request/greens/volumes.hpp"
#include "solvers/base/units.hpp"

namespace kaname::request {
namespace {

constexpr double kLeastMagnitude = -3.0, kMostMagnitude = 10.5;

double mu_of(const v1::Material& material) {
    return material.has_mu_pa()
               ? material.mu_pa()
               : material.density_kg_per_m3() * material.vs_m_per_s() * material.vs_m_per_s();
}

/// Returns mu of a material's name; 0 if there is none.
double mu_of(const v1::Structure& structure, const std::string& name) {
    const auto found = std::ranges::find_if(
        structure.materials(), [&](const v1::Material& m) { return m.name() == name; });
    return found == structure.materials().end() ? 0.0 : mu_of(*found);
}

bool is_magnitude(double magnitude) {
    return magnitude >= kLeastMagnitude && magnitude <= kMostMagnitude;
}

void check_magnitude(const std::string& field, double magnitude, Rules& rules) {
    rules.in_range(field, magnitude, kLeastMagnitude, kMostMagnitude);
}

/// Side of the square that an event's point is [m]; 0: its place is not known.
double side_of(const v1::SlipEvent& event) {
    return is_whole(event.at()) ? kSideOverDepth * event.at().depth_m() : 0.0;
}

/// The square of an event's double couple, without slip.
v1::SlipRectangle square_of(const v1::SlipEvent& event) {
    v1::SlipRectangle square;
    square.set_lon_deg(event.at().lon_deg());
    square.set_lat_deg(event.at().lat_deg());
    square.set_depth_m(event.at().depth_m());
    square.set_length_m(side_of(event));
    square.set_width_m(side_of(event));
    square.set_strike_deg(event.double_couple().strike_deg());
    square.set_dip_deg(event.double_couple().dip_deg());
    square.set_rake_deg(event.double_couple().rake_deg());
    return square;
}

bool is_nothing(const v1::MomentTensor& m) {
    return m.xx_n_m() == 0.0 && m.yy_n_m() == 0.0 && m.zz_n_m() == 0.0 && m.yz_n_m() == 0.0 &&
           m.xz_n_m() == 0.0 && m.xy_n_m() == 0.0;
}

/// Depths of a rectangle's edges [m].
std::pair<double, double> depths_of(const v1::SlipRectangle& rectangle) {
    const double half_m = 0.5 * rectangle.width_m() * std::sin(rectangle.dip_deg() * kDegree);
    return {rectangle.depth_m() - half_m, rectangle.depth_m() + half_m};
}

}  // namespace

double moment_of(double magnitude) {
    return std::pow(10.0, 1.5 * magnitude + 9.1);
}

double mean_mu_pa(const v1::Structure& structure, double top_m, double bottom_m) {
    if (structure.layers().empty() || has_volumes(structure) ||
        !structure.below_interface().empty()) {
        double mu_pa = 0.0;
        for (const v1::Material& material : structure.materials()) {
            if (mu_pa != 0.0 && mu_of(material) != mu_pa) {
                return 0.0;
            }
            mu_pa = mu_of(material);
        }
        return mu_pa;
    }
    double above_m = -kInf, sum = 0.0;
    for (const v1::Layer& layer : structure.layers()) {
        const double below_m = layer.has_bottom_depth_m() ? layer.bottom_depth_m() : kInf;
        const double mu_pa = mu_of(structure, layer.material());
        if (bottom_m <= below_m && top_m >= above_m) {
            return mu_pa;
        }
        const double thick_m = std::min(bottom_m, below_m) - std::max(top_m, above_m);
        sum += mu_pa * std::max(0.0, thick_m);
        above_m = below_m;
    }
    return sum / (bottom_m - top_m);
}

std::optional<double> slip_of(double magnitude, double area_m2, double top_m, double bottom_m,
                              const v1::Structure& structure) {
    const double moment_per_m = mean_mu_pa(structure, top_m, bottom_m) * area_m2;
    const double slip_m =
        is_magnitude(magnitude) && moment_per_m > 0.0 ? moment_of(magnitude) / moment_per_m : kInf;
    return slip_m <= kMostSlip_m ? std::optional(slip_m) : std::nullopt;
}

void settle_size(v1::SlipRectangle& rectangle, const v1::Structure& structure) {
    if (!rectangle.has_magnitude() || rectangle.has_slip_m() || !rectangle.has_depth_m() ||
        !rectangle.has_dip_deg()) {
        return;
    }
    const auto [top_m, bottom_m] = depths_of(rectangle);
    if (const auto slip_m =
            slip_of(rectangle.magnitude(), rectangle.length_m() * rectangle.width_m(), top_m,
                    bottom_m, structure)) {
        rectangle.set_slip_m(*slip_m);
        rectangle.clear_magnitude();
    }
}

void check_size(bool has_slip, double slip_m, bool has_magnitude, double magnitude, bool rest,
                const std::string& path, Rules& rules) {
    const std::string slip = path + ".slip_m", size = path + ".magnitude";
    if (has_slip == has_magnitude) {
        rules.fail(has_slip ? size : slip, has_slip ? "excludes slip_m; keep one"
                                                    : "must be given, or magnitude in its place");
    } else if (has_magnitude) {
        const std::size_t n = rules.size();
        check_magnitude(size, magnitude, rules);
        if (rest && rules.size() == n) {
            rules.fail(size, "must make slip of at most " + show(kMostSlip_m) +
                                 " m in rock whose shear modulus is known (layers, or one "
                                 "material), got " +
                                 show(magnitude) + "; give slip_m, or a larger area");
        }
    } else if (slip_m < 0.0 || slip_m > kMostSlip_m) {
        rules.fail(slip, "must be in 0.." + rules.in_unit_of(slip, kMostSlip_m) + ", got " +
                             rules.in_unit_of(slip, slip_m) +
                             (slip_m < 0.0 ? "; the other way round it has its rake turned by 180"
                                           : "; is it in centimetres?"));
    }
}

std::optional<double> moment_of(const v1::DoubleCouple& couple) {
    if (couple.has_magnitude() == couple.has_moment_n_m()) {
        return std::nullopt;
    }
    if (couple.has_magnitude()) {
        return is_magnitude(couple.magnitude()) ? std::optional(moment_of(couple.magnitude()))
                                                : std::nullopt;
    }
    return couple.moment_n_m() > 0.0 ? std::optional(couple.moment_n_m()) : std::nullopt;
}

void check_double_couple(const v1::DoubleCouple& couple, const std::string& path, Rules& rules) {
    if (couple.has_magnitude() == couple.has_moment_n_m()) {
        rules.fail(path + ".magnitude", couple.has_magnitude()
                                            ? "excludes moment_n_m; keep one"
                                            : "must be given, or moment_n_m in its place");
    } else if (couple.has_magnitude()) {
        check_magnitude(path + ".magnitude", couple.magnitude(), rules);
    }
}

bool settle_couple(const v1::DoubleCouple& couple, double azimuth_deg, v1::MomentTensor& moment) {
    const std::optional<double> size = moment_of(couple);
    if (!size || !couple.has_strike_deg() || !couple.has_dip_deg() || !couple.has_rake_deg() ||
        !std::isfinite(couple.strike_deg()) || !std::isfinite(couple.rake_deg()) ||
        !(couple.dip_deg() >= 0.0 && couple.dip_deg() <= 90.0)) {
        return false;
    }
    // Aki and Richards (2002), box 4.4, with x north, y east, z down there.
    const double f = (couple.strike_deg() - azimuth_deg) * kDegree, d = couple.dip_deg() * kDegree;
    const double l = couple.rake_deg() * kDegree, m = *size;
    const double sl = std::sin(l), cl = std::cos(l), sd = std::sin(d), cd = std::cos(d);
    const double s2d = std::sin(2.0 * d), c2d = std::cos(2.0 * d);
    const double north = -m * (sd * cl * std::sin(2.0 * f) + s2d * sl * std::pow(std::sin(f), 2));
    const double east = m * (sd * cl * std::sin(2.0 * f) - s2d * sl * std::pow(std::cos(f), 2));
    const double both = m * (sd * cl * std::cos(2.0 * f) + 0.5 * s2d * sl * std::sin(2.0 * f));
    const double north_down = -m * (cd * cl * std::cos(f) + c2d * sl * std::sin(f));
    const double east_down = -m * (cd * cl * std::sin(f) - c2d * sl * std::cos(f));
    moment.set_xx_n_m(east);
    moment.set_yy_n_m(north);
    moment.set_zz_n_m(m * s2d * sl);
    moment.set_yz_n_m(-north_down);
    moment.set_xz_n_m(-east_down);
    moment.set_xy_n_m(both);
    return true;
}

void check_slip_of_waves(const google::protobuf::RepeatedPtrField<v1::SlipRectangle>& patches,
                         const std::string& path, const v1::Structure& structure, Rules& rules) {
    for (int k = 0; k < patches.size(); ++k) {
        const std::string field = element(path, k);
        check_rectangle(patches[k], field, structure, false, rules);
        if (patches[k].opening_m() != 0.0) {
            rules.fail(field + ".opening_m",
                       "must be 0 in waves, got " +
                           rules.in_unit_of(field + ".opening_m", patches[k].opening_m()));
        }
    }
}

void add_places(const google::protobuf::RepeatedPtrField<v1::SlipRectangle>& patches,
                std::vector<v1::WavePlace>& places) {
    for (const v1::SlipRectangle& patch : patches) {
        v1::WavePlace& place = places.emplace_back();
        place.set_lon_deg(patch.lon_deg());
        place.set_lat_deg(patch.lat_deg());
        place.set_depth_m(patch.depth_m());
    }
}

void settle_event(v1::SlipEvent& event, const v1::Structure& structure) {
    v1::MomentTensor unused;
    if (!event.has_double_couple() || !event.patches().empty() || event.has_slip_model() ||
        !(side_of(event) > 0.0) || !settle_couple(event.double_couple(), 0.0, unused)) {
        return;
    }
    v1::SlipRectangle square = square_of(event);
    const auto [top_m, bottom_m] = depths_of(square);
    const double moment_per_m =
        mean_mu_pa(structure, top_m, bottom_m) * side_of(event) * side_of(event);
    const double slip_m = moment_of(event.double_couple()).value() / moment_per_m;
    if (!(moment_per_m > 0.0) || slip_m > kMostSlip_m) {
        return;
    }
    square.set_slip_m(slip_m);
    *event.add_patches() = std::move(square);
    event.clear_double_couple();
    event.clear_at();
}

void check_event_point(const v1::SlipEvent& event, const v1::Structure& structure,
                       const std::string& path, Rules& rules) {
    if (!event.has_double_couple() && !event.has_moment()) {
        if (event.has_at()) {
            rules.fail(path + ".at",
                       "must be left out: it is the place of a double_couple or a moment");
        }
        return;
    }
    const std::size_t n = rules.size();
    const v1::WavePlace& at = event.at();
    rules.place(path + ".at.", at.has_lon_deg(), at.lon_deg(), at.has_lat_deg(), at.lat_deg());
    if (at.has_x_m() || at.has_y_m() || at.has_z_m()) {
        rules.fail(path + ".at", "must have lon_deg, lat_deg and depth_m alone");
    }
    if (rules.given(path + ".at.depth_m", at.has_depth_m())) {
        rules.positive(path + ".at.depth_m", at.depth_m());
    }
    if (event.has_moment()) {
        if (is_nothing(event.moment())) {
            rules.fail(path + ".moment", "must have a component that is not 0");
        }
        return;
    }
    check_double_couple(event.double_couple(), path + ".double_couple", rules);
    v1::MomentTensor unused;
    if (rules.size() > n || !settle_couple(event.double_couple(), 0.0, unused)) {
        return;
    }
    const auto [top_m, bottom_m] = depths_of(square_of(event));
    const bool known = mean_mu_pa(structure, top_m, bottom_m) > 0.0;
    rules.fail(path + ".double_couple",
               known ? "is too large for a point, whose slip on a square of " +
                           show(std::round(side_of(event))) + " m would exceed " +
                           show(kMostSlip_m) + " m; give patches with their length and width"
                     : "must lie in rock whose shear modulus is known: layers, or one material; "
                       "elsewhere give its moment tensor, as moment");
}

namespace {

constexpr double kTurn_deg = 90.0;  ///< from the strike to the direction of dip

/// Returns true if exactly one of top_centre and centre is given and it is whole.
template <class Rectangle>
bool has_one_point(const Rectangle& rectangle) {
    return rectangle.has_top_centre() != rectangle.has_centre() &&
           is_whole(rectangle.has_centre() ? rectangle.centre() : rectangle.top_centre());
}

bool has_older(const v1::Plane& plane) {
    return plane.has_centre_lon_deg() || plane.has_centre_lat_deg() || plane.has_top_depth_m();
}
bool has_older(const v1::SlipRectangle& rectangle) {
    return rectangle.has_lon_deg() || rectangle.has_lat_deg() || rectangle.has_depth_m();
}

/// Height of the centre below the upper edge, and its distance from it on the map [m].
template <class Rectangle>
double half_down_m(const Rectangle& rectangle) {
    return 0.5 * rectangle.width_m() * std::sin(rectangle.dip_deg() * kDegree);
}
template <class Rectangle>
double half_across_m(const Rectangle& rectangle) {
    return 0.5 * rectangle.width_m() * std::cos(rectangle.dip_deg() * kDegree);
}

/// Returns true if the angles and the width from which the other point follows are given.
template <class Rectangle>
bool has_shape(const Rectangle& rectangle) {
    return rectangle.has_strike_deg() && std::isfinite(rectangle.strike_deg()) &&
           rectangle.dip_deg() >= 0.0 && rectangle.dip_deg() <= kTurn_deg &&
           rectangle.width_m() > 0.0 && std::isfinite(rectangle.width_m());
}

template <class Rectangle>
bool check_one(const Rectangle& rectangle, const std::string& older, const std::string& path,
               Rules& rules) {
    if (!rectangle.has_top_centre() && !rectangle.has_centre()) {
        return true;
    }
    const std::string field = path + (rectangle.has_centre() ? ".centre" : ".top_centre");
    if (rectangle.has_top_centre() && rectangle.has_centre()) {
        rules.fail(field, "excludes top_centre; keep one");
        return false;
    }
    if (has_older(rectangle)) {
        rules.fail(field, "excludes " + older + "; keep one");
        return false;
    }
    const v1::WavePlace& at = rectangle.has_centre() ? rectangle.centre() : rectangle.top_centre();
    if (at.has_x_m() || at.has_y_m() || at.has_z_m()) {
        rules.fail(field, "must have lon_deg, lat_deg and depth_m alone");
        return false;
    }
    rules.place(field + ".", at.has_lon_deg(), at.lon_deg(), at.has_lat_deg(), at.lat_deg());
    const std::string depth = field + ".depth_m";
    if (!rules.given(depth, at.has_depth_m())) {
        return false;
    }
    const double least_m =
        rectangle.has_centre() && has_shape(rectangle) ? half_down_m(rectangle) : 0.0;
    if (at.depth_m() < 0.0 || (at.depth_m() < least_m && rectangle.has_centre())) {
        rules.fail(depth, least_m > 0.0
                              ? "must be at least half the width down the dip, " +
                                    rules.in_unit_of(depth, least_m) +
                                    ", or the upper edge is above the ground; got " +
                                    rules.in_unit_of(depth, at.depth_m())
                              : "must be >= 0, got " + rules.in_unit_of(depth, at.depth_m()));
    }
    return false;
}

}  // namespace

LonLat moved_to(const LonLat& start, double azimuth_deg, double distance_m) {
    constexpr double kAxis_m = 6378137.0, kFlattening = 1.0 / 298.257223563;
    constexpr double kSquare = kFlattening * (2.0 - kFlattening);  // of the eccentricity
    constexpr int kRounds = 6;
    // Gauss's formulae of the middle latitude, whose azimuth is that of the end turned by half of
    // what the meridians converge.
    double d_lat = 0.0, d_lon = 0.0;
    for (int round = 0; round < kRounds; ++round) {
        const double middle = start.lat_deg * kDegree + 0.5 * d_lat;
        const double azimuth = azimuth_deg * kDegree - 0.5 * d_lon * std::sin(middle);
        const double w = 1.0 - kSquare * std::pow(std::sin(middle), 2);
        const double along_m = kAxis_m * (1.0 - kSquare) / std::pow(w, 1.5);
        const double across_m = kAxis_m / std::sqrt(w);
        d_lat = distance_m * std::cos(azimuth) / along_m;
        d_lon = distance_m * std::sin(azimuth) / (across_m * std::max(1e-6, std::cos(middle)));
    }
    return {start.lon_deg + d_lon / kDegree, start.lat_deg + d_lat / kDegree};
}

bool is_whole(const v1::WavePlace& place) {
    return place.has_lon_deg() && place.has_lat_deg() && place.has_depth_m() && !place.has_x_m() &&
           !place.has_y_m() && !place.has_z_m() && place.lon_deg() >= -180.0 &&
           place.lon_deg() <= 360.0 && std::abs(place.lat_deg()) <= 90.0 &&
           place.depth_m() >= 0.0 && std::isfinite(place.depth_m());
}

void settle_point(v1::Plane& plane) {
    if (!has_one_point(plane) || has_older(plane)) {
        return;
    }
    const v1::WavePlace at = plane.has_centre() ? plane.centre() : plane.top_centre();
    LonLat top{at.lon_deg(), at.lat_deg()};
    double depth_m = at.depth_m();
    if (plane.has_centre()) {
        depth_m -= half_down_m(plane);
        if (!has_shape(plane) || depth_m < 0.0) {
            return;
        }
        top = moved_to(top, plane.strike_deg() - kTurn_deg, half_across_m(plane));
    }
    plane.clear_centre();
    plane.clear_top_centre();
    plane.set_centre_lon_deg(top.lon_deg);
    plane.set_centre_lat_deg(top.lat_deg);
    plane.set_top_depth_m(depth_m);
}

void settle_point(v1::SlipRectangle& rectangle) {
    if (!has_one_point(rectangle) || has_older(rectangle)) {
        return;
    }
    const v1::WavePlace at = rectangle.has_centre() ? rectangle.centre() : rectangle.top_centre();
    LonLat centre{at.lon_deg(), at.lat_deg()};
    double depth_m = at.depth_m();
    if (rectangle.has_top_centre()) {
        if (!has_shape(rectangle)) {
            return;
        }
        depth_m += half_down_m(rectangle);
        centre = moved_to(centre, rectangle.strike_deg() + kTurn_deg, half_across_m(rectangle));
    } else if (has_shape(rectangle) && depth_m < half_down_m(rectangle)) {
        return;
    }
    rectangle.clear_centre();
    rectangle.clear_top_centre();
    rectangle.set_lon_deg(centre.lon_deg);
    rectangle.set_lat_deg(centre.lat_deg);
    rectangle.set_depth_m(depth_m);
}

bool check_point(const v1::Plane& plane, const std::string& path, Rules& rules) {
    return check_one(plane, "centre_lon_deg, centre_lat_deg and top_depth_m", path, rules);
}

bool check_point(const v1::SlipRectangle& rectangle, const std::string& path, Rules& rules) {
    return check_one(rectangle, "lon_deg, lat_deg and depth_m", path, rules);
}

}  // namespace kaname::request
