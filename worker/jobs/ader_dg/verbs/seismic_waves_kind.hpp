// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <string>

#include "proto/kaname/v1/seismic_waves.pb.h"
#include "worker/jobs/ader_dg/seismic_job.hpp"
#include "worker/jobs/ader_dg/seismic_package.hpp"
#include "worker/jobs/waves/verbs/wave_verbs.hpp"

namespace kaname::compute {

/// Waves on tetrahedra: preflight, mesh, solve, package, read.
[[nodiscard]] const Kind& seismic_waves_kind();

/// A request that was checked, its defaults filled in. Throws ValidationError for materials
/// that are none.
[[nodiscard]] jobs::SeismicJob seismic_job_from_request(const v1::SeismicWaves& waves);

/// Returns one source of a checked request; `field` is its path there, to which that of a part is
/// added where a part is to blame. Its key is left empty.
[[nodiscard]] jobs::SeismicJob::Source source_of(const v1::SeismicSource& from,
                                                 const std::string& field);

/// All but sources, their methods, and the request as text.
void set_setting(const v1::SeismicWaves& waves, jobs::SeismicJob& job);

/// SeismicPhysics holds what WaveVerbs of given sources and of ruptures have in common.
struct SeismicPhysics {
    using Session = jobs::SeismicSession;
    static constexpr bool kHasMesh = true;
    static constexpr const char* kSetUp = "setting up";

    [[nodiscard]] static std::string speed_key(const jobs::SeismicJob& job) {
        return jobs::seismic_speed_key(job);
    }
    [[nodiscard]] static Forecast times(const jobs::SeismicJob& job,
                                        const jobs::SeismicPreflight& found,
                                        CalibrationCache& book);
    [[nodiscard]] static double predicted_s(const jobs::SeismicJob& job,
                                            const jobs::SeismicSession& session,
                                            const jobs::PackOutcome& outcome,
                                            CalibrationCache& book);
    [[nodiscard]] static std::unique_ptr<jobs::SourceReader> read(const jobs::SeismicJob& job) {
        return jobs::read_seismic(job);
    }
};

}  // namespace kaname::compute
