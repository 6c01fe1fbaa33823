// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/okada.hpp"

#include <cmath>
#include <initializer_list>
#include <numbers>

namespace kaname::test {
namespace {

/// Plane holds the numbers that are the same for all corners of the rectangle.
struct Plane {
    double sin_dip;
    double cos_dip;
    OkadaMedium medium;
    double tiny;  ///< lengths below this are zero
};

/// The terms of one corner (xi, eta) seen from the point, in Okada's notation.
struct Corner {
    Corner(double xi_in, double eta_in, double q_in, const Plane& plane)
        : xi(xi_in), eta(eta_in), q(std::abs(q_in) < plane.tiny ? 0.0 : q_in) {
        R = std::sqrt(xi * xi + eta * eta + q * q);
        y = eta * plane.cos_dip + q * plane.sin_dip;
        d = eta * plane.sin_dip - q * plane.cos_dip;
        if (R < plane.tiny) {
            return;
        }
        theta = q == 0.0 ? 0.0 : std::atan(xi * eta / (q * R));
        one_axis(xi, eta * eta + q * q, plane.tiny, log_xi, X11, X32);
        one_axis(eta, xi * xi + q * q, plane.tiny, log_eta, Y11, Y32);
    }

    /// ln(R+t), 1/(R(R+t)) and (2R+t)/(R^3(R+t)^2), with R+t = across^2/(R-t) for t < 0 against
    /// cancellation, and Okada's finite values on the axis itself.
    void one_axis(double t, double across_squared, double tiny, double& log, double& e11,
                  double& e32) const {
        if (t < 0.0 && across_squared < tiny * tiny) {
            log = -std::log(R - t);
            return;
        }
        const double sum = t < 0.0 ? across_squared / (R - t) : R + t;
        log = std::log(sum);
        e11 = 1.0 / (R * sum);
        e32 = (R + sum) / (R * R * R * sum * sum);
    }

    double xi, eta, q;
    double R, y, d;
    double theta = 0.0;
    double log_xi = 0.0, X11 = 0.0, X32 = 0.0;
    double log_eta = 0.0, Y11 = 0.0, Y32 = 0.0;
};

/// Displacements of slips of one along strike and up dip, and of an opening of one.
struct UnitSlips {
    Vec3 strike, dip, tensile;

    void add(double weight, const UnitSlips& other) {
        strike += weight * other.strike;
        dip += weight * other.dip;
        tensile += weight * other.tensile;
    }
};

/// u_A: the part that source and image share.
UnitSlips part_a(const Corner& c, const Plane& plane) {
    const double a = plane.medium.a;
    const double q_over_r = c.q / c.R;
    const Vec3 strike = {0.5 * c.theta + 0.5 * a * c.xi * c.q * c.Y11, 0.5 * a * q_over_r,
                         0.5 * (1.0 - a) * c.log_eta - 0.5 * a * c.q * c.q * c.Y11};
    const Vec3 dip = {0.5 * a * q_over_r, 0.5 * c.theta + 0.5 * a * c.eta * c.q * c.X11,
                      0.5 * (1.0 - a) * c.log_xi - 0.5 * a * c.q * c.q * c.X11};
    const Vec3 tensile = {-0.5 * (1.0 - a) * c.log_eta - 0.5 * a * c.q * c.q * c.Y11,
                          -0.5 * (1.0 - a) * c.log_xi - 0.5 * a * c.q * c.q * c.X11,
                          0.5 * c.theta - 0.5 * a * c.q * (c.eta * c.X11 + c.xi * c.Y11)};
    return {strike, dip, tensile};
}

/// u_B: what stays at the free surface.
UnitSlips part_b(const Corner& c, const Plane& plane) {
    const double sd = plane.sin_dip;
    const double cd = plane.cos_dip;
    const double zeta = plane.medium.zeta;
    const double rd = c.R + c.d;
    const double x_len = std::sqrt(c.xi * c.xi + c.q * c.q);
    double i3;
    double i4;
    if (cd > 1e-6) {
        i3 = c.y / (cd * rd) - (c.log_eta - sd * std::log(rd)) / (cd * cd);
        i4 = sd / cd * c.xi / rd;
        if (c.xi != 0.0) {
            i4 += 2.0 / (cd * cd) *
                  std::atan((c.eta * (x_len + c.q * cd) + x_len * (c.R + x_len) * sd) /
                            (c.xi * (c.R + x_len) * cd));
        }
    } else {
        i3 = 0.5 * (c.eta / rd + c.y * c.q / (rd * rd) - c.log_eta);
        i4 = 0.5 * c.xi * c.y / (rd * rd);
    }
    const double i1 = -c.xi / rd * cd - i4 * sd;
    const double i2 = std::log(rd) + i3 * sd;
    const double q_over_r = c.q / c.R;
    const double qx = c.q * c.X11;
    const double qy = c.q * c.Y11;
    const Vec3 strike = {-c.xi * qy - c.theta - zeta * i1 * sd, -q_over_r + zeta * c.y / rd * sd,
                         c.q * qy - zeta * i2 * sd};
    const Vec3 dip = {-q_over_r + zeta * i3 * sd * cd,
                      -c.eta * qx - c.theta - zeta * c.xi / rd * sd * cd,
                      c.q * qx + zeta * i4 * sd * cd};
    const Vec3 tensile = {c.q * qy - zeta * i3 * sd * sd, c.q * qx + zeta * c.xi / rd * sd * sd,
                          c.eta * qx + c.xi * qy - c.theta - zeta * i4 * sd * sd};
    return {strike, dip, tensile};
}

/// u_C: multiplied by the point's z.
UnitSlips part_c(const Corner& c, const Plane& plane, double z) {
    const double sd = plane.sin_dip;
    const double cd = plane.cos_dip;
    const double a = plane.medium.a;
    const double r3 = c.R * c.R * c.R;
    const double depth = c.d + z;
    const double h = c.q * cd - z;
    const double z32 = sd / r3 - h * c.Y32;
    const double qq = c.q * c.q;
    const Vec3 strike = {
        (1.0 - a) * c.xi * c.Y11 * cd - a * c.xi * c.q * z32,
        (1.0 - a) * (cd / c.R + 2.0 * c.q * c.Y11 * sd) - a * depth * c.q / r3,
        (1.0 - a) * c.q * c.Y11 * cd - a * (depth * c.eta / r3 - z * c.Y11 + c.xi * c.xi * z32)};
    const Vec3 dip = {(1.0 - a) * cd / c.R - c.q * c.Y11 * sd - a * depth * c.q / r3,
                      (1.0 - a) * c.y * c.X11 - a * depth * c.eta * c.q * c.X32,
                      -c.d * c.X11 - c.xi * c.Y11 * sd - a * depth * (c.X11 - qq * c.X32)};
    const Vec3 tensile = {
        -(1.0 - a) * (sd / c.R + c.q * c.Y11 * cd) - a * (z * c.Y11 - qq * z32),
        (1.0 - a) * 2.0 * c.xi * c.Y11 * sd + c.d * c.X11 - a * depth * (c.X11 - qq * c.X32),
        (1.0 - a) * (c.y * c.X11 + c.xi * c.Y11 * cd) +
            a * c.q * (depth * c.eta * c.X32 + c.xi * z32)};
    return {strike, dip, tensile};
}

/// Sum over corners: those of columns x rows equal parts of the rectangle, each with its weight,
/// columns along strike, rows from the top.
UnitSlips weighted_corners(const OkadaFault& fault, int columns, int rows,
                           const std::vector<double>& weights, const OkadaMedium& medium,
                           const Vec3& x) {
    const Vec3 along = {std::sin(fault.strike_rad), std::cos(fault.strike_rad), 0.0};
    const Vec3 left = {-along.y, along.x, 0.0};
    const double length = fault.length_m / columns;
    const double width = fault.width_m / rows;
    const Plane plane = {std::sin(fault.dip_rad), std::cos(fault.dip_rad), medium,
                         1e-10 * (length + width)};
    const double sd = plane.sin_dip;
    const double cd = plane.cos_dip;
    const double along_x = dot(x - fault.top_centre, along);
    const double left_x = dot(x - fault.top_centre, left);
    const double top_depth = -fault.top_centre.z;

    // Components along strike, up dip and normal to the fault; the three sums are turned
    // differently, because the image's normal is mirrored.
    UnitSlips from_source;
    UnitSlips from_image;
    UnitSlips times_z;
    for (const bool image : {false, true}) {
        // At the surface source and image share their corners: u_A cancels and u_C is nothing.
        if (!image && x.z == 0.0) {
            continue;
        }
        const double d = image ? top_depth - x.z : top_depth + x.z;
        const double p = left_x * cd + d * sd;
        const double q = left_x * sd - d * cd;
        for (int column = 0; column <= columns; ++column) {
            const double xi = along_x + 0.5 * fault.length_m - column * length;
            for (int row = 0; row <= rows; ++row) {
                const double weight = weights[column * (rows + 1) + row];
                if (weight == 0.0) {
                    continue;
                }
                const Corner corner(xi, p + row * width, q, plane);
                if (corner.R < plane.tiny) {
                    continue;
                }
                if (!image) {
                    from_source.add(-weight, part_a(corner, plane));
                    continue;
                }
                from_image.add(weight, part_b(corner, plane));
                if (x.z != 0.0) {
                    from_image.add(weight, part_a(corner, plane));
                    times_z.add(weight * x.z, part_c(corner, plane, x.z));
                }
            }
        }
    }
    const auto turned = [&](const Vec3& source, const Vec3& mirrored, const Vec3& z_part) {
        const Vec3 even = source + mirrored;
        const Vec3 both = even + z_part;
        const Vec3 up_part = even - z_part;
        const Vec3 local = {both.x, both.y * cd - both.z * sd, up_part.y * sd + up_part.z * cd};
        const double scale = 0.5 / std::numbers::pi;
        return scale * (local.x * along + local.y * left + Vec3{0.0, 0.0, local.z});
    };
    return {turned(from_source.strike, from_image.strike, times_z.strike),
            turned(from_source.dip, from_image.dip, times_z.dip),
            turned(from_source.tensile, from_image.tensile, times_z.tensile)};
}

}  // namespace

OkadaMedium okada_medium(double lambda_pa, double mu_pa) {
    return {mu_pa / (lambda_pa + mu_pa), (lambda_pa + mu_pa) / (lambda_pa + 2.0 * mu_pa)};
}

Vec3 okada_displacement(const OkadaFault& fault, const OkadaSlip& slip, const OkadaMedium& medium,
                        const Vec3& x) {
    static const std::vector<double> kOne = {-1.0, 1.0, 1.0, -1.0};
    const UnitSlips u = weighted_corners(fault, 1, 1, kOne, medium, x);
    return slip.strike * u.strike + slip.dip * u.dip + slip.tensile * u.tensile;
}

OkadaPatches::OkadaPatches(const OkadaFault& whole, int columns, int rows,
                           const std::function<double(int column, int row)>& slip_m)
    : whole_(whole),
      columns_(columns),
      rows_(rows),
      weights_(static_cast<std::size_t>(columns + 1) * (rows + 1), 0.0) {
    for (int column = 0; column < columns; ++column) {
        for (int row = 0; row < rows; ++row) {
            const double slip = slip_m(column, row);
            double* corner = weights_.data() + column * (rows + 1) + row;
            corner[0] -= slip;
            corner[1] += slip;
            corner[rows + 1] += slip;
            corner[rows + 2] -= slip;
        }
    }
}

std::array<Vec3, 2> OkadaPatches::displacement(const OkadaMedium& medium, const Vec3& x) const {
    const UnitSlips u = weighted_corners(whole_, columns_, rows_, weights_, medium, x);
    return {u.strike, u.dip};
}

OkadaMedium maxwell_medium_at(const MaxwellMedium& medium, double t_s) {
    const double lambda = medium.lambda_pa;
    const double mu = medium.mu_pa;
    const double tau = medium.viscosity_pa_s / mu;
    const double kappa = lambda + 2.0 * mu / 3.0;
    const double t1 = tau * (lambda + mu) / kappa;
    const double t2 = tau * (lambda + 2.0 * mu) / kappa;
    return {mu / (lambda + mu) * std::exp(-t_s / t1),
            1.0 - mu / (lambda + 2.0 * mu) * std::exp(-t_s / t2)};
}

Vec3 maxwell_halfspace(const OkadaFault& fault, const OkadaSlip& slip, const MaxwellMedium& medium,
                       const Vec3& x, double t_s) {
    return okada_displacement(fault, slip, maxwell_medium_at(medium, t_s), x);
}

}  // namespace kaname::test
