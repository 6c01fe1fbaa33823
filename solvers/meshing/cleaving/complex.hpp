// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/earth/columns.hpp"
#include "solvers/meshing/cleaving/lattice.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::cleaving {

/// Bit k: a vertex lies on sheet k.
using SheetMask = std::uint64_t;

/// Sheets are the surfaces to which the mesh conforms, in the box frame: the model's surfaces, then
/// the planes of faults.
class Sheets {
public:
    Sheets(std::shared_ptr<const earth::VolumeModel> model, std::span<const FaultRequest> faults,
           const meshing::Box& box);

    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] int surfaces() const { return surfaces_; }
    [[nodiscard]] const earth::VolumeModel& model() const { return *model_; }
    /// Sheet of fault f.
    [[nodiscard]] int of_fault(int fault) const { return fault_sheet_[fault]; }
    /// Sheets that no vertex counts as lying on that has not been moved there.
    [[nodiscard]] SheetMask sharp() const { return sharp_; }
    /// Rank of a sheet where several could have a vertex: 0 the free surface, then faults, then
    /// the surfaces in the order of the volumes that they bound.
    [[nodiscard]] int rank(int sheet) const { return rank_[sheet]; }
    /// 0 of the free surface, then one number for each fault's sheet, and one for all others.
    [[nodiscard]] int precedence(int sheet) const {
        return sheet < 0 ? lowest_precedence_ : std::min(rank_[sheet], lowest_precedence_);
    }
    /// > 0 on the plus side (above) [m]; not a distance, but zero on the sheet and continuous.
    [[nodiscard]] double above(int sheet, const Vec3& x) const;
    /// Distance along the normal to first order, signed as above() [m].
    [[nodiscard]] double distance_m(int sheet, const Vec3& x) const;
    /// A point of the sheet close to x; coordinates held by walls stay.
    [[nodiscard]] Vec3 project(int sheet, const Vec3& x, Walls walls) const;
    /// A point of all sheets close to x; false where none was found within `reach_m` of x.
    bool project_all(SheetMask on, Vec3& x, Walls walls, double reach_m) const;
    /// Where the segment from p to q crosses the sheet: 0..1; the signs at the ends must differ.
    [[nodiscard]] double crossing(int sheet, const Vec3& p, const Vec3& q) const;

private:
    std::shared_ptr<const earth::VolumeModel> model_;
    struct Plane {
        Vec3 point, normal;
    };
    std::vector<Plane> planes_;
    std::vector<int> fault_sheet_, rank_;
    SheetMask sharp_ = 0;
    int surfaces_ = 0, count_ = 0, lowest_precedence_ = 0;
};

inline constexpr std::uint64_t kAirBit = std::uint64_t{1} << 63;

[[nodiscard]] inline std::uint64_t volume_bit(int volume) {
    return volume == earth::kAir ? kAirBit : std::uint64_t{1} << volume;
}

/// Volumes that meet at a point: volume_bit of each, and, bit by bit, which part of it that may be
/// where another volume cuts it in two on a vertical line. Both bits where nothing cuts it.
struct VolumeSet {
    std::uint64_t volumes = 0;
    std::uint64_t upper = ~std::uint64_t{0}, lower = ~std::uint64_t{0};
};

/// The volumes that a mesh can show: on every vertical line a layer thinner than a part of the
/// element size there joins the thinner one of its neighbours, and the two take the volume of the
/// thicker (so that thin layers on each other become one, before they join a thick one). Without
/// this a layer about as thin as an element is there in some elements and not in others.
class ThinLayers {
public:
    /// All layers stay. Borrows the model.
    explicit ThinLayers(const earth::VolumeModel& model)
        : model_(&model), slabs_(slabs_of(model)) {}
    /// Borrows both.
    ThinLayers(const earth::VolumeModel& model, const SizeField& sizes, double part)
        : model_(&model), sizes_(&sizes), part_(part), slabs_(slabs_of(model)) {}

    /// Volumes that meet at x, which lies on the surfaces in `on`.
    [[nodiscard]] VolumeSet at(const Vec3& x, earth::SideMask on) const;
    [[nodiscard]] std::uint64_t volumes_at(const Vec3& x, earth::SideMask on) const {
        return at(x, on).volumes;
    }

private:
    /// Volumes with a top and a bottom, which may have the same volume above and below.
    [[nodiscard]] static std::uint64_t slabs_of(const earth::VolumeModel& model);
    void merge(double u, double v, earth::Column& column) const;
    void add_run(const earth::Column& column, int run, VolumeSet& set) const;

    const earth::VolumeModel* model_;
    const SizeField* sizes_ = nullptr;
    double part_ = 0.0;
    std::uint64_t slabs_ = 0;
};

/// The volumes and the sides of faults that a vertex or tet belongs to. Two ends of an edge without
/// a volume in common, or on opposite sides of a fault, are in conflict. Of a volume that another
/// one cuts in two the parts above and below count as two: an edge from above a slab to its bottom
/// must not pass through it, although the mantle is on both sides.
struct Labels {
    std::uint64_t volumes = 0;  ///< bit per volume, kAirBit
    std::uint64_t sides =
        ~std::uint64_t{0};  ///< bits 2f, 2f+1: plus, minus side of fault f; both: anywhere
    std::uint64_t upper = ~std::uint64_t{0}, lower = ~std::uint64_t{0};  ///< VolumeSet

    [[nodiscard]] static constexpr std::uint64_t plus(int fault) {
        return std::uint64_t{1} << 2 * fault;
    }
    [[nodiscard]] static constexpr std::uint64_t minus(int fault) {
        return std::uint64_t{2} << 2 * fault;
    }
    friend Labels operator&(const Labels& a, const Labels& b) {
        const std::uint64_t upper = a.upper & b.upper;
        const std::uint64_t lower = a.lower & b.lower;
        return {a.volumes & b.volumes & (upper | lower), a.sides & b.sides, upper, lower};
    }
    friend Labels operator|(const Labels& a, const Labels& b) {
        const auto any = [&](std::uint64_t of_a, std::uint64_t of_b) {
            return (of_a & a.volumes) | (of_b & b.volumes) | ~(a.volumes | b.volumes);
        };
        return {a.volumes | b.volumes, a.sides | b.sides, any(a.upper, b.upper),
                any(a.lower, b.lower)};
    }
    friend bool operator==(const Labels&, const Labels&) = default;
    /// A fault whose sides have nothing left, -1: none.
    [[nodiscard]] int torn_fault() const {
        constexpr std::uint64_t kEven = 0x5555555555555555;
        const std::uint64_t torn = ~(sides | sides >> 1) & kEven;
        return torn == 0 ? -1 : __builtin_ctzll(torn) / 2;
    }
    [[nodiscard]] bool in_conflict() const { return volumes == 0 || torn_fault() >= 0; }
};
inline constexpr int kMaxFaults = 32;

/// Tetrahedra with labels, in the box frame.
///   xyz, walls, on, labels  [vertices]: `on` the sheets that a vertex lies on
///   tets, tet_labels        [tets]: tet_labels once the mesh is cut: one volume each
struct Complex {
    std::vector<Vec3> xyz;
    std::vector<Walls> walls;
    std::vector<SheetMask> on;
    std::vector<Labels> labels;
    std::vector<Tet> tets;
    std::vector<Labels> tet_labels;
    bool rims_fitted = false;  ///< faults' rims follow the outlines that they have
};

/// Forgets removed tets (first corner -1), with their labels, and vertices without tets.
void compact(Complex& complex);

/// Sides of the box that an edge lies in. Not every bit that both ends have is one: of a box that
/// is one cube wide they may be on opposite sides.
[[nodiscard]] inline Walls common_walls(const Complex& complex, std::int32_t p, std::int32_t q) {
    auto walls = static_cast<Walls>(complex.walls[p] & complex.walls[q]);
    for (int axis = 0; axis < 3; ++axis) {
        if (complex.xyz[p][axis] != complex.xyz[q][axis]) {
            walls = static_cast<Walls>(walls & ~(1U << axis));
        }
    }
    return walls;
}

/// Ascending, each value once.
template <class Value>
void sort_unique(std::vector<Value>& values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace kaname::cleaving
