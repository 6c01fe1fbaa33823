// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace kaname::io {

/// Names of the layouts of export_seismograms.
inline constexpr const char* kSacLayout = "sac";
inline constexpr const char* kMiniSeedLayout = "miniseed";

/// Writes the seismograms of the dataset at `dataset_path` to `folder`, which is made where it is
/// missing: of each source that is done SOURCE.RECEIVER.CHANNEL.sac, or SOURCE.mseed; then
/// receivers.csv with codes and places, and manifest.json with all names. Channels are a band
/// letter by sampling rate (FDSN), X for synthetic, and X, Y or Z. A receiver whose id is no
/// station code of the format (8 characters of SAC, 5 capital letters and digits of miniSEED) gets
/// R and its number. Time 0 is 1970-01-01. Returns the paths written. Throws InvalidArgument for
/// another layout, no source that is done, or as write_sac and write_miniseed; Unavailable when the
/// system refuses.
std::vector<std::string> export_seismograms(const std::string& dataset_path,
                                            const std::string& layout, const std::string& folder);

}  // namespace kaname::io
