// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <functional>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/report.pb.h"
#include "proto/kaname/v1/waves.pb.h"
#include "solvers/earth/structure.hpp"
#include "worker/jobs/frame/calibration_cache.hpp"
#include "worker/jobs/frame/kind.hpp"
#include "worker/jobs/waves/wave_packs.hpp"

/// These functions are common to the verbs of all kinds of waves.
namespace kaname::compute {

/// Where the call's solve runs, with its device probed.
[[nodiscard]] jobs::Placement placement_of(const Call& call, Runtime& runtime);

/// WaveTimes holds the times [s] that stages are expected to take, before they are corrected by the
/// times of earlier packs.
struct WaveTimes {
    double mesh_s = 0.0, setup_s = 0.0, pack_s = 0.0, package_s = 0.0;
};
/// Returns the estimate with its times, for packs that are as fast as `past` ones.
[[nodiscard]] v1::Estimate timed_estimate(const jobs::Preflight& found, const WaveTimes& times,
                                          const CalibrationCache::Past& past);

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

/// Parts of messages that all kinds of waves have, in plain numbers.

[[nodiscard]] jobs::WavePlace place_of(const v1::WavePlace& place);
[[nodiscard]] std::array<double, 3> force_of(const v1::PointForce& force);
[[nodiscard]] std::array<double, 6> moment_of(const v1::MomentTensor& moment);
[[nodiscard]] std::vector<jobs::WaveReceiver> receivers_of(
    const google::protobuf::RepeatedPtrField<v1::WaveReceiver>& receivers);
/// Layers of a structure without volumes.
[[nodiscard]] earth::LayeredStructure layers_of(const v1::Structure& structure);

}  // namespace kaname::compute
