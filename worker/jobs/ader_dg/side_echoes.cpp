// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "worker/jobs/ader_dg/mesh_places.hpp"
#include "worker/jobs/ader_dg/seismic_model.hpp"
#include "worker/jobs/ader_dg/seismic_package.hpp"

namespace kaname::jobs {
namespace {

constexpr double kGuided = 0.4;   ///< of guided waves, measured in a layer over a half-space
constexpr double kTold = 0.05;    ///< part of the direct wave
constexpr double kOffsets = 6.0;  ///< error of an offset at the distance of the sides, measured
constexpr double kOffsetTold = 0.1;
constexpr std::size_t kMostNamed = 4, kMostSources = 64;
constexpr double kUncut_m = 1e5;  ///< no patch is cut at that
constexpr double kNever = std::numeric_limits<double>::infinity();

/// A box in its own frame, u and v level, w up from the top.
struct Box {
    double half_u_m = 0.0, half_v_m = 0.0, depth_m = 0.0, azimuth_rad = 0.0;

    [[nodiscard]] Vec3 place_of(const Vec3& x) const {
        const double c = std::cos(azimuth_rad), s = std::sin(azimuth_rad);
        return {c * x.x - s * x.y, s * x.x + c * x.y, x.z};
    }
};

std::optional<Box> box_of(const SeismicJob& job) {
    if (const auto* box = std::get_if<LayeredBox>(&job.mesh.model)) {
        return Box{0.5 * box->size_x_m, 0.5 * box->size_y_m, box->depth_m, 0.0};
    }
    if (const auto* earth = std::get_if<EarthBox>(&job.mesh.model)) {
        return Box{0.5 * earth->size_east_m, 0.5 * earth->size_north_m, earth->depth_m,
                   earth->azimuth_rad};
    }
    return std::nullopt;
}

const std::vector<earth::Material>& materials_of(const SeismicJob& job) {
    static const std::vector<earth::Material> none;
    if (const auto* box = std::get_if<LayeredBox>(&job.mesh.model)) {
        return box->layers.materials;
    }
    const auto* earth = std::get_if<EarthBox>(&job.mesh.model);
    return earth != nullptr ? earth->volumes.materials : none;
}

/// A side, as a mirror: which coordinate it keeps, and where.
struct Mirror {
    mesh::Side side;
    double Vec3::*axis;
    double at_m;
};

std::vector<Mirror> absorbing_sides(const SeismicJob& job, const Box& box) {
    const Mirror all[] = {{mesh::Side::West, &Vec3::x, -box.half_u_m},
                          {mesh::Side::East, &Vec3::x, box.half_u_m},
                          {mesh::Side::South, &Vec3::y, -box.half_v_m},
                          {mesh::Side::North, &Vec3::y, box.half_v_m},
                          {mesh::Side::Bottom, &Vec3::z, -box.depth_m}};
    std::vector<Mirror> found;
    for (const Mirror& mirror : all) {
        if (job.mesh.sides[static_cast<std::size_t>(mirror.side)] == aderdg::Boundary::Absorbing) {
            found.push_back(mirror);
        }
    }
    return found;
}

struct Radiator {
    Vec3 at_m;
    double from_s = 0.0;
    bool leaves_offset = false;
};

/// Middles of sources and faults, some of them where there are many.
std::vector<Radiator> radiators_of(const SeismicJob& job, const Box& box) {
    std::vector<Radiator> found;
    const std::size_t step = 1 + job.sources.size() / kMostSources;
    for (std::size_t k = 0; k < job.sources.size(); k += step) {
        const SeismicJob::Source& source = job.sources[k];
        if (!source.rupture) {
            const WantedPlace wanted = wanted_place(job, source.at, "", source.field);
            const bool moment =
                std::ranges::any_of(source.moment_nm, [](double m) { return m != 0.0; });
            found.push_back({box.place_of(wanted.at_m),
                             std::max(0.0, source.time.moment_rate_span().from_s), moment});
            continue;
        }
        try {
            const auto points =
                rupture_points(job, *source.rupture, rupture_field(source), kUncut_m);
            Vec3 sum;
            for (const slip_model::KinematicPoint& point : points) {
                sum += (1.0 / static_cast<double>(points.size())) * point.at_m;
            }
            found.push_back({box.place_of(sum), source.rupture->start_s, true});
        } catch (const ValidationError&) {
            continue;  // refused elsewhere
        }
    }
    for (const SeismicFault& fault : job.mesh.faults) {
        if (const auto* plane = std::get_if<FaultPlane>(&fault.place)) {
            const double dip = plane->dip_deg * kDegree, strike = plane->strike_deg * kDegree;
            const double across_m = 0.5 * plane->width_m * std::cos(dip);
            found.push_back(
                {box.place_of({plane->x_m + across_m * std::cos(strike),
                               plane->y_m - across_m * std::sin(strike),
                               -plane->top_depth_m - 0.5 * plane->width_m * std::sin(dip)}),
                 0.0, true});
        }
    }
    return found;
}

struct Echo {
    std::string receiver;
    double time_s = kNever, share = 0.0, offset = 0.0;
};

class Sides {
public:
    Sides(const SeismicJob& job, const Box& box)
        : job_(job),
          box_(box),
          mirrors_(absorbing_sides(job, box)),
          free_top_(job.mesh.sides[static_cast<std::size_t>(mesh::Side::Top)] !=
                    aderdg::Boundary::Absorbing) {
        for (const earth::Material& material : materials_of(job)) {
            vp_ = std::max(vp_, std::sqrt((material.lambda_pa + 2.0 * material.mu_pa) /
                                          material.density_kg_m3));
            vs_ = std::max(vs_, std::sqrt(material.mu_pa / material.density_kg_m3));
        }
        vs_ = vs_ > 0.0 ? vs_ : vp_;
        needed_ = box;
        static_needed_ = box;
    }

    std::vector<std::string> warnings() {
        const std::vector<Radiator> radiators = radiators_of(job_, box_);
        std::vector<Echo> echoes;
        for (const WaveReceiver& receiver : job_.receivers) {
            Echo echo{receiver.id};
            const WantedPlace wanted = wanted_place(job_, receiver.at, "", receiver.field);
            Vec3 at = box_.place_of(wanted.at_m);
            at.z = wanted.on_the_ground ? 0.0 : at.z;
            for (const Radiator& from : radiators) {
                look(from, at, echo);
            }
            echoes.push_back(std::move(echo));
        }
        std::vector<std::string> told;
        tell_waves(echoes, told);
        tell_offsets(echoes, told);
        return told;
    }

private:
    void look(const Radiator& from, const Vec3& at, Echo& echo) {
        const double direct_m = std::max(1.0, norm(at - from.at_m));
        bool comes_back = false;
        for (const Mirror& mirror : mirrors_) {
            Vec3 image = from.at_m;
            image.*mirror.axis = 2.0 * mirror.at_m - image.*mirror.axis;
            const double path_m = norm(at - image);
            const double cosine = std::abs(at.*mirror.axis - image.*mirror.axis) / path_m;
            const double body = (1.0 - cosine) / (1.0 + cosine) * direct_m / path_m;
            const bool guided = free_top_ && mirror.side != mesh::Side::Bottom;
            const double slow = std::max(
                body, guided ? kGuided * std::sqrt(std::min(1.0, direct_m / path_m)) : 0.0);
            for (const auto& [speed, share] : {std::pair{vp_, body}, std::pair{vs_, slow}}) {
                const double time_s = from.from_s + path_m / speed;
                if (share >= kTold && time_s < job_.end_s) {
                    echo.time_s = std::min(echo.time_s, time_s);
                    echo.share = std::max(echo.share, share);
                    enlarge(from, at, mirror, speed);
                }
                comes_back = comes_back || time_s < job_.end_s;
            }
        }
        if (comes_back && from.leaves_offset && job_.motion == aderdg::Motion::Displacement) {
            look_at_offset(from, at, echo);
        }
    }

    /// So that nothing comes back from that side in time.
    void enlarge(const Radiator& from, const Vec3& at, const Mirror& mirror, double speed) {
        const double path_m = speed * (job_.end_s - from.from_s);
        const Vec3 apart = at - from.at_m;
        const double along = apart.*mirror.axis;
        const double across2 = dot(apart, apart) - along * along;
        const double sum_m = std::sqrt(std::max(0.0, path_m * path_m - across2));
        const double sign = mirror.at_m > 0.0 ? 1.0 : -1.0;
        const double distance_m = 0.5 * (sum_m + sign * (from.at_m.*mirror.axis + at.*mirror.axis));
        double& has_m = mirror.side == mesh::Side::Bottom ? needed_.depth_m
                        : mirror.side == mesh::Side::West || mirror.side == mesh::Side::East
                            ? needed_.half_u_m
                            : needed_.half_v_m;
        has_m = std::max(has_m, distance_m);
    }

    void look_at_offset(const Radiator& from, const Vec3& at, Echo& echo) {
        const double apart_m = std::hypot(at.x - from.at_m.x, at.y - from.at_m.y);
        double to_side_m = kNever;
        for (const Mirror& mirror : mirrors_) {
            if (mirror.side != mesh::Side::Bottom) {
                to_side_m = std::min(to_side_m, std::abs(mirror.at_m - from.at_m.*mirror.axis));
            }
        }
        const double error = kOffsets * apart_m * apart_m / (to_side_m * to_side_m);
        if (error > kOffsetTold) {
            echo.offset = std::max(echo.offset, error);
            const double wanted_m = apart_m * std::sqrt(kOffsets / kOffsetTold);
            static_needed_.half_u_m =
                std::max(static_needed_.half_u_m, wanted_m + std::abs(from.at_m.x));
            static_needed_.half_v_m =
                std::max(static_needed_.half_v_m, wanted_m + std::abs(from.at_m.y));
            static_needed_.depth_m = std::max(static_needed_.depth_m, wanted_m - from.at_m.z);
        }
    }

    static std::string size_text(const Box& box) {
        return formatted("%.3g", 2e-3 * box.half_u_m) + " x " +
               formatted("%.3g", 2e-3 * box.half_v_m) + " x " +
               formatted("%.3g km", 1e-3 * box.depth_m);
    }

    template <class Size, class Text>
    static std::string names(std::vector<Echo> echoes, const Size& size, const Text& text) {
        std::erase_if(echoes, [&](const Echo& echo) { return size(echo) == 0.0; });
        std::ranges::stable_sort(echoes,
                                 [&](const Echo& a, const Echo& b) { return size(a) > size(b); });
        std::string all;
        for (std::size_t k = 0; k < std::min(kMostNamed, echoes.size()); ++k) {
            all += (k == 0 ? "" : ", ") + echoes[k].receiver + " " + text(echoes[k]);
        }
        if (echoes.size() > kMostNamed) {
            all += " and " + std::to_string(echoes.size() - kMostNamed) + " more";
        }
        return all;
    }

    void tell_waves(const std::vector<Echo>& echoes, std::vector<std::string>& told) const {
        const std::string who = names(
            echoes, [](const Echo& echo) { return echo.share; },
            [](const Echo& echo) {
                return "(from " + formatted("%.3g s", echo.time_s) + " on, up to about " +
                       formatted("%.2g", 100.0 * echo.share) + " % of the direct waves)";
            });
        if (!who.empty()) {
            told.push_back("absorbing sides send waves back to receivers before time.end_s = " +
                           number(job_.end_s) + " s: " + who + "; none come in time in a box of " +
                           size_text(needed_));
        }
    }

    void tell_offsets(const std::vector<Echo>& echoes, std::vector<std::string>& told) const {
        const std::string who = names(
            echoes, [](const Echo& echo) { return echo.offset; },
            [](const Echo& echo) {
                return "(up to about " + formatted("%.2g", 100.0 * echo.offset) + " %)";
            });
        if (!who.empty()) {
            told.push_back(
                "absorbing sides hold no static offset, so that displacements drift once waves "
                "have left: " +
                who + "; below 10 % in a box of " + size_text(static_needed_) +
                ", or take an earlier time.end_s");
        }
    }

    const SeismicJob& job_;
    Box box_, needed_, static_needed_;
    std::vector<Mirror> mirrors_;
    bool free_top_;
    double vp_ = 0.0, vs_ = 0.0;
};

}  // namespace

std::vector<std::string> side_warnings(const SeismicJob& job) {
    const std::optional<Box> box = box_of(job);
    if (!box || job.receivers.empty()) {
        return {};
    }
    return Sides(job, *box).warnings();
}

}  // namespace kaname::jobs
