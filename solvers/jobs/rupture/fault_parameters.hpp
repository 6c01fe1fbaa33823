// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "solvers/jobs/rupture/fault_axes.hpp"
#include "solvers/jobs/rupture/fault_table.hpp"
#include "solvers/jobs/rupture/rupture_job.hpp"

namespace kaname::jobs {

/// A place on a fault in its coordinates.
struct OnFault {
    std::size_t fault = 0;
    double along_m = 0.0, down_m = 0.0, depth_m = 0.0;
    Vec3 normal;
};

/// FaultParameters gives the parameters at every point of the faults: the job's numbers, changed by
/// stress, table, tapers, patches and nucleation in this order. Copies share nothing; the job must
/// live as long.
class FaultParameters {
public:
    /// Reads the tables. Faults without axes have no parameters. Throws ValidationError
    /// (`faults[0].table`) for files that are no tables.
    FaultParameters(const RuptureJob& job, std::vector<std::optional<FaultAxes>> axes);

    [[nodiscard]] bool knows(std::size_t fault) const { return axes_[fault].has_value(); }
    [[nodiscard]] const FaultAxes& axes(std::size_t fault) const { return *axes_[fault]; }
    [[nodiscard]] OnFault place(const rupture::FaultPlace& place) const;

    [[nodiscard]] FaultNumbers numbers(const OnFault& at) const;
    /// Returns the shear that nucleation adds in the end, along strike and down dip [Pa].
    [[nodiscard]] std::array<double, 2> nucleation(const OnFault& at) const;
    /// Returns true if the rupture is made to begin there: by a patch with other tractions or
    /// strength, by forced rupture, or by added shear.
    [[nodiscard]] bool nucleates(const OnFault& at) const;
    [[nodiscard]] rupture::FaultPoint point(const rupture::FaultPlace& place) const;
    /// Returns the fault's table; null where it has none.
    [[nodiscard]] const FaultTable* table(std::size_t fault) const {
        return tables_[fault] ? &*tables_[fault] : nullptr;
    }

private:
    const RuptureJob& job_;
    std::vector<std::optional<FaultAxes>> axes_;
    std::vector<std::optional<FaultTable>> tables_;
};

/// Returns the solver's description of the faults, without receivers.
[[nodiscard]] rupture::FaultSetup fault_setup(const RuptureJob& job,
                                              std::shared_ptr<const FaultParameters> parameters);

/// Returns B of RuptureTaper, `beyond_m` outside the edge of its rectangle.
[[nodiscard]] double smooth_boxcar(double beyond_m, double transition_m);
/// Returns F of SmoothNucleation.
[[nodiscard]] double nucleation_shape(double distance_m, double radius_m);

}  // namespace kaname::jobs
