// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/unit/worker/jobs/geometry_parts.hpp"
#include "tests/unit/worker/jobs/volumes_job.hpp"
#include "worker/jobs/geometry/available_memory.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::jobs::rough_count_test {
namespace {

TEST(RoughCount, AgreesWithTheMesherWithinAFactor) {
    for (const double at_fault_m : {6e3, 3e3}) {
        GreensJob job = volumes_job();
        job.mesh.size_at_fault_m = at_fault_m;
        job.mesh.sizes.at_surface_m = 12e3;
        const JobGeometry geometry(job);

        const double rough = rough_count(volume_request(geometry));

        const double counted = static_cast<double>(geometry.estimate_mesh().tets);
        EXPECT_GT(rough, counted / 2.0) << at_fault_m;
        EXPECT_LT(rough, counted * 2.0) << at_fault_m;
    }
}

TEST(RoughCount, EqualSizesFillTheBox) {
    GreensJob job = volumes_job(/*flat=*/true);
    job.mesh.size_at_fault_m = job.mesh.size_far_m = 8e3;
    const JobGeometry geometry(job);

    EXPECT_NEAR(rough_count(volume_request(geometry)),
                kTetsPerSizeCubed * 200e3 * 200e3 * 100e3 / (8e3 * 8e3 * 8e3), 1.0);
}

}  // namespace
}  // namespace kaname::jobs::rough_count_test

#endif
