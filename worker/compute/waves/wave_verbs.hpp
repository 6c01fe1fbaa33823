// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "proto/kaname/v1/report.pb.h"
#include "solvers/jobs/waves/wave_packs.hpp"
#include "worker/compute/kind.hpp"
#include "worker/compute/speed_book.hpp"

/// What the verbs of all kinds of waves have in common.
namespace kaname::compute {

/// Where the call's solve runs, with its device probed.
[[nodiscard]] jobs::Placement placement_of(const Call& call, Runtime& runtime);

/// What stages are expected to take [s], before what earlier packs took is looked at.
struct WaveTimes {
    double mesh_s = 0.0, setup_s = 0.0, pack_s = 0.0, package_s = 0.0;
};
/// The estimate with its times, packs as fast as `past` ones.
[[nodiscard]] v1::Estimate timed_estimate(const jobs::Preflight& found, const WaveTimes& times,
                                          const SpeedBook::Past& past);

/// Told of a pack that was solved from its first step on on processors.
using PackNote = std::function<void(const jobs::PackOutcome&)>;
/// Solves all sources of the job, or with `serve` those that are asked for. Returns the exit code.
int solve_packs(const jobs::WaveRequest& job, jobs::SolveSession& session, const PackNote& note,
                const Call& call, Runtime& runtime);

/// The sources' files of a call of `package`: its inputs, but those named in `others`, or those of
/// the work folder. Throws InvalidArgument where it has neither or both.
[[nodiscard]] jobs::SourceFiles sources_of(const jobs::WaveRequest& job, const Call& call,
                                           const std::vector<std::string>& others = {});
/// Logs and reports a dataset that was written. Returns the exit code.
int report_package(const jobs::PackageSummary& summary, const Call& call, Reporter& reporter);

}  // namespace kaname::compute
