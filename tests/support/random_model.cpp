// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/random_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include "solvers/base/units.hpp"
#include "solvers/earth/material_rules.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::test {
namespace {

using earth::HeightField;

constexpr double kTurn = 2.0 * std::numbers::pi;

class Drawer {
public:
    Drawer(std::uint64_t seed, double far_cells) : random_(seed), far_cells_(far_cells) {}

    cleaving::VolumeMeshParams draw();

private:
    /// A number in [low, high); the library's distributions are not the same everywhere.
    double in(double low, double high) {
        constexpr double kSteps = 9007199254740992.0;  // 2^53
        return low + (high - low) * static_cast<double>(random_() >> 11U) / kSteps;
    }
    bool chance(double p) { return in(0.0, 1.0) < p; }

    HeightField field(const std::function<double(double u, double v)>& z) const;
    HeightField waves(double level, double amplitude);
    void add_ground();
    void add_slab();
    void add_layers();
    void add_volume(const char* kind, int top, int bottom);
    void add_fault();
    void add_samples(cleaving::FaultRequest& fault, double half_length, double half_width,
                     const std::function<Vec3(double s, double d)>& place);

    std::mt19937_64 random_;
    double far_cells_;
    cleaving::VolumeMeshParams params_;
    std::shared_ptr<earth::VolumeModel> model_ = std::make_shared<earth::VolumeModel>();
    int slab_top_ = -1;
};

HeightField Drawer::field(const std::function<double(double, double)>& z) const {
    constexpr int kCells = 120;
    const double longer = std::max(model_->size_u_m, model_->size_v_m);
    const double spacing = longer / kCells;
    const double low = -0.5 * longer - 3.0 * spacing;
    const HeightField::Grid grid = {low, low, spacing, spacing, kCells + 7, kCells + 7};
    std::vector<double> values;
    for (int j = 0; j < grid.nv; ++j) {
        for (int i = 0; i < grid.nu; ++i) {
            values.push_back(z(low + i * spacing, low + j * spacing));
        }
    }
    return HeightField(grid, values);
}

HeightField Drawer::waves(double level, double amplitude) {
    struct Wave {
        double along_u, along_v, phase, height;
    };
    std::array<Wave, 3> waves{};
    const double longer = std::max(model_->size_u_m, model_->size_v_m);
    for (Wave& wave : waves) {
        const double number = kTurn / (longer * in(0.25, 1.5));
        const double azimuth = in(0.0, kTurn);
        wave = {number * std::cos(azimuth), number * std::sin(azimuth), in(0.0, kTurn),
                amplitude * in(0.2, 0.5)};
    }
    return field([&](double u, double v) {
        double z = level;
        for (const Wave& wave : waves) {
            z += wave.height * std::sin(wave.along_u * u + wave.along_v * v + wave.phase);
        }
        return z;
    });
}

void Drawer::add_ground() {
    const double relief = chance(0.5) ? in(500.0, 4000.0) : 0.0;
    model_->surfaces.push_back({"ground", relief > 0.0 ? waves(0.0, relief) : HeightField(0.0)});
}

void Drawer::add_volume(const char* kind, int top, int bottom) {
    const auto index = static_cast<int>(model_->volumes.size());
    const std::string name = kind + std::to_string(index);
    earth::Material material;
    material.name = name;
    material.lambda_pa = material.mu_pa = 3e10 * (1.0 + 0.2 * index);
    model_->materials.push_back(material);
    model_->volumes.push_back({name, top, bottom, earth::constant_rule(index), 0.0});
}

void Drawer::add_slab() {
    const double azimuth = in(0.0, kTurn);
    const double dip = in(8.0, 50.0) * kDegree;
    const double hinge = in(-0.3, 0.1) * model_->size_u_m;
    const double bend = in(0.05, 0.2) * model_->size_u_m;
    const double top = in(0.03, 0.12) * model_->depth_m;
    const double thickness = in(0.5, 3.0) * params_.sizes.far_m;
    const auto depth = [=](double u, double v) {
        // Level before the hinge, dipping behind it.
        const double s = (u * std::cos(azimuth) + v * std::sin(azimuth) - hinge) / bend;
        return top + std::tan(dip) * bend * (s > 30.0 ? s : std::log1p(std::exp(s)));
    };
    slab_top_ = static_cast<int>(model_->surfaces.size());
    model_->surfaces.push_back(
        {"slab-top", field([&](double u, double v) { return -depth(u, v); })});
    model_->surfaces.push_back(
        {"slab-bottom", field([&](double u, double v) { return -depth(u, v) - thickness; })});
    add_volume("slab", slab_top_, slab_top_ + 1);
}

void Drawer::add_layers() {
    const int n = 2 + static_cast<int>(in(0.0, 7.0));
    std::vector<double> depths;
    for (int k = 0; k < n; ++k) {
        depths.push_back(in(0.03, 0.9) * model_->depth_m);
    }
    std::ranges::sort(depths);
    for (int k = 0; k < n; ++k) {
        const double gap = depths[k] - (k > 0 ? depths[k - 1] : 0.0);
        // Often larger than the gap to the surface above: they cross.
        const double amplitude = std::min(in(0.0, 2.5) * gap, 0.15 * model_->depth_m);
        model_->surfaces.push_back({"surface-" + std::to_string(k), waves(-depths[k], amplitude)});
        add_volume("layer", -1, static_cast<int>(model_->surfaces.size()) - 1);
    }
    add_volume("rest", -1, -1);
}

void Drawer::add_samples(cleaving::FaultRequest& fault, double half_length, double half_width,
                         const std::function<Vec3(double s, double d)>& place) {
    const double size = params_.sizes.points.front().size_m;
    const auto cells = [&](double half) { return static_cast<int>(std::ceil(4.0 * half / size)); };
    const int ns = cells(half_length), nd = cells(half_width);
    for (int i = 0; i <= ns; ++i) {
        for (int j = 0; j <= nd; ++j) {
            fault.samples.push_back(
                place(half_length * (2.0 * i / ns - 1.0), half_width * (2.0 * j / nd - 1.0)));
        }
    }
    params_.sizes.points.front().at = fault.samples;
}

void Drawer::add_fault() {
    const meshing::BoxFrame frame(params_.box.azimuth_rad);
    const double size = in(0.15, 0.4) * params_.sizes.far_m;
    params_.sizes.points.push_back({size, {}});
    const double half_length = in(4.0, 8.0) * size;
    const double half_width = std::min(in(3.0, 5.0) * size, 0.3 * model_->depth_m);
    const double strike = in(0.0, kTurn);
    const Vec3 along = {std::sin(strike), std::cos(strike), 0.0};
    const Vec3 right = {std::cos(strike), -std::sin(strike), 0.0};
    cleaving::FaultRequest fault;
    fault.name = "fault";
    const double u = in(-0.15, 0.15) * model_->size_u_m, v = in(-0.15, 0.15) * model_->size_v_m;
    Vec3 centre = frame.to_map(v, u, 0.0);
    if (slab_top_ >= 0 && chance(0.75)) {
        fault.surface = slab_top_;
        const HeightField& top = model_->surfaces[slab_top_].height;
        add_samples(fault, half_length, half_width, [&](double s, double d) {
            Vec3 x = centre + s * along + d * right;
            x.z = top.z(frame.b(x.x, x.y), frame.a(x.x, x.y));
            return x;
        });
        fault.inside_m = [=](const Vec3& x) {
            return std::min(half_length - std::abs(dot(x - centre, along)),
                            half_width - std::abs(dot(x - centre, right)));
        };
    } else {
        const double dip = in(15.0, 90.0) * kDegree;
        // Wholly inside the box, from just below the ground on.
        const double half_height = half_width * std::sin(dip);
        centre.z = -in(half_height + 0.1 * model_->depth_m, 0.95 * model_->depth_m - half_height);
        const Vec3 down = std::cos(dip) * right - Vec3{0.0, 0.0, std::sin(dip)};
        fault.plane = {centre, std::sin(dip) * right + Vec3{0.0, 0.0, std::cos(dip)}};
        add_samples(fault, half_length, half_width,
                    [&](double s, double d) { return centre + s * along + d * down; });
        fault.inside_m = [=](const Vec3& x) {
            return std::min(half_length - std::abs(dot(x - centre, along)),
                            half_width - std::abs(dot(x - centre, down)));
        };
    }
    params_.faults.push_back(std::move(fault));
}

cleaving::VolumeMeshParams Drawer::draw() {
    params_.box = {in(150e3, 300e3), in(150e3, 300e3), in(60e3, 150e3), in(0.0, kTurn)};
    model_->size_u_m = params_.box.size_east_m;
    model_->size_v_m = params_.box.size_north_m;
    model_->depth_m = params_.box.depth_m;
    params_.sizes.far_m = std::max(model_->size_u_m, model_->size_v_m) / far_cells_;
    params_.sizes.growth = in(0.2, 0.6);
    params_.sizes.at_surface_m = chance(0.5) ? in(0.4, 0.8) * params_.sizes.far_m : 0.0;
    add_ground();
    if (chance(0.5)) {
        add_slab();
    }
    add_layers();
    if (chance(0.5)) {
        add_fault();
    }
    params_.model = model_;
    return std::move(params_);
}

}  // namespace

cleaving::VolumeMeshParams random_model(std::uint64_t seed, double far_cells) {
    return Drawer(seed, far_cells).draw();
}

}  // namespace kaname::test
