// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/voxel_fem/wave_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/voxelwave/element_matrices.hpp"

namespace kaname::jobs {
namespace {

using voxelwave::Solid;
using voxelwave::VoxelModel;

constexpr double kOfTheStable = 0.9;
// kLeft is the part that damping alone leaves of a wave that goes through a layer and back. With
// more damping, layers of 10 to 40 voxels send more back where they begin; with less, from the side
// (measured, docs/theory/voxelwave.md).
constexpr double kLeft = 1e-2;
// Below these grids disperse by more than some percent over tens of wavelengths
// (docs/theory/voxelwave.md).
constexpr double kFewPoints = 6.0;
constexpr std::size_t kMostParts = 100000;  ///< points of a source

template <class... Parts>
std::string joined_text(const Parts&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    return text.str();
}

/// Builder makes the model of a job and collects everything that is wrong with it.
class Builder {
public:
    explicit Builder(const WaveJob& job) : job_(job) {}

    WaveModel build() {
        set_voxels();
        paint();
        model_.voxels.check();
        for (const Solid& solid : solids_in_use()) {
            model_.fastest_vp_m_per_s = std::max(model_.fastest_vp_m_per_s, solid.vp_m_per_s());
            const double vs = solid.vs_m_per_s();
            model_.slowest_vs_m_per_s =
                model_.slowest_vs_m_per_s == 0.0 ? vs : std::min(model_.slowest_vs_m_per_s, vs);
        }
        set_places();
        set_params();
        set_steps();
        warn();
        if (!broken_.empty()) {
            throw ValidationError(std::move(broken_));
        }
        return std::move(model_);
    }

private:
    void set_voxels() {
        std::array<int, 3> voxels{};
        for (int axis = 0; axis < 3; ++axis) {
            voxels[axis] = static_cast<int>(std::lround(job_.size_m[axis] / job_.spacing_m));
        }
        if (const auto* earth = std::get_if<WaveEarth>(&job_.base)) {
            earth_ = std::make_unique<EarthSamples>(*earth, job_.size_m);
            model_.origin_m = {-0.5 * job_.size_m[0], -0.5 * job_.size_m[1], -earth->depth_m};
            model_.voxels = earth_->sample(voxels, job_.spacing_m);
            model_.warnings = earth_->notes();
        } else if (const auto* grid = std::get_if<WaveGrid>(&job_.base)) {
            model_.voxels = read_wave_grid(grid->path, voxels, job_.spacing_m, model_.warnings);
        } else {
            model_.voxels.voxels = voxels;
            model_.voxels.ds_m = job_.spacing_m;
            model_.voxels.solids = {std::get<Solid>(job_.base)};
            model_.voxels.solid_of.assign(static_cast<std::size_t>(model_.voxels.n_voxels()), 0);
        }
    }

    [[nodiscard]] std::array<double, 3> from_origin(std::array<double, 3> xyz_m) const {
        for (int axis = 0; axis < 3; ++axis) {
            xyz_m[axis] -= model_.origin_m[axis];
        }
        return xyz_m;
    }

    void paint() {
        voxelwave::Shapes shapes(std::move(model_.voxels));
        for (const WaveShape& shape : job_.shapes) {
            if (const auto* box = std::get_if<WaveShape::Box>(&shape.geometry)) {
                shapes.box(from_origin(box->from_m), from_origin(box->to_m), shape.solid);
            } else if (const auto* round = std::get_if<WaveShape::Cylinder>(&shape.geometry)) {
                const double along = model_.origin_m[round->axis];
                shapes.cylinder(round->axis, from_origin(round->centre_m), round->radius_m,
                                shape.solid, round->from_m - along, round->to_m - along);
            } else {
                const auto& sphere = std::get<WaveShape::Sphere>(shape.geometry);
                shapes.sphere(from_origin(sphere.centre_m), sphere.radius_m, shape.solid);
            }
        }
        model_.voxels = shapes.model();
    }

    [[nodiscard]] std::vector<Solid> solids_in_use() const {
        std::vector<bool> used(model_.voxels.solids.size(), false);
        for (const std::uint16_t solid : model_.voxels.solid_of) {
            used[solid] = true;
        }
        std::vector<Solid> found;
        for (std::size_t k = 0; k < used.size(); ++k) {
            if (used[k] && !model_.voxels.solids[k].is_void()) {
                found.push_back(model_.voxels.solids[k]);
            }
        }
        return found;
    }

    /// Height of the ground over the voxels' bottom, in the column of a place.
    [[nodiscard]] double ground_m(const std::array<double, 2>& at_m) const {
        const VoxelModel& voxels = model_.voxels;
        const auto column = [&](int axis) {
            return std::clamp(static_cast<int>(std::floor(at_m[axis] / voxels.ds_m)), 0,
                              voxels.voxels[axis] - 1);
        };
        int z = voxels.voxels[2];
        while (z > 0 && voxels.solid(column(0), column(1), z - 1).is_void()) {
            --z;
        }
        return z * voxels.ds_m;
    }

    /// Returns the place from the voxels' origin, which is checked.
    std::array<double, 3> place(const WavePlace& at, const std::string& field) {
        return checked(unchecked(at), field + ".at");
    }

    [[nodiscard]] std::array<double, 3> unchecked(const WavePlace& at) const {
        std::array<double, 3> xyz_m = from_origin(at.xyz_m);
        if (at.globe) {
            const earth::MapPoint point = earth_->projection().forward(*at.globe);
            const auto [x_m, y_m] = earth_->in_box(point.x_m, point.y_m);
            xyz_m = from_origin({x_m, y_m, -at.depth_m.value_or(0.0)});
            if (!at.depth_m) {
                xyz_m[2] = ground_m({xyz_m[0], xyz_m[1]});
            }
        }
        return xyz_m;
    }

    std::array<double, 3> checked(const std::array<double, 3>& xyz_m, const std::string& field) {
        for (int axis = 0; axis < 3; ++axis) {
            const double low = model_.origin_m[axis], high = low + job_.size_m[axis];
            const double here = low + xyz_m[axis], slack = 1e-9 * job_.spacing_m;
            if (!(here >= low - slack && here <= high + slack)) {
                broken_.push_back(
                    {field, joined_text("must be in the model, ", "xyz"[axis], " within ", low,
                                        " to ", high, " m, got ", here)});
                return xyz_m;
            }
        }
        try {
            (void)voxelwave::Point(model_.voxels, xyz_m, "");
        } catch (const Error&) {
            broken_.push_back({field, joined_text("must be in a solid, is in a void at z = ",
                                                  model_.origin_m[2] + xyz_m[2], " m")});
        }
        return xyz_m;
    }

    /// Returns a place of the map's frame from the voxels' origin.
    [[nodiscard]] std::array<double, 3> from_map(const Vec3& x) const {
        const auto [x_m, y_m] = earth_->in_box(x.x, x.y);
        return from_origin({x_m, y_m, x.z});
    }

    /// Turns a moment of the map's axes into the box's.
    [[nodiscard]] std::array<double, 6> in_box(const std::array<double, 6>& m) const {
        const auto [c, s] = earth_->in_box(1.0, 0.0);
        const double xx = m[0], yy = m[1], yz = m[3], xz = m[4], xy = m[5];
        return {c * c * xx - 2.0 * c * s * xy + s * s * yy,
                s * s * xx + 2.0 * c * s * xy + c * c * yy,
                m[2],
                s * xz + c * yz,
                c * xz - s * yz,
                c * s * (xx - yy) + (c * c - s * s) * xy};
    }

    [[nodiscard]] bool is_in_solid(const std::array<double, 3>& xyz_m) const {
        try {
            (void)voxelwave::Point(model_.voxels, xyz_m, "");
            return true;
        } catch (const Error&) {
            return false;
        }
    }

    /// Refuses patches of the request with a corner outside of the box, or above the staircase that
    /// the ground is by more than half a voxel. Reports each patch once.
    void check_corners(const RuptureRequest& rupture, const std::string& field) {
        const auto corners = patch_corners(rupture, earth_->projection());
        for (std::size_t k = 0; k < corners.size(); ++k) {
            const std::string patch = field + "[" + std::to_string(k) + "]";
            for (const Vec3& corner : corners[k]) {
                const std::array<double, 3> at_m = from_map(corner);
                const std::array<double, 3> below_m = {at_m[0], at_m[1],
                                                       at_m[2] - 0.5 * job_.spacing_m};
                if (is_in_solid(at_m) || is_in_solid(below_m)) {
                    continue;
                }
                broken_.push_back(
                    {patch, joined_text("must have every corner in the model and below its ground, "
                                        "got one at x = ",
                                        at_m[0] + model_.origin_m[0],
                                        ", y = ", at_m[1] + model_.origin_m[1],
                                        ", z = ", at_m[2] + model_.origin_m[2], " m")});
                break;
            }
        }
    }

    /// Adds the moments of patches or of a slip model. Parts that lie outside of the model or in a
    /// void are reported once, with what they would have of its potency.
    void add_rupture(const WaveJob::Source& source, std::vector<voxelwave::PointMoment>& parts) {
        const RuptureRequest& rupture = *source.rupture;
        const bool file = rupture.patches.empty();
        const std::string field = source.field + (file ? ".rupture" : ".patches");
        const std::size_t before = broken_.size();
        check_corners(rupture, field);
        std::vector<slip_model::KinematicPoint> points;
        try {
            RuptureRequest placed = rupture;
            if (rupture.hypocentre && !rupture.hypocentre->globe) {
                auto& at_m = placed.hypocentre->xyz_m;
                const auto [x_m, y_m] = earth_->on_map(at_m[0], at_m[1]);
                at_m = {x_m, y_m, at_m[2]};
            }
            points = rupture_points(placed, earth_->projection(), field, job_.spacing_m);
        } catch (const ValidationError& error) {
            broken_.insert(broken_.end(), error.violations().begin(), error.violations().end());
        }
        if (points.size() > kMostParts) {
            broken_.push_back({field, joined_text("must have at most ", kMostParts,
                                                  " points of its spacing, got ", points.size())});
        }
        if (broken_.size() > before) {
            return;
        }
        double all_m3 = 0.0, lost_m3 = 0.0;
        std::vector<Vec3> lost;
        for (const slip_model::KinematicPoint& point : points) {
            voxelwave::PointMoment part{from_map(point.at_m), in_box(point.moment_nm), {}};
            const double potency_m3 = slip_model::scalar_moment(part.moment_nm);
            all_m3 += potency_m3;
            if (!is_in_solid(part.position_m)) {
                lost_m3 += potency_m3;
                lost.push_back(point.at_m);
                continue;
            }
            for (double& moment : part.moment_nm) {
                moment *= mu_at(part.position_m);
            }
            if (file) {
                part.time = point.rate.later(rupture.start_s);
            }
            parts.push_back(std::move(part));
        }
        if (!lost.empty()) {
            broken_.push_back(
                {field, joined_text(
                            "must lie in solids of the model: ", lost.size(), " of ", points.size(),
                            " points, with ", formatted("%.3g %%", 100.0 * lost_m3 / all_m3),
                            " of its potency, lie outside or above the ground, the first at z = ",
                            lost[0].z, " m")});
        } else if (all_m3 == 0.0) {
            broken_.push_back({field, "must have slip, has none"});
        }
    }

    /// Shear modulus of the solid at a place, which on the ground is that below it.
    [[nodiscard]] double mu_at(const std::array<double, 3>& xyz_m) const {
        const auto [x, y, z] = voxelwave::Point(model_.voxels, xyz_m, "").corner(0);
        return model_.voxels.solid(x, y, z).shear_modulus_pa;
    }

    /// Sets the source's place to the middle of its moments, and says how large they are.
    void sum_up(const WaveJob::Source& source, const std::vector<voxelwave::PointMoment>& parts) {
        double sum = 0.0;
        std::array<double, 3> middle{};
        for (const voxelwave::PointMoment& part : parts) {
            const double size = slip_model::scalar_moment(part.moment_nm);
            sum += size;
            for (int axis = 0; axis < 3; ++axis) {
                middle[axis] += size * part.position_m[axis];
            }
            model_.highest_hz =
                std::max(model_.highest_hz, (part.time ? *part.time : source.time).highest_hz());
        }
        for (double& coordinate : middle) {
            coordinate /= sum;
        }
        model_.sources_m.push_back(middle);
        model_.notes.push_back(moment_note(source.id, parts.size(), sum));
    }

    void set_places() {
        for (const WaveJob::Source& source : job_.sources) {
            std::vector<voxelwave::PointMoment>& parts = model_.parts.emplace_back();
            if (source.rupture) {
                add_rupture(source, parts);
                sum_up(source, parts);
                continue;
            }
            model_.sources_m.push_back(place(source.at, source.field));
            model_.highest_hz = std::max(model_.highest_hz, source.time.highest_hz());
        }
        for (const WaveReceiver& receiver : job_.receivers) {
            model_.receivers_m.push_back(place(receiver.at, receiver.field));
        }
    }

    void set_params() {
        voxelwave::WaveParams& params = model_.params;
        if (job_.damping) {
            params.damping = voxelwave::damping_of_band(job_.damping->ratio, job_.damping->from_hz,
                                                        job_.damping->to_hz);
        }
        const int width = std::max(1, static_cast<int>(std::lround(job_.layer_m / job_.spacing_m)));
        for (int side = 0; side < 6; ++side) {
            if (job_.absorbing[side]) {
                params.layer.width[side] = width;
                // A wave through the layer and back loses exp(-rate width / (3 vp)).
                params.layer.alpha_per_s = job_.layer_rate_per_s > 0.0
                                               ? job_.layer_rate_per_s
                                               : 3.0 * model_.fastest_vp_m_per_s *
                                                     std::log(1.0 / kLeft) /
                                                     (width * job_.spacing_m);
            }
        }
        params.fixed = fixed_nodes();
        params.variant = job_.variant;
        params.stages = job_.stages;
    }

    [[nodiscard]] std::vector<std::int64_t> fixed_nodes() const {
        const VoxelModel& voxels = model_.voxels;
        const std::array<int, 3> last = voxels.voxels;
        std::vector<std::int64_t> nodes;
        for (int side = 0; side < 6; ++side) {
            if (!job_.fixed_sides[side]) {
                continue;
            }
            const int axis = side / 2, i = (axis + 1) % 3, j = (axis + 2) % 3;
            std::array<int, 3> at{};
            at[axis] = side % 2 == 0 ? 0 : last[axis];
            for (at[i] = 0; at[i] <= last[i]; ++at[i]) {
                for (at[j] = 0; at[j] <= last[j]; ++at[j]) {
                    nodes.push_back(voxels.node(at[0], at[1], at[2]));
                }
            }
        }
        for (int corner = 0; corner < 4 && job_.fixed_corners; ++corner) {
            nodes.push_back(voxels.node(corner % 2 * last[0], corner / 2 * last[1], 0));
        }
        return nodes;
    }

    void set_steps() {
        const double stable_s = voxelwave::largest_stable_dt(
            model_.voxels, model_.params.damping, voxelwave::is_orthogonal(job_.variant));
        double dt_s = job_.step_s;
        if (dt_s > stable_s) {
            broken_.push_back(
                {"time.step_s", joined_text("must be at most ", stable_s,
                                            ", beyond which steps grow, got ", dt_s)});
        }
        if (dt_s == 0.0) {
            dt_s = job_.end_s / std::ceil(job_.end_s / (kOfTheStable * stable_s));
        }
        constexpr double kWhole = 1e-9;  // a step that ends at end_s but for rounding
        model_.params.dt_s = dt_s;
        model_.n_steps = static_cast<std::int64_t>(std::ceil(job_.end_s / dt_s - kWhole));
        for (const double time_s : job_.snapshots_s) {
            model_.snapshot_steps.push_back(
                std::min(model_.n_steps, std::int64_t(std::llround(time_s / dt_s))));
        }
    }

    void warn() {
        const double points = model_.points_per_wavelength();
        if (points < kFewPoints) {
            model_.warnings.push_back(joined_text(
                "the shortest S wave, ", model_.slowest_vs_m_per_s, " m/s at ", model_.highest_hz,
                " Hz, has ", points, " voxels in a wavelength; below ", kFewPoints,
                " waves travel at speeds of the grid's own"));
        }
    }

    const WaveJob& job_;
    WaveModel model_;
    std::unique_ptr<EarthSamples> earth_;
    std::vector<Violation> broken_;
};

}  // namespace

WaveModel build_wave_model(const WaveJob& job) {
    return Builder(job).build();
}

}  // namespace kaname::jobs
