// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "solvers/io/dataset/seismogram_dataset.hpp"
#include "solvers/jobs/seismic_waves/seismic_model.hpp"
#include "solvers/jobs/spec/stage.hpp"

namespace kaname::jobs {

/// Returns a dataset without its sources: times, receivers, mesh, ground, warnings. The times of
/// snapshots are those of the results.
[[nodiscard]] io::SeismogramDataset dataset_frame(const SeismicJob& job, const SeismicModel& model,
                                                  const SourceFiles& files);

[[nodiscard]] std::array<double, 3> numbers_of(const Vec3& at_m);

}  // namespace kaname::jobs
