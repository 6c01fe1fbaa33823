// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/rough_count.hpp"

#include <gtest/gtest.h>

#include "solvers/registry/setup.hpp"
#include "tests/unit/solvers/registry/volumes_job.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::registry {
namespace {

using JobSetup = Setup;

TEST(RoughCount, AgreesWithTheMesherWithinAFactor) {
    for (const double at_fault_m : {6e3, 3e3}) {
        GreensJob job = volumes_job();
        job.size_at_fault_m = at_fault_m;
        job.sizes.at_surface_m = 12e3;
        const JobSetup setup(job);

        const double rough = rough_count(*setup.volume_request());

        const double counted = static_cast<double>(setup.estimate_mesh().tets);
        EXPECT_GT(rough, counted / 2.0) << at_fault_m;
        EXPECT_LT(rough, counted * 2.0) << at_fault_m;
    }
}

TEST(RoughCount, EqualSizesFillTheBox) {
    GreensJob job = volumes_job(/*flat=*/true);
    job.size_at_fault_m = job.size_far_m = 8e3;
    const JobSetup setup(job);

    EXPECT_NEAR(rough_count(*setup.volume_request()),
                kTetsPerSizeCubed * 200e3 * 200e3 * 100e3 / (8e3 * 8e3 * 8e3), 1.0);
}

}  // namespace
}  // namespace kaname::registry

#endif
