// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/plan_focus.hpp"

#include <algorithm>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/jobs/geometry/fault_patches.hpp"
#include "solvers/jobs/geometry/scenario_models.hpp"
#include "solvers/meshing/box_frame.hpp"

namespace kaname::jobs {
namespace {

class Window {
public:
    explicit Window(double azimuth_rad) : frame_(azimuth_rad) {}
    void add(double x, double y, double around_m) {
        const double u = frame_.b(x, y);
        const double v = frame_.a(x, y);
        window_ = {std::min(window_.low_u, u - around_m), std::max(window_.high_u, u + around_m),
                   std::min(window_.low_v, v - around_m), std::max(window_.high_v, v + around_m)};
        any_ = true;
    }
    [[nodiscard]] std::optional<earth::PlanWindow> get() const {
        return any_ ? std::optional(window_) : std::nullopt;
    }

private:
    static constexpr double kInf = std::numeric_limits<double>::infinity();
    meshing::BoxFrame frame_;
    earth::PlanWindow window_{kInf, -kInf, kInf, -kInf};
    bool any_ = false;
};

void add_models(const GreensJob& job, const std::optional<earth::Projection>& projection,
                Window& window) {
    for (const ScenarioModel& model : read_models(*job.scenario, projection)) {
        for (const Vec3& x : model.outline(job.mesh.size_at_fault_m, [](int) { return true; })) {
            window.add(x.x, x.y, 0.0);
        }
    }
}

}  // namespace

std::optional<earth::PlanWindow> plan_focus(const GreensJob& job,
                                            const std::optional<earth::Projection>& projection) {
    Window window(job.region.azimuth_deg * kDegree);
    const auto add = [&](double lon_deg, double lat_deg, double around_m) {
        const auto at = projection->forward({lon_deg, lat_deg});
        window.add(at.x_m, at.y_m, around_m);
    };
    const auto add_interface = [&](const InterfaceSpec& interface, const PatchGridSpec& patches) {
        add(interface.origin_lon_deg, interface.origin_lat_deg,
            (patches.n_strike + 1) * interface.spacing_strike_m +
                (patches.n_dip + 1) * interface.spacing_dip_m);
    };
    const auto add_plane = [&](const PlaneSpec& plane) {
        add(plane.centre_lon_deg, plane.centre_lat_deg, 0.5 * plane.length_m + plane.width_m);
    };
    if (job.scenario) {
        try {
            add_models(job, projection, window);
        } catch (const Error&) {
            return std::nullopt;
        }
    } else {
        for (const NamedFault& named : named_faults(job)) {
            if (const auto* plane = std::get_if<PlaneSpec>(&named.fault)) {
                add_plane(*plane);
            } else {
                add_interface(std::get<InterfaceSpec>(named.fault), named.patches);
            }
        }
    }
    if (job.mesh.sizes.at_stations_m > 0.0) {
        for (const StationSpec& station : job.stations) {
            add(station.lon_deg, station.lat_deg, 0.0);
        }
    }
    return window.get();
}

}  // namespace kaname::jobs
