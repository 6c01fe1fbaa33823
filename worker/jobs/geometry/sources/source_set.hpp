// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/fault/unit_source.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::jobs {

/// The meshed fault that slips.
struct MeshedFault {
    const mesh::TetMesh& mesh;
    const p2::DofMap& dofs;
    const fault::SplitNodes& split;
};

/// The sources of a SourceSet on the nodes of a meshed fault: what is solved for, and what a
/// dataset says of it.
class SlipOnMesh {
public:
    virtual ~SlipOnMesh() = default;
    /// Slip of a source (plus side relative to the other) at every split node
    /// [split.split.size()] m. Throws ValidationError naming the source's field and coordinates
    /// where a buried rim would slip, and where nothing slips; InvalidArgument for an unknown one.
    [[nodiscard]] virtual std::vector<Vec3> slip_of(const std::string& id) const = 0;
    /// Returns the moment tensor of a source that is one, whose slip is 0 everywhere. Throws
    /// InvalidArgument for an unknown one.
    [[nodiscard]] virtual std::optional<fault::PointMoment> moment_of(
        const std::string& /*id*/) const {
        return std::nullopt;
    }
    /// The dataset's row of a source, without neighbours: its place, extent and orientation, and
    /// the sums of the slip that the meshed fault takes. Throws as slip_of.
    [[nodiscard]] virtual io::GreensDataset::Source row(const std::string& id) = 0;
    /// Finds which rows lie beside each other, in rows that row() has made, in that order.
    virtual void find_neighbours(std::span<io::GreensDataset::Source> rows) const = 0;
    /// Returns notes for the user about a source on this mesh.
    [[nodiscard]] virtual std::vector<std::string> notes(const std::string& /*id*/) const {
        return {};
    }

    /// Taken describes the part of a source's slip that the meshed fault took.
    struct Taken {
        double moment_nm = 0.0;   ///< sum mu A |slip| over the fault's faces, mu of the softer side
        double potency_m3 = 0.0;  ///< sum A |slip|
        double given_potency_m3 = 0.0;  ///< potency asked for; 0: not known
        double max_slip_m = 0.0;
        /// `lost_to` gives the causes why it is less than what was asked for, with their shares;
        /// empty where they are unknown.
        std::string lost_to{};
    };
    [[nodiscard]] virtual Taken taken(const std::string& id) const = 0;

protected:
    /// Share of the largest slip asked for that does not count: so little does a projection on the
    /// fault's nodes swing far away from what slips.
    static constexpr double kProjectionSwing = 1e-6;
};

/// The error for an id that is none of the job's.
[[nodiscard]] inline Error unknown_source(const std::string& id) {
    return {ErrorCode::InvalidArgument, "source must be one of the job's, got '" + id + "'"};
}

/// The sources of a job that slip: one class per kind. Their ids, in the order of the dataset, and
/// what can be said of them before there is a mesh.
class SourceSet {
public:
    virtual ~SourceSet() = default;
    [[nodiscard]] virtual std::vector<std::string> ids() const = 0;
    /// Key of what the source's id does not say; two sources of one id may differ. Empty: the id
    /// says all.
    [[nodiscard]] virtual std::string content_key(const std::string& /*id*/) const { return {}; }
    /// True where each source is the unit slip of a patch: a dataset of Green's functions.
    [[nodiscard]] virtual bool unit_slip() const { return false; }

    /// Returns the middles of the slip in the model frame; empty where only the mesh knows them.
    [[nodiscard]] virtual std::vector<Vec3> centres() const = 0;
    /// Returns points on the edges of what slips, of each patch by itself: no farther apart than
    /// `spacing_m`, or a sixteenth of an edge. Of slip whose edges are not known, its middles.
    [[nodiscard]] virtual std::vector<Vec3> edges(double /*spacing_m*/) const { return centres(); }
    /// PlaceTest is a condition on a place that slips and the fault's unit normal there;
    /// any_place() returns true if it holds at some place.
    using PlaceTest = std::function<bool(const Vec3& x, const Vec3& normal)>;
    [[nodiscard]] virtual bool any_place(const PlaceTest& test) const = 0;

    /// Adds broken rules, with their fields.
    virtual void check(std::vector<Violation>& /*violations*/) const {}
    [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
    /// Returns the notes of an estimate on the sources: magnitudes, slip.
    [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

    /// Borrows both. Throws InvalidArgument when the mesh is of another job.
    [[nodiscard]] virtual std::unique_ptr<SlipOnMesh> on(const MeshedFault& fault) const = 0;
};

/// Calls visit(along, down), from -0.5 to 0.5 each, at places on the edges of a rectangle as
/// SourceSet::edges() has them.
template <class Visit>
void for_edges(double length_m, double width_m, double spacing_m, const Visit& visit) {
    constexpr int kMost = 16;
    const auto parts_of = [&](double side_m) {
        return std::clamp(static_cast<int>(std::ceil(side_m / spacing_m)), 2, kMost);
    };
    const int along = parts_of(length_m), down = parts_of(width_m);
    for (int k = 0; k <= along; ++k) {
        visit(static_cast<double>(k) / along - 0.5, -0.5);
        visit(static_cast<double>(k) / along - 0.5, 0.5);
    }
    for (int k = 1; k < down; ++k) {
        visit(-0.5, static_cast<double>(k) / down - 0.5);
        visit(0.5, static_cast<double>(k) / down - 0.5);
    }
}

/// kDownDip lists the places along a patch's width where its rock is looked up: upper edge, middle
/// and lower edge. Edges are taken a little inside, since the rock may end with its layer there.
inline constexpr double kDownDip[] = {-0.45, 0.0, 0.45};

}  // namespace kaname::jobs
