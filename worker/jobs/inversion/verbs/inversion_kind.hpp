// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "proto/kaname/v1/inversion.pb.h"
#include "proto/kaname/v1/report.pb.h"
#include "proto/request/inversion/load_inversion.hpp"
#include "worker/jobs/frame/kind.hpp"
#include "worker/jobs/inversion/invert.hpp"

namespace kaname::compute {

/// Slip from observed motion: preflight, invert.
[[nodiscard]] const Kind& inversion_kind();

/// Estimates roughly the cost of an inversion; only the ids of the dataset are read. Throws
/// ValidationError on `greens` when it is not a dataset of Green's functions.
[[nodiscard]] v1::Estimate estimate_of(const request::LoadedInversion& loaded, int threads);

/// The inversion in the JSON at `path`, checked again. A File of it that has a sha256 is read at
/// `files`/<sha256>; with `files` empty, and without a sha256, its path holds.
/// Throws as request::check_inversion, InvalidArgument where the file is no inversion in JSON.
[[nodiscard]] request::LoadedInversion load_stored_inversion(const std::string& path,
                                                             const std::string& files);

/// The inversion that a request asks for, in plain numbers: standard deviations with their
/// scale, a magnitude as its moment, bounds that are absent as infinite.
[[nodiscard]] jobs::InversionJob job_from_request(const request::LoadedInversion& loaded);

/// Stations of a report, the worst first; the file has all of them.
inline constexpr std::size_t kReportedStations = 1000;

/// Returns the report of an inversion, with `text` for people. `warnings` come before its own.
[[nodiscard]] v1::InversionReport report_of(const jobs::InversionSummary& summary,
                                            const jobs::InversionJob& job, const std::string& file,
                                            const std::vector<std::string>& warnings);

}  // namespace kaname::compute
