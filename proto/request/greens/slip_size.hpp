// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/waves.pb.h"
#include "proto/request/form/rules.hpp"
#include "proto/request/greens/slip_places.hpp"

namespace kaname::request {

/// Returns the end of the geodesic on WGS84 from `start`, `distance_m` long, whose azimuth at its
/// end is `azimuth_deg`; for some hundred kilometres, better than a metre.
[[nodiscard]] LonLat moved_to(const LonLat& start, double azimuth_deg, double distance_m);

/// Returns true if the place has longitude, latitude and depth, each in its range, and nothing
/// else.
[[nodiscard]] bool is_whole(const v1::WavePlace& place);

/// Puts what top_centre or centre says into centre_lon_deg, centre_lat_deg and top_depth_m. A plane
/// whose point breaks a rule, stands beside another one, or has its upper edge above sea level
/// stays as it is: check_point() says why. Strike counts from north at the middle of the upper
/// edge.
void settle_point(v1::Plane& plane);
/// Puts what top_centre or centre says into lon_deg, lat_deg and depth_m of a rectangle, whose
/// strike counts from north at its centre; else as the other.
void settle_point(v1::SlipRectangle& rectangle);

/// Reports why a reference point of a plane or a rectangle at `path` could not be settled. Returns
/// true if there is none left, so that the older keys are to be checked.
bool check_point(const v1::Plane& plane, const std::string& path, Rules& rules);
bool check_point(const v1::SlipRectangle& rectangle, const std::string& path, Rules& rules);

/// Largest slip that is meant; more is centimetres read as metres.
inline constexpr double kMostSlip_m = 100.0;

/// Returns the scalar moment [N m] of a moment magnitude: log10 M0 = 1.5 Mw + 9.1.
[[nodiscard]] double moment_of(double magnitude);

/// Returns the mean shear modulus [Pa] between two depths, of layers weighted by their thickness;
/// where rock is not in layers, that of all materials if they have one. 0: it is not known.
[[nodiscard]] double mean_mu_pa(const v1::Structure& structure, double top_m, double bottom_m);

/// Puts the slip that a magnitude makes, M0 / (mu A), in its place, if a rectangle has a magnitude
/// alone, its sides and its place, and mu of the rock there is known. Slip beyond kMostSlip_m stays
/// a magnitude, which check_size() reports.
void settle_size(v1::SlipRectangle& rectangle, const v1::Structure& structure);
/// Returns the slip [m] of a magnitude on an area between two depths; nullopt as settle_size().
[[nodiscard]] std::optional<double> slip_of(double magnitude, double area_m2, double top_m,
                                            double bottom_m, const v1::Structure& structure);

/// Checks the size of slip at `path`: exactly one of slip_m and magnitude, neither absurd. `rest`
/// is true if the other fields from which the slip of a magnitude follows are right.
void check_size(bool has_slip, double slip_m, bool has_magnitude, double magnitude, bool rest,
                const std::string& path, Rules& rules);

/// Returns the scalar moment of a double couple by moment_n_m or magnitude; nullopt unless exactly
/// one is given, in its range.
[[nodiscard]] std::optional<double> moment_of(const v1::DoubleCouple& couple);
/// Checks size and angles of a double couple at `path`.
void check_double_couple(const v1::DoubleCouple& couple, const std::string& path, Rules& rules);

/// Puts the moment tensor in the place of a double couple that keeps to its rules: x east, y north,
/// z up, its strike counted clockwise from y where y points to `azimuth_deg`. Returns false, and
/// changes nothing, where it breaks one.
bool settle_couple(const v1::DoubleCouple& couple, double azimuth_deg, v1::MomentTensor& moment);

/// Checks the double couple at `path` of a source of waves, which could not be settled.
template <class Source>
void check_couple_of_waves(const Source& source, const std::string& path, Rules& rules) {
    if (source.has_moment()) {
        rules.fail(path + ".double_couple", "excludes moment; keep one");
    }
    check_double_couple(source.double_couple(), path + ".double_couple", rules);
}
/// Checks that a source of waves that slips on rectangles, at `field`, has nothing of a point, and
/// a place on the globe. Source is v1::SeismicSource or v1::WaveSource.
template <class Source>
void check_finite(const Source& source, bool has_region, const std::string& field, Rules& rules) {
    if (source.has_at() || source.has_force() || source.has_moment() ||
        source.has_double_couple()) {
        rules.fail(field,
                   "must be given without at, force, moment and double_couple, which are of "
                   "points");
    }
    if (!has_region) {
        rules.fail(field, "must have a region: its place is one on the globe");
    }
}
/// Checks rectangles that slip in waves, at `path`.
void check_slip_of_waves(const google::protobuf::RepeatedPtrField<v1::SlipRectangle>& patches,
                         const std::string& path, const v1::Structure& structure, Rules& rules);
/// Adds the centres of rectangles, whose points are settled.
void add_places(const google::protobuf::RepeatedPtrField<v1::SlipRectangle>& patches,
                std::vector<v1::WavePlace>& places);

/// Puts a patch in the place of an event's double couple: a square about the point whose side is a
/// fifth of its depth. An event that breaks a rule stays as it is.
void settle_event(v1::SlipEvent& event, const v1::Structure& structure);
/// Reports why the double couple of the event at `path` could not be settled, and checks a moment
/// tensor and its place.
void check_event_point(const v1::SlipEvent& event, const v1::Structure& structure,
                       const std::string& path, Rules& rules);

}  // namespace kaname::request
