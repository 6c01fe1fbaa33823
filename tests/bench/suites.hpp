// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/bench/lattice.hpp"
#include "tests/bench/options.hpp"
#include "tests/bench/report.hpp"

namespace kaname::bench {

// Each appends its rows to the report, whose machine is known, and tells its progress on standard
// error. The number of threads has been set.
void run_viscoelastic(const Options& options, Report& report);
void run_kernels(const Options& options, device::Queue& queue, Report& report);
void run_mesh(const Options& options, Report& report);
void run_voxelwave(const Options& options, device::Queue& queue, Report& report);
void run_aderdg(const Options& options, device::Queue& queue, Report& report);
/// In builds with Eigen.
void run_inversion(const Options& options, Report& report);
/// In builds with the service; starts a PostgreSQL of its own. Throws Unavailable where there is
/// none.
void run_service(const Options& options, Report& report);

/// Before minutes of measuring: throws InvalidArgument for unknown models and a folder that is not
/// there.
void check_mesh_options(const Options& options);

/// Iterations and seconds from zero where kappa/mu_v is 2, 20, 100 and 1,000 in the whole body, for
/// both elements.
void measure_near_incompressible(const Lattice& lattice, Report& report);

/// The lines of method `spectrum`: 1,000 epochs over 100 years. The reference by 900 time steps
/// only when asked for.
void measure_spectrum(const Lattice& lattice, bool with_reference, device::Backend backend,
                      Report& report);

/// The line of method `reciprocal`: packs of forces and of sources by spectrum on the CPU, scaled
/// to 20 stations and 744 sources by their counts.
void measure_reciprocal(const Lattice& lattice, Report& report);

}  // namespace kaname::bench
