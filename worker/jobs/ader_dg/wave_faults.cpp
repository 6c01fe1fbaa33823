// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/plan_nodes.hpp"
#include "solvers/fault/fault_surface.hpp"
#include "solvers/meshing/cleaving/octree.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "worker/jobs/ader_dg/volume_mesh_of_waves.hpp"
#include "worker/jobs/geometry/available_memory.hpp"

namespace kaname::jobs {
namespace {

constexpr double kSpacing = 0.45;  // of samples, in sizes: FaultRequest asks for less than half
constexpr double kLeastDip_deg = 10.0;
// Mean edge of the tets at a fault over that of the lattice's cubes: 0.91 where nothing is cut,
// 0.76 along a plane of the lattice.
constexpr double kMeanEdge = 0.76;
// That along a vertical plane through the lattice's diagonals, where faces are largest.
constexpr double kMeanEdgeOfDiagonal = 0.96;
constexpr int kFewestRoots = 8;  // along each side: they are stretched by 1/16 at most
constexpr double kAlong = 1e-9;  // sines of angles that are none

/// The vertical sheet between a rectangle of a plane and the ground is none of it: a plane that
/// comes up goes on above the ground.
meshing::FaultWindow window_to_above_ground(const FaultPlane& plane, double highest_m,
                                            double size_m) {
    const double above = plane.top_depth_m > 0.0 ? 0.0
                                                 : (std::max(highest_m, 0.0) + size_m) /
                                                       std::sin(plane.dip_deg * kDegree);
    return {-0.5 * plane.length_m, 0.5 * plane.length_m, -above, plane.width_m};
}

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Brings faults into the request of a mesh. Without a share the lattice's roots are such that
/// halves of them are the elements asked for at the smallest fault; with one, elements at all
/// faults are that part of what was asked for, and roots as large as the largest elements may be.
class Adder {
public:
    Adder(cleaving::VolumeMeshParams& params, std::optional<double> share)
        : params_(params),
          share_(share),
          frame_(params.box.azimuth_rad),
          waves_(params.sizes, params.box, params.model),
          ground_(params.model->surfaces.front().height) {}

    std::vector<AddedFault> run(std::span<const SeismicFault> faults, bool first_parts_box) {
        for (const SeismicFault& fault : faults) {
            const auto* plane = std::get_if<FaultPlane>(&fault.place);
            const bool diagonal = plane != nullptr && along_diagonal(*plane, fault.element_size_m);
            size_m_ = fault.element_size_m > 0.0 ? fault.element_size_m * cleaving::kSizePerEdge /
                                                       (diagonal ? kMeanEdgeOfDiagonal : kMeanEdge)
                                                 : params_.sizes.far_m;
            if (plane != nullptr) {
                add(fault, *plane);
            } else {
                add(fault, std::get<FaultSurface>(fault.place));
            }
        }
        if (first_parts_box && broken_.empty()) {
            part_box(std::get<FaultPlane>(faults.front().place));
        }
        for (const auto& surface : params_.model->surfaces) {
            if (surface.height.constant()) {
                params_.planes.at[2].push_back(surface.height.lowest());
            }
        }
        if (!broken_.empty()) {
            throw ValidationError(std::move(broken_));
        }
        params_.planes.size_m = smallest_m_;
        set_roots();
        return std::move(added_);
    }

    /// Returns what part of the size asked for at the smallest fault halves of the largest roots
    /// come to.
    [[nodiscard]] double share_of_largest_roots() const { return share_of_largest_roots_; }
    [[nodiscard]] double height_m() const { return params_.box.depth_m + ground_.highest(); }

private:
    [[nodiscard]] double largest_root_m() const {
        const meshing::Box& box = params_.box;
        return std::min(params_.sizes.far_m * cleaving::kLargest / cleaving::kSizePerEdge,
                        std::min({box.size_east_m, box.size_north_m, height_m()}) / kFewestRoots);
    }
    [[nodiscard]] Vec3 in_box(const Vec3& x) const {
        return {frame_.b(x.x, x.y), frame_.a(x.x, x.y), x.z};
    }
    /// Twice the angle from the box's sides.
    [[nodiscard]] double turned_twice(const FaultPlane& plane) const {
        return 2.0 * (plane.strike_deg * kDegree - params_.box.azimuth_rad);
    }
    /// A vertical plane at 45 degrees to the box's sides, up to half an element at its ends.
    [[nodiscard]] bool along_diagonal(const FaultPlane& plane, double element_m) const {
        const double off_m = 0.25 * plane.length_m * std::abs(std::cos(turned_twice(plane)));
        return std::abs(std::cos(plane.dip_deg * kDegree)) < kAlong && off_m < 0.5 * element_m;
    }
    [[nodiscard]] double size_at(const Vec3& x) const {
        return share_.value_or(1.0) * std::min(size_m_, waves_.at(in_box(x)));
    }
    [[nodiscard]] bool inside_box(const Vec3& at) const {
        const meshing::Box& box = params_.box;
        return std::abs(at.x) <= 0.5 * box.size_east_m &&
               std::abs(at.y) <= 0.5 * box.size_north_m && at.z >= -box.depth_m;
    }
    void need_inside(const SeismicFault& fault, const Vec3& x) {
        if (!inside_box(in_box(x))) {
            broken_.push_back({fault.field, "must lie inside the box, but '" + fault.name +
                                                "' reaches " + place_text(x)});
        }
    }
    void add(const SeismicFault& fault, const FaultPlane& plane);
    void add(const SeismicFault& fault, const FaultSurface& surface);
    void add_planes(const FaultPlane& plane, const fault::PlaneFault& at);
    void require_room(double area_m2, double size_m) const;
    void finish(cleaving::FaultRequest request, const SeismicFault& fault);
    void part_box(const FaultPlane& plane);
    void set_roots();

    cleaving::VolumeMeshParams& params_;
    std::optional<double> share_;
    meshing::BoxFrame frame_;
    cleaving::SizeField waves_;  // before there are faults
    const earth::HeightField& ground_;
    double size_m_ = 0.0, first_m_ = 0.0;  // of the fault at hand, and of the first
    double share_of_largest_roots_ = 1.0;
    double smallest_m_ = std::numeric_limits<double>::infinity();
    std::vector<AddedFault> added_;
    std::vector<Violation> broken_;
};

void Adder::require_room(double area_m2, double size_m) const {
    // Both sides of the area, integral over the distance of kTetsPerSizeCubed / (size + growth x)^3
    const double tets = kTetsPerSizeCubed * area_m2 / (params_.sizes.growth * size_m * size_m);
    const double most = params_.max_tets > 0 ? static_cast<double>(params_.max_tets)
                                             : std::numeric_limits<std::int32_t>::max() / 4.0;
    if (tets > most) {
        throw ValidationError(std::vector<Violation>{
            {"max_elements", "must allow, within memory, for the elements about faults, about " +
                                 formatted("%.3g", tets) + "; at most " + formatted("%.3g", most) +
                                 " are possible; give faults a larger element_size"}});
    }
}

void Adder::add(const SeismicFault& fault, const FaultPlane& plane) {
    const fault::PlaneFault at({plane.x_m, plane.y_m, -plane.top_depth_m},
                               plane.strike_deg * kDegree, plane.dip_deg * kDegree);
    for (const double s : {-0.5, 0.5}) {
        need_inside(fault, at.point({s * plane.length_m, 0.0}));
        need_inside(fault, at.point({s * plane.length_m, plane.width_m}));
    }
    if (!broken_.empty()) {
        return;
    }
    const Vec3 middle = at.point({0.0, 0.5 * plane.width_m});
    size_m_ = size_at(middle);
    require_room(plane.length_m * plane.width_m, size_m_);
    const meshing::FaultWindow window = window_to_above_ground(plane, ground_.highest(), size_m_);
    cleaving::FaultRequest request;
    const int n_s = static_cast<int>(std::ceil(plane.length_m / (kSpacing * size_m_)));
    const int n_d =
        static_cast<int>(std::ceil((window.d_max - window.d_min) / (kSpacing * size_m_)));
    for (int i = 0; i <= n_s; ++i) {
        for (int j = 0; j <= n_d; ++j) {
            request.samples.push_back(
                at.point({window.s_min + i * (window.s_max - window.s_min) / n_s,
                          window.d_min + j * (window.d_max - window.d_min) / n_d}));
        }
    }
    request.plane = cleaving::FaultRequest::Plane{at.point({}), at.normal({})};
    request.inside_m = [at, window](const Vec3& x) {
        const fault::FaultCoordinates to = at.coordinates(x);
        return std::min(
            {to.s - window.s_min, window.s_max - to.s, to.d - window.d_min, window.d_max - to.d});
    };
    const bool along_side = std::abs(std::cos(plane.dip_deg * kDegree)) < kAlong &&
                            std::abs(std::sin(turned_twice(plane))) < kAlong;
    if (along_side) {
        add_planes(plane, at);
    }
    added_.push_back(
        {along_side, plane.length_m * (window.d_max - window.d_min) / ((n_s + 1.0) * (n_d + 1.0))});
    for (const auto& [s, d] : {std::pair(window.s_min, window.d_min),
                               {window.s_max, window.d_min},
                               {window.s_max, window.d_max},
                               {window.s_min, window.d_max}}) {
        request.outline.push_back(at.point({s, d}));
    }
    finish(std::move(request), fault);
}

void Adder::add_planes(const FaultPlane& plane, const fault::PlaneFault& at) {
    const Vec3 normal = in_box(at.normal({}));
    const int across = std::abs(normal.x) > 0.5 ? 0 : 1;
    const Vec3 one = in_box(at.point({-0.5 * plane.length_m, 0.0}));
    const Vec3 other = in_box(at.point({0.5 * plane.length_m, plane.width_m}));
    params_.planes.at[across].push_back(one[across]);
    for (const Vec3& end : {one, other}) {
        params_.planes.at[1 - across].push_back(end[1 - across]);
    }
    params_.planes.at[2].push_back(other.z);
    if (plane.top_depth_m > 0.0) {
        params_.planes.at[2].push_back(one.z);
    }
}

void Adder::add(const SeismicFault& fault, const FaultSurface& surface) {
    const auto& surfaces = params_.model->surfaces;
    const auto found = std::ranges::find(surfaces, surface.surface, &earth::ModelSurface::name);
    if (found == surfaces.end() || found == surfaces.begin()) {
        std::string names;
        for (std::size_t k = 1; k < surfaces.size(); ++k) {
            names += (names.empty() ? "'" : ", '") + surfaces[k].name + "'";
        }
        broken_.push_back({fault.field + ".surface", "must name a surface under the ground, got '" +
                                                         surface.surface + "'; there are " +
                                                         (names.empty() ? "none" : names)});
        return;
    }
    std::vector<std::array<double, 2>> corners;
    std::array<double, 2> low, high;
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    double area_m2 = 0.0;
    for (std::size_t k = 0; k < surface.outline_m.size(); ++k) {
        const auto& [x, y] = surface.outline_m[k];
        const auto& [next_x, next_y] = surface.outline_m[(k + 1) % surface.outline_m.size()];
        area_m2 += 0.5 * (x * next_y - next_x * y);
        const Vec3 at = in_box({x, y, 0.0});
        need_inside(fault, {x, y, 0.0});
        corners.push_back({at.x, at.y});
        for (int axis = 0; axis < 2; ++axis) {
            low[axis] = std::min(low[axis], corners.back()[axis]);
            high[axis] = std::max(high[axis], corners.back()[axis]);
        }
    }
    if (!broken_.empty()) {
        return;
    }
    const earth::HeightField& height = found->height;
    const auto outline = std::make_shared<const earth::SurfaceOutline>(corners);
    // Places in the plan, nearer to each other where the surface is steep.
    const auto visit = [&](double step, const auto& take) {
        const int n_u = static_cast<int>(std::ceil((high[0] - low[0]) / step));
        const int n_v = static_cast<int>(std::ceil((high[1] - low[1]) / step));
        for (int i = 0; i <= n_u; ++i) {
            for (int j = 0; j <= n_v; ++j) {
                const double u = low[0] + i * (high[0] - low[0]) / std::max(n_u, 1);
                const double v = low[1] + j * (high[1] - low[1]) / std::max(n_v, 1);
                if (outline->inside_m(u, v) >= -step) {
                    take(u, v);
                }
            }
        }
    };
    double steepest = 0.0, least_m = size_m_;
    visit(std::max(high[0] - low[0], high[1] - low[1]) / 100.0, [&](double u, double v) {
        const auto slope = height.slope(u, v);
        steepest = std::max(steepest, std::hypot(slope.dz_du, slope.dz_dv));
        least_m = std::min(least_m, waves_.at({u, v, slope.z}));
    });
    size_m_ = share_.value_or(1.0) * least_m;
    const double longer = std::hypot(1.0, steepest);
    require_room(std::abs(area_m2) * longer, size_m_);
    cleaving::FaultRequest request;
    request.surface = static_cast<int>(found - surfaces.begin());
    const double spacing = kSpacing * size_m_ / longer;
    added_.push_back({false, spacing * spacing * longer});
    visit(spacing, [&](double u, double v) {
        const double z = height.z(u, v);
        if (z >= -params_.box.depth_m && z <= ground_.z(u, v) + size_m_) {
            request.samples.push_back(frame_.to_map(v, u, z));
        }
    });
    if (request.samples.empty()) {
        broken_.push_back(
            {fault.field, "must lie inside the box, but no part of '" + fault.name + "' does"});
        return;
    }
    request.inside_m = [outline, frame = frame_](const Vec3& x) {
        return outline->inside_m(frame.b(x.x, x.y), frame.a(x.x, x.y));
    };
    finish(std::move(request), fault);
}

void Adder::finish(cleaving::FaultRequest request, const SeismicFault& fault) {
    request.name = fault.name;
    request.sharp = true;
    smallest_m_ = std::min(smallest_m_, size_m_);
    first_m_ = params_.faults.empty() ? size_m_ : first_m_;
    params_.sizes.points.push_back({size_m_, request.samples});
    params_.faults.push_back(std::move(request));
}

/// The mesh conforms to a fault near its samples: they go on through the box, without any size.
void Adder::part_box(const FaultPlane& plane) {
    const meshing::Box& box = params_.box;
    const fault::PlaneFault at({plane.x_m, plane.y_m, 0.0}, plane.strike_deg * kDegree,
                               plane.dip_deg * kDegree);
    const double spacing = kSpacing * first_m_;
    const double reach = std::hypot(box.size_east_m, box.size_north_m);
    std::vector<Vec3>& samples = params_.faults.front().samples;
    for (double s = -reach; s <= reach; s += spacing) {
        for (double d = 0.0; d <= box.depth_m; d += spacing) {
            if (const Vec3 x = at.point({s, d}); inside_box(in_box(x))) {
                samples.push_back(x);
            }
        }
    }
}

/// Counts the cubes that a lattice of these roots is divided into, before neighbours are made
/// alike.
class Cubes {
public:
    explicit Cubes(const cleaving::VolumeMeshParams& params)
        : params_(params), sizes_(params.sizes, params.box, params.model) {}

    /// The count, or something above `enough` as soon as that is exceeded.
    [[nodiscard]] double count(double height_m, double enough) const {
        const meshing::Box& box = params_.box;
        const auto& roots = params_.roots;
        const Vec3 half{0.5 * box.size_east_m / roots[0], 0.5 * box.size_north_m / roots[1],
                        0.5 * height_m / roots[2]};
        double sum = 0.0;
        for (int k = 0; k < roots[2]; ++k) {
            for (int j = 0; j < roots[1]; ++j) {
                for (int i = 0; i < roots[0] && sum <= enough; ++i) {
                    sum += of_cube({(2 * i + 1) * half.x - 0.5 * box.size_east_m,
                                    (2 * j + 1) * half.y - 0.5 * box.size_north_m,
                                    (2 * k + 1) * half.z - box.depth_m},
                                   half);
                }
            }
        }
        return sum;
    }

private:
    [[nodiscard]] double of_cube(const Vec3& middle, const Vec3& half) const {
        const double reach = std::max({half.x, half.y, half.z});
        if (2.0 * reach * cleaving::kSizePerEdge <=
            cleaving::kLargest * sizes_.smallest(middle, reach)) {
            return 1.0;
        }
        const Vec3 child = 0.5 * half;
        double sum = 0.0;
        for (int part = 0; part < 8; ++part) {
            sum += of_cube({middle.x + (part & 1 ? child.x : -child.x),
                            middle.y + (part & 2 ? child.y : -child.y),
                            middle.z + (part & 4 ? child.z : -child.z)},
                           child);
        }
        return sum;
    }

    const cleaving::VolumeMeshParams& params_;
    cleaving::SizeField sizes_;
};

void Adder::set_roots() {
    const meshing::Box& box = params_.box;
    const double largest = largest_root_m();
    double edge = smallest_m_ / cleaving::kSizePerEdge;
    const double at_fault = edge;
    while (2.0 * edge <= largest) {
        edge *= 2.0;
    }
    const std::array<double, 3> wanted{box.size_east_m / edge, box.size_north_m / edge,
                                       height_m() / edge};
    const std::array<double, 3> fewest{box.size_east_m / largest, box.size_north_m / largest,
                                       height_m() / largest};
    for (int k = 0; k < 3; ++k) {
        params_.roots[k] = std::max(
            1, static_cast<std::int32_t>(share_ ? std::ceil(fewest[k]) : std::lround(wanted[k])));
    }
    double half = largest;
    while (half > at_fault) {
        half *= 0.5;
    }
    share_of_largest_roots_ = half / at_fault;
}

}  // namespace

std::vector<Violation> check_faults(const SeismicMeshRequest& request) {
    std::vector<Violation> broken;
    std::set<std::string> names;
    const auto need = [&](bool holds, const std::string& field, const std::string& rule,
                          double value) {
        if (!holds) {
            broken.push_back({field, "must be " + rule + ", got " + number(value)});
        }
    };
    const bool own = std::holds_alternative<MeshOfOnesOwn>(request.model);
    for (const SeismicFault& fault : request.faults) {
        const std::string& field = fault.field;
        if (!names.insert(fault.name).second) {
            broken.push_back({field + ".name", "must be unique, got '" + fault.name + "'"});
        }
        need(std::isfinite(fault.element_size_m) && fault.element_size_m >= 0.0,
             field + ".element_size_m", "finite and >= 0", fault.element_size_m);
        if (own != std::holds_alternative<FaultInFile>(fault.place)) {
            broken.push_back(
                {field, own ? "must be a physical surface of the mesh's file"
                            : "must not be a physical surface: there is no mesh file"});
        }
        if (std::holds_alternative<FaultSurface>(fault.place) &&
            !std::holds_alternative<EarthBox>(request.model)) {
            broken.push_back({field, "must be a plane where layers are level"});
        }
        if (const auto* plane = std::get_if<FaultPlane>(&fault.place)) {
            for (const auto& [key, value] : {std::pair("x_m", plane->x_m),
                                             {"y_m", plane->y_m},
                                             {"strike_deg", plane->strike_deg}}) {
                need(std::isfinite(value), field + "." + key, "finite", value);
            }
            need(plane->dip_deg >= kLeastDip_deg && plane->dip_deg <= 90.0, field + ".dip_deg",
                 "10 to 90", plane->dip_deg);
            need(std::isfinite(plane->top_depth_m) && plane->top_depth_m >= 0.0,
                 field + ".top_depth_m", "finite and >= 0", plane->top_depth_m);
            need(std::isfinite(plane->length_m) && plane->length_m > 0.0, field + ".length_m",
                 "finite and > 0", plane->length_m);
            need(std::isfinite(plane->width_m) && plane->width_m > 0.0, field + ".width_m",
                 "finite and > 0", plane->width_m);
        }
        if (const auto* surface = std::get_if<FaultSurface>(&fault.place)) {
            need(surface->outline_m.size() >= 3, field + ".outline", "of at least 3 corners",
                 static_cast<double>(surface->outline_m.size()));
        }
    }
    return broken;
}

std::vector<AddedFault> add_faults(std::span<const SeismicFault> faults,
                                   cleaving::VolumeMeshParams& params, bool first_parts_box) {
    cleaving::VolumeMeshParams finer = params;
    Adder adder(params, std::nullopt);
    std::vector<AddedFault> added = adder.run(faults, first_parts_box);
    // Halves of larger roots are smaller at the fault, and far away there are up to eight times
    // fewer. Whichever lattice has fewer cubes is taken: larger elements never cost more.
    try {
        Adder again(finer, adder.share_of_largest_roots());
        std::vector<AddedFault> added_finer = again.run(faults, first_parts_box);
        const double of_finer = Cubes(finer).count(again.height_m(), kNoLimit);
        if (Cubes(params).count(adder.height_m(), of_finer) > of_finer) {
            params = std::move(finer);
            return added_finer;
        }
    } catch (const ValidationError&) {
        // Elements that small are more than memory holds.
    }
    return added;
}

std::vector<std::string> part_faults(mesh::TetMesh& mesh) {
    std::set<std::array<std::int32_t, 3>> taken;
    std::map<std::int32_t, std::int64_t> lost;
    // In the order of the faults, which is that of their faces.
    std::erase_if(mesh.fault_faces, [&](const mesh::FaultFace& face) {
        auto key = face.vertices;
        std::ranges::sort(key);
        const bool again = !taken.insert(key).second;
        lost[face.fault] += again ? 1 : 0;
        return again;
    });
    std::vector<std::string> notes;
    for (const auto& [fault, faces] : lost) {
        if (faces > 0) {
            notes.push_back("fault '" + mesh.faults[static_cast<std::size_t>(fault)] + "' leaves " +
                            std::to_string(faces) + " faces to faults named before it");
        }
    }
    return notes;
}

}  // namespace kaname::jobs
