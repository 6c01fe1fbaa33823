// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/projection.hpp"

#include <cmath>
#include <cstdio>
#include <mutex>
#include <string>

#ifdef KANAME_HAVE_PROJ
#include <proj.h>
#endif

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::earth {

#ifdef KANAME_HAVE_PROJ

namespace {

struct ContextDeleter {
    void operator()(PJ_CONTEXT* context) const { proj_context_destroy(context); }
};
struct PjDeleter {
    void operator()(PJ* pj) const { proj_destroy(pj); }
};
using Pj = std::unique_ptr<PJ, PjDeleter>;

std::string definition(LonLat centre) {
    // %.17g: the projection stored in a dataset is bit for bit the one that was computed with.
    char text[128];
    std::snprintf(text, sizeof text, "+proj=aeqd +lat_0=%.17g +lon_0=%.17g +datum=WGS84 +units=m",
                  centre.lat_deg, centre.lon_deg);
    return text;
}

[[noreturn]] void off_the_globe(LonLat place) {
    throw Error(ErrorCode::InvalidArgument, "longitude, latitude " + std::to_string(place.lon_deg) +
                                                ", " + std::to_string(place.lat_deg) +
                                                " must lie in [-360, 360] x [-90, 90]");
}

void check_place(LonLat place) {
    if (!(std::abs(place.lat_deg) <= 90.0) || !(std::abs(place.lon_deg) <= 360.0)) {
        off_the_globe(place);
    }
}

}  // namespace

struct Projection::Impl {
    LonLat centre;
    std::unique_ptr<PJ_CONTEXT, ContextDeleter> context{proj_context_create()};
    Pj pj;
    std::mutex mutex;  // a PJ keeps its last error: one caller at a time
};

Projection::Projection(LonLat centre) : impl_(std::make_unique<Impl>()) {
    check_place(centre);
    impl_->centre = centre;
    proj_log_level(impl_->context.get(), PJ_LOG_NONE);
    impl_->pj.reset(proj_create(impl_->context.get(), definition(centre).c_str()));
    if (!impl_->pj) {
        throw Error(ErrorCode::Unavailable,
                    "PROJ refuses '" + definition(centre) + "': " +
                        proj_context_errno_string(impl_->context.get(),
                                                  proj_context_errno(impl_->context.get())));
    }
}

Projection::~Projection() = default;
Projection::Projection(Projection&&) noexcept = default;
Projection& Projection::operator=(Projection&&) noexcept = default;

MapPoint Projection::forward(LonLat place) const {
    check_place(place);
    const std::lock_guard lock(impl_->mutex);
    const PJ_COORD out =
        proj_trans(impl_->pj.get(), PJ_FWD,
                   proj_coord(place.lon_deg * kDegree, place.lat_deg * kDegree, 0.0, 0.0));
    if (!std::isfinite(out.xy.x) || !std::isfinite(out.xy.y)) {
        throw Error(ErrorCode::InvalidArgument,
                    "longitude, latitude " + std::to_string(place.lon_deg) + ", " +
                        std::to_string(place.lat_deg) +
                        " cannot be projected: it is the antipode of the region's centre");
    }
    return {out.xy.x, out.xy.y};
}

LonLat Projection::inverse(MapPoint point) const {
    const std::lock_guard lock(impl_->mutex);
    const PJ_COORD out =
        proj_trans(impl_->pj.get(), PJ_INV, proj_coord(point.x_m, point.y_m, 0.0, 0.0));
    if (!std::isfinite(out.lp.lam) || !std::isfinite(out.lp.phi)) {
        throw Error(ErrorCode::InvalidArgument,
                    "x, y = " + std::to_string(point.x_m) + ", " + std::to_string(point.y_m) +
                        " m lies beyond half the globe from the region's centre");
    }
    return {out.lp.lam / kDegree, out.lp.phi / kDegree};
}

double Projection::convergence(LonLat place) const {
    // True north is the image of a step along the meridian; 1e-3 degree (111 m) keeps both the
    // curvature of the meridian's image (symmetric step) and rounding below 1e-9 rad.
    constexpr double kStep_deg = 1e-3;
    const MapPoint north = forward({place.lon_deg, std::fmin(place.lat_deg + kStep_deg, 90.0)});
    const MapPoint south = forward({place.lon_deg, std::fmax(place.lat_deg - kStep_deg, -90.0)});
    return std::atan2(north.x_m - south.x_m, north.y_m - south.y_m);
}

std::string Projection::wkt() const {
    const std::lock_guard lock(impl_->mutex);
    const std::string text = definition(impl_->centre) + " +no_defs +type=crs";
    const Pj crs(proj_create(impl_->context.get(), text.c_str()));
    const char* wkt =
        crs ? proj_as_wkt(impl_->context.get(), crs.get(), PJ_WKT2_2019, nullptr) : nullptr;
    if (wkt == nullptr) {
        throw Error(ErrorCode::Unavailable,
                    "PROJ cannot write the region's CRS as WKT; its database proj.db may be "
                    "missing (package proj-data, or PROJ_LIB names the wrong folder)");
    }
    return wkt;
}

LonLat Projection::centre() const {
    return impl_->centre;
}

#else

struct Projection::Impl {};

namespace {

[[noreturn]] void refuse_without_proj() {
    throw Error(ErrorCode::Unavailable,
                "map projections need a build with PROJ (configure with KANAME_PROJ=ON)");
}

}  // namespace

Projection::Projection(LonLat) {
    refuse_without_proj();
}
Projection::~Projection() = default;
Projection::Projection(Projection&&) noexcept = default;
Projection& Projection::operator=(Projection&&) noexcept = default;
MapPoint Projection::forward(LonLat) const {
    refuse_without_proj();
}
LonLat Projection::inverse(MapPoint) const {
    refuse_without_proj();
}
double Projection::convergence(LonLat) const {
    refuse_without_proj();
}
std::string Projection::wkt() const {
    refuse_without_proj();
}
LonLat Projection::centre() const {
    refuse_without_proj();
}

#endif

}  // namespace kaname::earth
