// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::jobs {

/// Unit forces at the stations, from which reciprocity has the motion that any slip causes there:
/// "STATION/east", "/north", "/up" in true directions, or "STATION/look" alone where a station is
/// observed along one line.
class StationForces {
public:
    struct Force {
        std::string id;
        std::size_t station;  ///< index in GreensJob::stations
        int component;        ///< place in the dataset: 0 east, 1 north, 2 up; -1: along the look
    };

    /// Borrows both.
    StationForces(const GreensJob& job, const Domain& domain);

    [[nodiscard]] const std::vector<Force>& all() const { return forces_; }
    [[nodiscard]] std::vector<std::string> ids() const;
    /// Throws InvalidArgument for an id that is none of them.
    [[nodiscard]] const Force& at(const std::string& id) const;
    /// True east, north, up.
    [[nodiscard]] Vec3 true_direction(const Force& force) const;
    /// Unit vector in the frame of the mesh at a place.
    [[nodiscard]] Vec3 direction(const Force& force, const Vec3& place) const;
    /// Returns the key of everything that decides a force beside mesh and rock: its place and
    /// direction, but not its station's name.
    [[nodiscard]] std::string key(const std::string& id) const;
    /// Checks the rules of jobs that are solved by forces.
    void check(std::vector<Violation>& violations) const;

private:
    const GreensJob& job_;
    const Domain& domain_;
    std::vector<Force> forces_;
};

}  // namespace kaname::jobs
