// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/partition.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>
#include <string>

#include "solvers/base/error.hpp"

#ifdef KANAME_HAVE_METIS
#include <metis.h>
#endif

namespace kaname::mesh {
namespace {

using Tets = std::span<const std::array<std::int32_t, 4>>;

void check_parts(Tets tets, int parts) {
    if (parts < 1 || static_cast<std::size_t>(parts) > std::max<std::size_t>(tets.size(), 1)) {
        throw Error(ErrorCode::InvalidArgument,
                    "parts must be in 1.." + std::to_string(tets.size()) +
                        " (number of tetrahedra), got " + std::to_string(parts));
    }
}

class Bisection {
public:
    Bisection(std::span<const Vec3> xyz, Tets tets, std::span<const std::int32_t> work)
        : work_(work), centroids_(tets.size()), order_(tets.size()), part_(tets.size()) {
        for (std::size_t tet = 0; tet < tets.size(); ++tet) {
            for (const std::int32_t vertex : tets[tet]) {
                centroids_[tet] += 0.25 * xyz[static_cast<std::size_t>(vertex)];
            }
        }
        std::iota(order_.begin(), order_.end(), 0);
    }

    std::vector<std::int32_t> run(int parts) {
        split(std::span(order_), 0, parts);
        return std::move(part_);
    }

private:
    void split(std::span<std::int32_t> members, int first_part, int parts) {
        if (parts == 1) {
            for (const std::int32_t tet : members) {
                part_[static_cast<std::size_t>(tet)] = first_part;
            }
            return;
        }
        const int axis = longest_axis(members);
        const int left_parts = parts / 2;
        // Ties go by element number: the same cut on every machine.
        const auto before = [&](std::int32_t a, std::int32_t b) {
            const double xa = centroids_[static_cast<std::size_t>(a)][axis];
            const double xb = centroids_[static_cast<std::size_t>(b)][axis];
            return xa != xb ? xa < xb : a < b;
        };
        std::size_t left =
            members.size() * static_cast<std::size_t>(left_parts) / static_cast<std::size_t>(parts);
        if (work_.empty()) {
            std::nth_element(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(left),
                             members.end(), before);
        } else {
            std::ranges::sort(members, before);
            left = left_with_work(members, static_cast<std::size_t>(left_parts),
                                  static_cast<std::size_t>(parts));
        }
        split(members.first(left), first_part, left_parts);
        split(members.subspan(left), first_part + left_parts, parts - left_parts);
    }

    /// Members, in order, that have left_parts/parts of the work; enough remain for every part.
    [[nodiscard]] std::size_t left_with_work(std::span<const std::int32_t> members,
                                             std::size_t left_parts, std::size_t parts) const {
        double all = 0.0, sum = 0.0;
        for (const std::int32_t tet : members) {
            all += work_[static_cast<std::size_t>(tet)];
        }
        const double wanted = all * static_cast<double>(left_parts) / static_cast<double>(parts);
        std::size_t left = 0;
        while (left < members.size() && sum < wanted) {
            sum += work_[static_cast<std::size_t>(members[left++])];
        }
        return std::clamp(left, left_parts, members.size() - (parts - left_parts));
    }

    [[nodiscard]] int longest_axis(std::span<const std::int32_t> members) const {
        constexpr double kFar = std::numeric_limits<double>::max();
        Vec3 low = {kFar, kFar, kFar};
        Vec3 high = {-kFar, -kFar, -kFar};
        for (const std::int32_t tet : members) {
            const Vec3& centroid = centroids_[static_cast<std::size_t>(tet)];
            for (int comp = 0; comp < 3; ++comp) {
                low[comp] = std::min(low[comp], centroid[comp]);
                high[comp] = std::max(high[comp], centroid[comp]);
            }
        }
        const Vec3 extent = high - low;
        int axis = extent.y > extent.x ? 1 : 0;
        return extent.z > extent[axis] ? 2 : axis;
    }

    std::span<const std::int32_t> work_;  ///< empty: all the same
    std::vector<Vec3> centroids_;
    std::vector<std::int32_t> order_;
    std::vector<std::int32_t> part_;
};

#ifdef KANAME_HAVE_METIS
// Below this many elements per part METIS may leave parts empty or badly balanced.
constexpr std::size_t kMinTetsPerMetisPart = 64;

/// Pairs of tets that share a face, as METIS takes them.
struct DualGraph {
    idx_t* first = nullptr;
    idx_t* neighbours = nullptr;

    DualGraph(std::size_t vertices, Tets tets) {
        std::vector<idx_t> offsets(tets.size() + 1);
        std::vector<idx_t> corners;
        corners.reserve(4 * tets.size());
        for (std::size_t tet = 0; tet < tets.size(); ++tet) {
            corners.insert(corners.end(), tets[tet].begin(), tets[tet].end());
            offsets[tet + 1] = static_cast<idx_t>(corners.size());
        }
        auto n_tets = static_cast<idx_t>(tets.size());
        auto n_vertices = static_cast<idx_t>(vertices);
        idx_t n_common = 3, numbering = 0;  // neighbours share so many vertices
        ok = METIS_MeshToDual(&n_tets, &n_vertices, offsets.data(), corners.data(), &n_common,
                              &numbering, &first, &neighbours) == METIS_OK;
    }
    ~DualGraph() {
        if (ok) {
            METIS_Free(first);
            METIS_Free(neighbours);
        }
    }
    DualGraph(const DualGraph&) = delete;
    DualGraph& operator=(const DualGraph&) = delete;

    bool ok = false;
};

// Part of each tet; empty when METIS fails or leaves a part without elements.
std::vector<std::int32_t> partition_by_metis(std::size_t vertices, Tets tets, int parts,
                                             std::span<const std::int32_t> work) {
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    auto n_tets = static_cast<idx_t>(tets.size());
    auto n_parts = static_cast<idx_t>(parts);
    idx_t constraints = work.empty() ? 1 : 2, cut = 0;
    std::vector<idx_t> weights;
    for (const std::int32_t w : work) {
        weights.insert(weights.end(), {static_cast<idx_t>(w), 1});
    }
    std::vector<real_t> tolerance = {real_t(1.02), real_t(1.05)};
    std::vector<idx_t> part(tets.size());
    // METIS shares the C library's random numbers: alone, it gives one seed one partition.
    static std::mutex alone;
    const std::lock_guard lock(alone);
    const DualGraph graph(vertices, tets);
    const int status = !graph.ok ? METIS_ERROR
                                 : METIS_PartGraphKway(
                                       &n_tets, &constraints, graph.first, graph.neighbours,
                                       work.empty() ? nullptr : weights.data(), nullptr, nullptr,
                                       &n_parts, nullptr, work.empty() ? nullptr : tolerance.data(),
                                       options, &cut, part.data());
    std::vector<std::uint8_t> used(static_cast<std::size_t>(parts), 0);
    for (const idx_t p : part) {
        used[static_cast<std::size_t>(p)] = 1;
    }
    if (status != METIS_OK || std::find(used.begin(), used.end(), 0) != used.end()) {
        return {};
    }
    return {part.begin(), part.end()};
}
#endif

}  // namespace

std::vector<std::int32_t> partition_by_bisection(std::span<const Vec3> xyz, Tets tets, int parts) {
    check_parts(tets, parts);
    return Bisection(xyz, tets, {}).run(parts);
}

std::vector<std::int32_t> partition_tets(std::span<const Vec3> xyz, Tets tets, int parts) {
    return partition_tets(xyz, tets, parts, {});
}

std::vector<std::int32_t> partition_tets(std::span<const Vec3> xyz, Tets tets, int parts,
                                         std::span<const std::int32_t> work) {
    check_parts(tets, parts);
    if (!work.empty() && work.size() != tets.size()) {
        throw Error(ErrorCode::InvalidArgument, "work must have one entry for each of " +
                                                    std::to_string(tets.size()) + " tets, got " +
                                                    std::to_string(work.size()));
    }
    if (parts == 1) {
        return std::vector<std::int32_t>(tets.size(), 0);
    }
#ifdef KANAME_HAVE_METIS
    if (tets.size() >= kMinTetsPerMetisPart * static_cast<std::size_t>(parts)) {
        std::vector<std::int32_t> part = partition_by_metis(xyz.size(), tets, parts, work);
        if (!part.empty()) {
            return part;
        }
    }
#endif
    return Bisection(xyz, tets, work).run(parts);
}

}  // namespace kaname::mesh
