// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/report.pb.h"
#include "proto/kaname/v1/waves.pb.h"
#include "proto/spec/form/request.hpp"
#include "proto/spec/form/rules.hpp"

namespace kaname::spec {

/// Name of the dataset in a folder of results.
inline constexpr const char* kSeismogramsFile = "seismograms.h5";

/// The message's schema and name.
void check_head(const std::string& schema, const std::string& expected, const std::string& name,
                Rules& rules);

/// A source as tasks know it.
struct WaveTask {
    std::string id, text;  ///< text: canonical, of all that is its own
};
/// A task for each source, four of which can be solved together, and one for the dataset, which
/// gathers them. `version` changes with what is computed of the same specification; `shared` is the
/// text of all that every source depends on, `whole` of the specification. With `mesh`, its text,
/// there is a task for a mesh before them.
[[nodiscard]] TaskGraph wave_graph(const std::vector<WaveTask>& sources, const std::string& version,
                                   const std::string& shared, const std::string& whole,
                                   const std::string& mesh = {});
/// Times of those verbs.
[[nodiscard]] std::vector<VerbTime> wave_times(const v1::Estimate& estimate);

/// `structure`: its canonical text; `places`: those of sources and receivers.
[[nodiscard]] Description describe_waves(
    const google::protobuf::RepeatedPtrField<v1::WaveReceiver>& receivers,
    const std::string& structure, std::vector<v1::WavePlace> places);

}  // namespace kaname::spec
