// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/voxel_fem/wave_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <tuple>

#include "solvers/base/error.hpp"
#include "solvers/earth/columns.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/voxelwave/element_matrices.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"

namespace kaname::jobs {
namespace {

constexpr std::size_t kMostSolids = std::numeric_limits<std::uint16_t>::max();

struct Properties {
    std::vector<float> vp, vs, density;
};

Properties read(const std::string& path, const std::array<int, 3>& voxels) {
    const h5::File file(path, h5::File::Mode::Read);
    const h5::Dims expected = {std::uint64_t(voxels[2]), std::uint64_t(voxels[1]),
                               std::uint64_t(voxels[0])};
    return {file.read<float>("vp", expected), file.read<float>("vs", expected),
            file.read<float>("density", expected)};
}

/// A logarithm in units of `step`; voids are a class of their own.
int level(float value, double step) {
    return value > 0.0F ? static_cast<int>(std::lround(std::log(double(value)) / step))
                        : std::numeric_limits<int>::min();
}

/// Solids by classes of relative width `step`, each with the properties met first; empty when they
/// are too many.
voxelwave::VoxelModel classes(const Properties& p, double step) {
    voxelwave::VoxelModel model;
    std::map<std::tuple<int, int, int>, std::uint16_t> known;
    model.solid_of.reserve(p.vp.size());
    for (std::size_t k = 0; k < p.vp.size(); ++k) {
        const auto [at, fresh] = known.try_emplace(
            std::tuple(level(p.vp[k], step), level(p.vs[k], step), level(p.density[k], step)),
            static_cast<std::uint16_t>(model.solids.size()));
        if (fresh) {
            if (model.solids.size() == kMostSolids) {
                return {};
            }
            const bool nothing = p.vp[k] == 0.0F && p.vs[k] == 0.0F && p.density[k] == 0.0F;
            model.solids.push_back(
                nothing ? voxelwave::Solid()
                        : voxelwave::Solid::of_speeds(p.vp[k], p.vs[k], p.density[k]));
        }
        model.solid_of.push_back(at->second);
    }
    return model;
}

[[noreturn]] void refuse(const std::string& why) {
    throw ValidationError({{"model.grid", why}});
}

void check(const Properties& p, const std::array<int, 3>& voxels) {
    for (std::size_t k = 0; k < p.vp.size(); ++k) {
        const bool nothing = p.vp[k] == 0.0F && p.vs[k] == 0.0F && p.density[k] == 0.0F;
        const double vp = p.vp[k], vs = p.vs[k];
        const bool solid = p.density[k] > 0.0F && vs > 0.0 && 3.0 * vp * vp > 4.0 * vs * vs &&
                           std::isfinite(vp + vs + p.density[k]);
        if (!nothing && !solid) {
            const std::size_t nx = voxels[0], ny = voxels[1];
            std::ostringstream text;
            text << "must have density > 0, vs > 0 and vp > sqrt(4/3) vs, or a void with all three "
                    "0, got vp = "
                 << vp << ", vs = " << vs << ", density = " << p.density[k]
                 << " in the voxel with z, y, x = " << k / (nx * ny) << ", " << k / nx % ny << ", "
                 << k % nx;
            refuse(text.str());
        }
    }
}

}  // namespace

voxelwave::VoxelModel read_wave_grid(const std::string& path, const std::array<int, 3>& voxels,
                                     double ds_m, std::vector<std::string>& notes) {
    Properties properties;
    try {
        properties = read(path, voxels);
    } catch (const Error& error) {
        refuse(error.what());
    }
    check(properties, voxels);
    voxelwave::VoxelModel model;
    double step = 1e-7;  // of single precision
    while ((model = classes(properties, step)).solids.empty()) {
        step *= 4.0;
    }
    if (step > 1e-6) {
        std::ostringstream text;
        text << "model.grid: its solids were rounded to " << model.solids.size()
             << " different ones, by at most " << step * 100.0 << " % of each property";
        notes.push_back(text.str());
    }
    model.voxels = voxels;
    model.ds_m = ds_m;
    return model;
}

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
            const auto [east, north] = earth_->east_north_m(*at.globe);
            xyz_m = from_origin({east, north, -at.depth_m.value_or(0.0)});
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

    /// Adds a patch's moments. What lies outside of the model or in a void is reported once.
    void add_patch(const WavePatch& patch, const std::string& field,
                   std::vector<voxelwave::PointMoment>& parts) {
        const std::array<double, 3> centre_m = unchecked({{}, patch.centre, patch.depth_m});
        std::vector<voxelwave::PointMoment> made;
        try {
            made =
                patch_potencies(patch, centre_m, earth_->north_rad(patch.centre), job_.spacing_m);
        } catch (const Error& error) {
            broken_.push_back({field, error.what()});
            return;
        }
        for (voxelwave::PointMoment& part : made) {
            const std::size_t before = broken_.size();
            checked(part.position_m, field);
            if (broken_.size() > before) {
                return;
            }
            for (double& moment : part.moment_nm) {
                moment *= mu_at(part.position_m);
            }
            parts.push_back(part);
        }
    }

    [[nodiscard]] double mu_at(const std::array<double, 3>& xyz_m) const {
        std::array<int, 3> at{};
        for (int axis = 0; axis < 3; ++axis) {
            at[axis] = std::clamp(static_cast<int>(xyz_m[axis] / model_.voxels.ds_m), 0,
                                  model_.voxels.voxels[axis] - 1);
        }
        return model_.voxels.solid(at[0], at[1], at[2]).shear_modulus_pa;
    }

    [[nodiscard]] static std::array<double, 3> middle_of(
        const std::vector<voxelwave::PointMoment>& parts) {
        std::array<double, 3> sum{};
        for (const voxelwave::PointMoment& part : parts) {
            for (int axis = 0; axis < 3; ++axis) {
                sum[axis] += part.position_m[axis] / static_cast<double>(parts.size());
            }
        }
        return sum;
    }

    void set_places() {
        for (const WaveJob::Source& source : job_.sources) {
            std::vector<voxelwave::PointMoment>& parts = model_.parts.emplace_back();
            for (std::size_t k = 0; k < source.patches.size(); ++k) {
                add_patch(source.patches[k], source.field + ".patches[" + std::to_string(k) + "]",
                          parts);
            }
            model_.sources_m.push_back(source.patches.empty() ? place(source.at, source.field)
                                                              : middle_of(parts));
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

namespace {

voxelwave::Solid solid_of(const earth::Material& material) {
    return {material.kappa_pa(), material.mu_pa, material.density_kg_m3};
}

}  // namespace

EarthSamples::EarthSamples(const WaveEarth& earth, const std::array<double, 3>& size_m)
    : earth_(earth), size_m_(size_m), projection_(earth.centre) {
    if (!earth.volumes) {
        return;
    }
    earth::VolumeLayout layout = *earth.volumes;
    layout.size_u_m = size_m[0];
    layout.size_v_m = size_m[1];
    layout.depth_m = earth.depth_m;
    layout.azimuth_rad = earth.azimuth_rad;
    earth::BuiltVolumeModel built = build_structure(layout, projection_);
    volumes_ = std::move(built.model);
    notes_ = std::move(built.notes);
}

voxelwave::VoxelModel EarthSamples::sample(const std::array<int, 3>& voxels, double ds_m) const {
    voxelwave::VoxelModel model;
    model.voxels = voxels;
    model.ds_m = ds_m;
    for (const earth::Material& material :
         volumes_ ? volumes_->materials : earth_.layers.materials) {
        model.solids.push_back(solid_of(material));
    }
    const auto nothing = static_cast<std::uint16_t>(model.solids.size());
    model.solids.emplace_back();
    model.solid_of.assign(static_cast<std::size_t>(model.n_voxels()), nothing);
    const auto height = [&](int z) { return (z + 0.5) * ds_m - earth_.depth_m; };
    const auto at = [&](int x, int y, int z) -> std::uint16_t& {
        return model.solid_of[(std::size_t(z) * voxels[1] + y) * voxels[0] + x];
    };
    if (!volumes_) {
        for (int z = 0; z < voxels[2] && height(z) < 0.0; ++z) {
            const auto solid =
                static_cast<std::uint16_t>(earth_.layers.material_at(-height(z), 0.0));
            std::fill_n(&at(0, 0, z), std::size_t(voxels[0]) * voxels[1], solid);
        }
        return model;
    }
    earth::ModelColumns columns(*volumes_);
    for (int y = 0; y < voxels[1]; ++y) {
        for (int x = 0; x < voxels[0]; ++x) {
            const double u = (x + 0.5) * ds_m - 0.5 * size_m_[0];
            const double v = (y + 0.5) * ds_m - 0.5 * size_m_[1];
            for (const earth::ColumnPiece& piece : columns.cut(u, v)) {
                const earth::Volume& volume = volumes_->volumes[piece.volume];
                const int from = std::max(
                    0, static_cast<int>(std::ceil((piece.bottom_m + earth_.depth_m) / ds_m - 0.5)));
                for (int z = from; z < voxels[2] && height(z) < piece.top_m; ++z) {
                    at(x, y, z) =
                        static_cast<std::uint16_t>(volume.material->material_at(u, v, height(z)));
                }
            }
        }
    }
    return model;
}

std::array<double, 2> EarthSamples::east_north_m(const earth::LonLat& at) const {
    const earth::MapPoint point = projection_.forward(at);
    const double c = std::cos(earth_.azimuth_rad), s = std::sin(earth_.azimuth_rad);
    return {c * point.x_m - s * point.y_m, s * point.x_m + c * point.y_m};
}

double EarthSamples::north_rad(const earth::LonLat& at) const {
    return projection_.convergence(at) - earth_.azimuth_rad;
}

}  // namespace kaname::jobs
