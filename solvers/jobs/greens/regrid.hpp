// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::jobs {

/// Writes the dataset that `job` would give, whose patches or slip tables may differ from those of
/// the dataset at `dataset_path`, from that one's fault_response: no mesh, no solve. All else of
/// the job is that dataset's, whose epochs, stations and slip history it keeps.
/// Throws InvalidArgument where the dataset has no fault_response or is of another fault, where a
/// source cannot slip on its meshed fault (ValidationError), and as io::read_greens_dataset.
void regrid(const GreensJob& job, const std::string& dataset_path, const std::string& output_path);

}  // namespace kaname::jobs
